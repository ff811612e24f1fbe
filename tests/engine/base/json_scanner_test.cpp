// SPDX-License-Identifier: Apache-2.0
#include "engine/base/json_scanner.h"

#include <gtest/gtest.h>

namespace fl {
namespace {

using Token = JsonScanner::Token;

// All tokens as letters, with the text of keys, strings and numbers.
std::string tokens(std::string_view text) {
    constexpr std::string_view kLetters = "{}[]ksnTFN.!";
    JsonScanner scanner(text);
    std::string out;
    for (;;) {
        const Token token = scanner.next();
        out += kLetters[static_cast<std::size_t>(token)];
        if (token == Token::Key || token == Token::String || token == Token::Number)
            out += "<" + std::string(scanner.text()) + ">";
        if (token == Token::End || token == Token::Fault)
            return out;
    }
}

JsonFault faultOf(std::string_view text) {
    if (const auto fault = jsonEncodingFault(text))
        return *fault;
    JsonScanner scanner(text);
    for (Token token = scanner.next(); token != Token::End; token = scanner.next()) {
        if (token == Token::Fault)
            return scanner.fault();
    }
    return {};
}

TEST(JsonScanner, ReadsEveryToken) {
    EXPECT_EQ(tokens(R"( {"a" : [1, -2.5e3,true ,false,null,"x"], "b":{}} )"),
              "{k<a>[n<1>n<-2.5e3>TFNs<x>]k<b>{}}.");
    EXPECT_EQ(tokens("[]"), "[].");
    EXPECT_EQ(tokens("0"), "n<0>.");
}

TEST(JsonScanner, ResolvesEscapes) {
    EXPECT_EQ(tokens(R"(["\"\\\/\b\f\n\r\t", "\u0041\u00e9\u6a21\ud83d\ude42 and more"])"),
              "[s<\"\\/\b\f\n\r\t>s<A\u00e9\u6a21\U0001f642 and more>].");
}

TEST(JsonScanner, CopiesOnlyWhatIsEscaped) {
    JsonScanner scanner(R"(["plain and long enough for words", "a\n"])");
    scanner.next();
    scanner.next();
    EXPECT_TRUE(scanner.isView());
    scanner.next();
    EXPECT_FALSE(scanner.isView());
}

TEST(JsonScanner, KnowsWholeNumbersWithin64Bits) {
    const auto integer = [](std::string_view text) {
        JsonScanner scanner(text);
        scanner.next();
        return scanner.integer();
    };
    EXPECT_EQ(integer("9223372036854775807"), INT64_MAX);
    EXPECT_EQ(integer("-9223372036854775808"), INT64_MIN);
    EXPECT_EQ(integer("9223372036854775808"), std::nullopt);
    EXPECT_EQ(integer("1.0"), std::nullopt);
}

TEST(JsonScanner, SaysWhatIsWrong) {
    struct Case {
        std::string_view text, expected, found;
    };
    for (const Case& each : std::initializer_list<Case>{
             {"", "JSON", "empty file"},
             {" \n ", "JSON", "only spaces"},
             {std::string_view("\0\0\0\0\0", 5), "JSON", "only zeros"},
             {std::string_view("\xff\xfe{\0", 4), "UTF-8", "UTF-16"},
             {std::string_view("{\0}\0", 4), "UTF-8", "UTF-16"},
             {std::string_view("\xff\xfe\0\0{\0\0\0", 8), "UTF-8", "UTF-32"},
             {"\xef\xbb\xbf{}", "no byte order mark", "UTF-8 byte order mark"},
             {"[\"\xe9\"]", "UTF-8", "0xe9"},
             {std::string_view("{}\0", 3), "end of text", "NUL"},
             {"{\"a\":1,}", "JSON", "trailing comma"},
             {"[1,]", "JSON", "trailing comma"},
             {"[1,2}", "JSON", "}"},
             {"{// x", "JSON", "comment"},
             {"# x\n{}", "JSON", "comment"},
             {"{'a':1}", "JSON", "'"},
             {"{a:1}", "JSON", "unquoted key"},
             {"[True]", "JSON", "True"},
             {"[NaN]", "JSON number", "NaN"},
             {"[-Infinity]", "JSON number", "-Infinity"},
             {"[+1]", "JSON number", "+1"},
             {"[012]", "JSON number", "012"},
             {"[0x20]", "JSON number", "0x20"},
             {"[1_000]", "JSON number", "1_000"},
             {"[1.]", "JSON number", "1."},
             {"[1e999]", "JSON number", "1e999"},
             {"{} {}", "one value", "two"},
             {"{\"a\"", ":", "end of text"},
             {"[\"abc", "JSON", "end of text"},
             {"[\"\\ud800\"]", "Unicode", "\\ud800"},
             {"[\"\\q\"]", "JSON escape", "\\q"},
             {"[\"\x01\"]", "escaped control character", "0x01"},
         }) {
        const JsonFault fault = faultOf(each.text);
        EXPECT_EQ(fault.expected, each.expected) << each.text;
        EXPECT_EQ(fault.found, each.found) << each.text;
    }
}

TEST(JsonScanner, CountsTheLevelsOfATextTooDeep) {
    const JsonFault fault = faultOf(std::string(100'000, '[') + std::string(100'000, ']'));
    EXPECT_EQ(fault.expected, "<= 64 levels");
    EXPECT_EQ(fault.found, "100000");
}

TEST(JsonScanner, SkipsValuesAndSaysHowDeepTheyAre) {
    JsonScanner scanner(R"({"a":[[{"x":[1]}],2],"b":7})");
    scanner.next();
    int levels = 0;
    EXPECT_TRUE(scanner.skip(scanner.next(), &levels));
    EXPECT_EQ(levels, 4);
    EXPECT_EQ(scanner.next(), Token::Key);
    EXPECT_EQ(scanner.text(), "b");
    EXPECT_TRUE(scanner.skip(scanner.next(), &levels));
    EXPECT_EQ(levels, 0);
    EXPECT_EQ(scanner.next(), Token::EndObject);
    EXPECT_EQ(scanner.next(), Token::End);
}

}  // namespace
}  // namespace fl
