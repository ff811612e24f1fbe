// SPDX-License-Identifier: Apache-2.0
#include "engine/service/control_address.h"

#include <gtest/gtest.h>

#include "engine/service/address.h"

namespace fl::service {
namespace {

TEST(ControlAddress, TakesWhatItIsGiven) {
    EXPECT_EQ(*controlAddresses({"a"}, "10.0.0.1"), std::vector<std::string>{"tcp:10.0.0.1:0"});
    EXPECT_EQ(*controlAddresses({"a"}, "10.0.0.1:44"), std::vector<std::string>{"tcp:10.0.0.1:44"});
    EXPECT_EQ(*controlAddresses({}, "[fd00::1]"), std::vector<std::string>{"tcp:[fd00::1]:0"});
    EXPECT_EQ(*controlAddresses({}, "[fd00::1]:44"), std::vector<std::string>{"tcp:[fd00::1]:44"});
}

// Whatever networks this machine has: what is found can be listened on, and is not of itself alone.
TEST(ControlAddress, FindsAddressesThatCanBeListenedOn) {
    const auto found = controlAddresses({"no-such-host.invalid"}, "");
    if (!found) {
        EXPECT_NE(found.error().message.find("control_address"), std::string::npos);
        GTEST_SKIP() << "this machine has no network";
    }
    ASSERT_FALSE(found->empty());
    for (const std::string& address : *found) {
        EXPECT_FALSE(address.starts_with("tcp:127.")) << address;
        const auto socket = listenOn(address);
        EXPECT_TRUE(socket) << address << ": " << socket.error().message;
    }
}

}  // namespace
}  // namespace fl::service
