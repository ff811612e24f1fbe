// SPDX-License-Identifier: Apache-2.0
#include "engine/checkpoint/index.h"

#include <gtest/gtest.h>

#include "tests/support/findings.h"
#include "tests/support/temp_dir.h"
#include "tests/support/tiny_checkpoint.h"

namespace fl::checkpoint {
namespace {

constexpr std::string_view kName = "model.safetensors.index.json";

// Opens two shards, a and b in 1.safetensors, c in 2.safetensors, under this index.
std::vector<Finding> findingsWith(std::string_view index) {
    const test::TempDir folder;
    test::writeTo(folder.path(), "config.json", R"({"model_type":"llama"})");
    test::writeTo(folder.path(), "1.safetensors",
                  test::safetensorsBytes({test::patternTensor("a", DType::F32, {2}),
                                          test::patternTensor("b", DType::F32, {2})}));
    test::writeTo(folder.path(), "2.safetensors",
                  test::safetensorsBytes({test::patternTensor("c", DType::F32, {2})}));
    test::writeTo(folder.path(), kName, index);
    const auto checkpoint = openCheckpoint(folder.path());
    return checkpoint ? checkpoint->findings : std::vector<Finding>{};
}

std::string map(std::string_view entries, std::string_view metadata = "{}") {
    return "{\"metadata\":" + std::string(metadata) + ",\"weight_map\":{" + std::string(entries) +
           "}}";
}

constexpr std::string_view kGood = R"("c":"2.safetensors","a":"1.safetensors","b":"1.safetensors")";

TEST(Index, AcceptsWhatAgrees) {
    EXPECT_EQ(test::codes(findingsWith(map(kGood))), "");
    EXPECT_EQ(test::codes(findingsWith(map(kGood, R"({"total_size":24,"note":[1,{}]})"))), "");
    EXPECT_EQ(test::codes(findingsWith("{\"extra\":[{}],\"metadata\":{},\"weight_map\":{" +
                                       std::string(kGood) + "}}")),
              "");
}

TEST(Index, ComparesItselfWithTheHeaders) {
    const auto other =
        findingsWith(map(R"("a":"1.safetensors","b":"2.safetensors","c":"2.safetensors")"));
    ASSERT_EQ(test::codes(other), "tensor-in-other-shard");
    EXPECT_EQ(other[0].tensor, "b");
    EXPECT_EQ(other[0].expected, "1.safetensors");
    EXPECT_EQ(other[0].found, "2.safetensors");

    const auto more = findingsWith(map(std::string(kGood) + R"(,"x":"2.safetensors")"));
    ASSERT_EQ(test::codes(more), "tensor-not-in-shard");
    EXPECT_EQ(more[0].tensor, "x");
    EXPECT_EQ(more[0].file, "2.safetensors");
    EXPECT_EQ(more[0].expected, "in 2.safetensors");

    const auto fewer = findingsWith(map(R"("a":"1.safetensors","c":"2.safetensors")"));
    ASSERT_EQ(test::codes(fewer), "tensor-not-in-index");
    EXPECT_EQ(fewer[0].tensor, "b");
}

TEST(Index, RefusesPathsOutOfTheFolder) {
    for (const char* path : {"../x.safetensors", "x/../../y.safetensors", "/x.safetensors", "",
                             "a\\u0000.safetensors", "config.json", "."}) {
        const auto findings = findingsWith(map(std::string(kGood) + ",\"x\":\"" + path + "\""));
        ASSERT_EQ(test::codes(findings), "index-path") << path;
        EXPECT_EQ(findings[0].tensor, "x");
        EXPECT_EQ(findings[0].file, kName);
    }
    for (const char* value : {"1", "null", "[\"1.safetensors\"]", "{\"a\":\"b\"}"}) {
        const auto findings = findingsWith(map(std::string(kGood) + ",\"x\":" + value));
        EXPECT_EQ(test::codes(findings), "index-path") << value;
    }
}

TEST(Index, OnlyWarnsOfTheTotalSize) {
    for (const char* total : {"23", "0", "-1", "\"24\"", "24.0", "1180591620717411303424"}) {
        const auto findings =
            findingsWith(map(kGood, "{\"total_size\":" + std::string(total) + "}"));
        ASSERT_EQ(test::codes(findings), "index-total-size") << total;
        EXPECT_EQ(findings[0].severity, Severity::Warning);
        EXPECT_EQ(findings[0].key, "metadata.total_size");
    }
    EXPECT_EQ(test::codes(findingsWith(map(kGood, "[1]"))), "index-metadata");
}

TEST(Index, NamesTheByteOfASyntaxError) {
    const auto findings = findingsWith("{\"weight_map\": {\"a\" \"1\"}}");
    ASSERT_EQ(test::codes(findings), "index-json");
    EXPECT_NE(findings[0].message.find("at byte 21"), std::string::npos) << findings[0].message;
    for (const char* bad : {"", "   ", "{}", "[]", "7", "{} {}"})
        EXPECT_EQ(test::codes(findingsWith(bad)), "index-json") << bad;
    const auto twice = findingsWith("{\"weight_map\":{},\"metadata\":{},\"weight_map\":{" +
                                    std::string(kGood) + "}}");
    ASSERT_EQ(test::codes(twice), "index-json");
    EXPECT_EQ(twice[0].expected, "one weight_map");
    EXPECT_EQ(twice[0].found, "two");
}

TEST(Index, NeedsAWeightMap) {
    const std::pair<const char*, const char*> bad[] = {
        {R"({"metadata":{}})", "absent"},
        {R"({"metadata":{},"weight_map":{}})", "0"},
        {R"({"metadata":{},"weight_map":["a"]})", "list"},
        {R"({"metadata":{},"weight_map":null})", "null"},
        {R"({"metadata":{},"weight_map":{"model":{"a":"1.safetensors"}}})", "object"},
        {R"({"metadata":{},"weight_map":{"1.safetensors":"a"}})", "file -> name"}};
    for (const auto& [text, found] : bad) {
        const auto findings = findingsWith(text);
        ASSERT_EQ(test::codes(findings), "index-weight-map") << text;
        EXPECT_EQ(findings[0].found, found) << text;
        EXPECT_EQ(findings[0].key, "weight_map");
    }
    EXPECT_EQ(findingsWith(R"({"metadata":{},"weight_map":{}})")[0].expected, "3 names");
    EXPECT_EQ(test::codes(findingsWith("version https://git-lfs.github.com/spec/v1\nsize 5\n")),
              "lfs-pointer");
}

TEST(Index, SeesATensorListedTwice) {
    const auto findings = findingsWith(map(std::string(kGood) + R"(,"a":"2.safetensors")"));
    EXPECT_EQ(test::findCode(findings, "index-json").tensor, "a");
}

TEST(Index, WarnsOfWhatItPassesOver) {
    const auto withKey = [](const std::string& key, const std::string& value) {
        return findingsWith("{\"" + key + "\":" + value + ",\"metadata\":{},\"weight_map\":{" +
                            std::string(kGood) + "}}");
    };
    const auto deep = withKey("x", std::string(1000, '[') + std::string(1000, ']'));
    ASSERT_EQ(test::codes(deep), "index-key");
    EXPECT_EQ(deep[0].found, "1000");
    EXPECT_EQ(deep[0].severity, Severity::Warning);
    const auto deeper = withKey("x", std::string(100'000, '[') + std::string(100'000, ']'));
    ASSERT_EQ(test::codes(deeper), "index-json");
    EXPECT_EQ(deeper[0].found, "100000");
    EXPECT_EQ(withKey(std::string(5000, 'k'), "1")[0].found, "key of 5000 bytes");
    EXPECT_EQ(test::codes(findingsWith("\xef\xbb\xbf" + map(kGood))), "index-key");
    EXPECT_EQ(test::codes(findingsWith("{\"weight_map\":{" + std::string(kGood) + "}}")),
              "index-metadata");
}

TEST(Index, SortsItsFiles) {
    const test::TempDir folder;
    test::writeTo(folder.path(), kName, map(kGood));
    FindingList findings;
    const auto index = readIndex(folder.path(), std::string(kName), findings);
    ASSERT_TRUE(index);
    EXPECT_EQ(index->files, (std::vector<std::string>{"1.safetensors", "2.safetensors"}));
    EXPECT_EQ(index->entries[0].tensor, "a");
    EXPECT_EQ(index->entries[2].tensor, "c");
    EXPECT_EQ(index->entries[2].file, 1);
    EXPECT_FALSE(index->totalBytes);
}

}  // namespace
}  // namespace fl::checkpoint
