// SPDX-License-Identifier: Apache-2.0
#include "engine/base/version.h"

#include <gtest/gtest.h>

#include "engine/base/text.h"

namespace fl {
namespace {

TEST(Version, HasThreeNumbers) {
    const auto parts = split(version(), '.');
    ASSERT_EQ(parts.size(), 3U);
    for (const std::string& part : parts)
        EXPECT_TRUE(parseInteger(part)) << version();
}

}  // namespace
}  // namespace fl
