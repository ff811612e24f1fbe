// SPDX-License-Identifier: Apache-2.0
#include "engine/base/json.h"

#include <gtest/gtest.h>

namespace fl {
namespace {

TEST(Json, RoundTripsEveryKind) {
    const std::string text = R"({"a":[1,-2,3.5,true,null],"b":{"c":"\u00e9\n"},"d":1e300})";
    const auto value = Json::parse(text);
    ASSERT_TRUE(value) << value.error().message;
    const auto again = Json::parse(value->dump(2));
    ASSERT_TRUE(again);
    EXPECT_EQ(*value, *again);
    EXPECT_EQ((*value)["b"]["c"].string(), "é\n");
    EXPECT_TRUE((*value)["missing"]["deeper"].isNull());
}

TEST(Json, AnItemThatIsNotThereIsNull) {
    const Json list = *Json::parse("[7]");
    EXPECT_EQ(list.item(0).integer(), 7);
    EXPECT_TRUE(list.item(1).isNull());
    EXPECT_TRUE(Json::parse(R"({"a": 1})")->item(0).isNull());
    EXPECT_TRUE(Json(3).item(0).isNull());
}

TEST(Json, KeepsWholeNumbersAndRealsApart) {
    EXPECT_EQ(Json(1.0).dump(), "1.0");
    EXPECT_EQ(Json(std::int64_t{9007199254740993}).dump(), "9007199254740993");
    EXPECT_TRUE(Json::parse("1")->isInteger());
    EXPECT_FALSE(Json::parse("1.0")->isInteger());
}

TEST(Json, KeepsTheDigitsOfIntegersBeyond64Bits) {
    for (const char* text : {"[18446744073709551615]", "[-123456789012345678901234567890]"}) {
        const auto value = Json::parse(text);
        ASSERT_TRUE(value);
        EXPECT_TRUE(value->items()[0].isBigInteger());
        EXPECT_FALSE(value->items()[0].isInteger());
        EXPECT_EQ(value->dump(), text);
    }
    EXPECT_DOUBLE_EQ(Json::bigInteger("18446744073709551616").number(), 18446744073709551616.0);
}

TEST(Json, RefusesDuplicateKeys) {
    const auto value = Json::parse(R"({"a":1,"a":2})");
    ASSERT_FALSE(value);
    EXPECT_EQ(value.error().message, "key 'a' appears twice in one object");
}

TEST(Json, FindsADuplicateAmongManyKeys) {
    std::string text = "{\"x\":{\"k0\":0}";
    for (int i = 0; i < 20; ++i)
        text += ",\"k" + std::to_string(i) + "\":{\"k0\":0}";
    EXPECT_TRUE(Json::parse(text + "}"));
    EXPECT_EQ(Json::parse(text + ",\"k3\":0}").error().message,
              "key 'k3' appears twice in one object");
    EXPECT_EQ(Json::parse(text + ",\"k19\":0}").error().message,
              "key 'k19' appears twice in one object");
}

TEST(Json, RefusesDeepNesting) {
    const auto value = Json::parse(std::string(100, '[') + std::string(100, ']'));
    ASSERT_FALSE(value);
    EXPECT_EQ(value.error().message, "invalid JSON at byte 65: found 100, expected <= 64 levels");
}

TEST(Json, StopsOnceCancelled) {
    CancelSource source;
    JsonLimits limits;
    limits.cancel = source.token();
    EXPECT_TRUE(Json::parse("[1, 2]", limits));
    source.cancel();
    EXPECT_EQ(Json::parse("[1, 2]", limits).error().code, ErrorCode::Cancelled);
}

TEST(Json, NamesTheByteOfASyntaxError) {
    const auto value = Json::parse("{\"a\": tru}");
    ASSERT_FALSE(value);
    EXPECT_NE(value.error().message.find("at byte 7: found tru,"), std::string::npos)
        << value.error().message;
}

TEST(Json, RefusesInvalidUtf8AndTrailingText) {
    EXPECT_FALSE(Json::parse("\"\xff\""));
    EXPECT_FALSE(Json::parse("{} x"));
    EXPECT_FALSE(Json::parse(""));
    EXPECT_EQ(Json::parse(std::string_view("{}\0", 3)).error().message,
              "invalid JSON at byte 3: found NUL, expected end of text");
}

TEST(Json, WritesWhatJsonCannotHoldAsNull) {
    EXPECT_EQ(Json(std::numeric_limits<double>::quiet_NaN()).dump(), "null");
}

}  // namespace
}  // namespace fl
