// SPDX-License-Identifier: Apache-2.0
#include "engine/base/cancel_token.h"

#include <thread>

#include <gtest/gtest.h>

namespace fl {
namespace {

TEST(CancelToken, IsCancelledThroughItsSource) {
    CancelSource source;
    const CancelToken token = source.token();
    const CancelToken copy = token;
    EXPECT_FALSE(copy.cancelled());
    EXPECT_TRUE(copy.check("load"));
    std::jthread([&source] { source.cancel(); }).join();
    EXPECT_TRUE(token.cancelled());
    EXPECT_TRUE(copy.cancelled());
    const Status status = copy.check("load");
    ASSERT_FALSE(status);
    EXPECT_EQ(status.error().code, ErrorCode::Cancelled);
    EXPECT_EQ(status.error().message, "load cancelled");
}

TEST(CancelToken, OutlivesItsSource) {
    CancelToken token;
    EXPECT_FALSE(token.cancelled());
    {
        CancelSource source;
        token = source.token();
        source.cancel();
    }
    EXPECT_TRUE(token.cancelled());
}

}  // namespace
}  // namespace fl
