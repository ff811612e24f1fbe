// SPDX-License-Identifier: Apache-2.0
#include "engine/service/host_name.h"

#include <gtest/gtest.h>

namespace fl::service {
namespace {

TEST(HostName, IsThisHostWithAndWithoutItsDomain) {
    const std::string own = ownHost();
    ASSERT_FALSE(own.empty());
    EXPECT_TRUE(isThisHost(own));
    EXPECT_TRUE(isThisHost(own.substr(0, own.find('.'))));
    EXPECT_TRUE(isThisHost("localhost"));
}

TEST(HostName, IsNoOtherHost) {
    EXPECT_FALSE(isThisHost(""));
    EXPECT_FALSE(isThisHost(ownHost() + "2"));
    EXPECT_FALSE(isThisHost("another." + ownHost()));
}

}  // namespace
}  // namespace fl::service
