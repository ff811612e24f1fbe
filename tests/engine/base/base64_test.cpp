// SPDX-License-Identifier: Apache-2.0
#include "engine/base/base64.h"

#include <gtest/gtest.h>

namespace fl {

static std::string encoded(std::string_view text) {
    return encodeBase64(std::as_bytes(std::span(text)));
}

TEST(Base64, WritesTheVectorsOfTheStandard) {
    EXPECT_EQ(encoded(""), "");
    EXPECT_EQ(encoded("f"), "Zg==");
    EXPECT_EQ(encoded("fo"), "Zm8=");
    EXPECT_EQ(encoded("foo"), "Zm9v");
    EXPECT_EQ(encoded("foob"), "Zm9vYg==");
    EXPECT_EQ(encoded("\xFB\xFF"), "+/8=");
}

TEST(Base64, ReadsWhatItWrites) {
    std::string bytes;
    for (int i = 0; i < 259; ++i) {
        const auto decoded = decodeBase64(encoded(bytes));
        ASSERT_TRUE(decoded) << decoded.error().message;
        EXPECT_EQ(*decoded, bytes);
        bytes += static_cast<char>(i * 7);
    }
}

TEST(Base64, RefusesWhatIsNone) {
    for (const char* text : {"Zg=", "Zg", "Z===", "====", "Zg==Zg==", "Zm9v\n", "Zm9*", "=m9v"})
        EXPECT_FALSE(decodeBase64(text)) << text;
    EXPECT_NE(decodeBase64("Zm*v").error().message.find("character 2"), std::string::npos);
}

}  // namespace fl
