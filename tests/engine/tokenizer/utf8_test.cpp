// SPDX-License-Identifier: Apache-2.0
// Covers: engine/tokenizer/byte_alphabet.cpp
#include "engine/tokenizer/utf8.h"

#include <gtest/gtest.h>

#include "engine/tokenizer/byte_alphabet.h"

namespace fl::tokenizer {
namespace {

TEST(Utf8, ReplacesEachMaximalInvalidPartOnce) {
    const std::string mark(kReplacement);
    EXPECT_EQ(validUtf8("a\xE6\xA8z"), "a" + mark + "z");                 // cut off
    EXPECT_EQ(validUtf8("\xF0\x9F\x8F"), mark);                           // cut off at the end
    EXPECT_EQ(validUtf8("\xC0\xAF"), mark + mark);                        // overlong
    EXPECT_EQ(validUtf8("\xED\xA0\x80"), mark + mark + mark);             // surrogate
    EXPECT_EQ(validUtf8("\xF4\x90\x80\x80"), mark + mark + mark + mark);  // beyond U+10FFFF
    EXPECT_EQ(validUtf8("né🏁"), "né🏁");
}

TEST(Utf8, GoesToCodePointsAndBack) {
    const std::string text = "aé模🏁";
    EXPECT_EQ(toCodePoints(text), U"aé模🏁");
    EXPECT_EQ(fromCodePoints(U"aé模🏁"), text);
    EXPECT_EQ(countCodePoints(text), 4);
}

TEST(ByteAlphabet, SpellsEveryByteAndReadsItBack) {
    for (int byte = 0; byte < 256; ++byte) {
        const std::string spelling = byteSpelling(static_cast<unsigned char>(byte));
        EXPECT_EQ(spelledBytes(spelling), std::string(1, static_cast<char>(byte))) << byte;
    }
    EXPECT_EQ(byteSpelling(' '), "Ġ");
    EXPECT_EQ(byteSpelling('\n'), "Ċ");
    EXPECT_FALSE(spelledBytes("模"));
    EXPECT_FALSE(spelledBytes(" "));
}

}  // namespace
}  // namespace fl::tokenizer
