// SPDX-License-Identifier: Apache-2.0
// Real tokenizers against the ids of the tokenizers library, where the reference data are present.
#include "tests/support/reference.h"

#include <cstring>
#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/base/text.h"
#include "engine/tokenizer/tokenizer.h"
#include "tests/engine/tokenizer/golden.h"

namespace fl::tokenizer {
namespace {

using ::testing::IsEmpty;

// The tensor input_ids of a safetensors file, which is I64 or I32.
std::vector<TokenId> inputIds(const std::string& path) {
    const auto file = readFile(path);
    if (!file)
        return {};
    std::uint64_t headerBytes = 0;
    std::memcpy(&headerBytes, file->data(), sizeof headerBytes);
    const auto header = Json::parse(std::string_view(*file).substr(8, headerBytes));
    const Json& entry = header ? (*header)["input_ids"] : Json();
    const std::size_t width = entry["dtype"].string() == "I64" ? 8 : 4;
    std::vector<TokenId> ids;
    if (entry["data_offsets"].size() != 2)
        return ids;
    const auto begin = static_cast<std::size_t>(entry["data_offsets"].items()[0].integer());
    const auto end = static_cast<std::size_t>(entry["data_offsets"].items()[1].integer());
    for (std::size_t at = begin; at < end; at += width) {
        TokenId id = 0;  // little-endian: the low half comes first
        std::memcpy(&id, file->data() + 8 + headerBytes + at, sizeof id);
        ids.push_back(id);
    }
    return ids;
}

class ReferenceTokenizer : public ::testing::TestWithParam<const char*> {};

TEST_P(ReferenceTokenizer, GivesTheGoldenIdsAndPieces) {
    if (test::referenceDir().empty())
        GTEST_SKIP() << "no reference data";
    const std::string folder = test::referenceDir() + "/text/tokenizers/" + GetParam();
    const auto tokenizer = Tokenizer::fromFolder(folder);
    ASSERT_TRUE(tokenizer) << tokenizer.error().message;
    const std::vector<Json> golden = test::readLines(folder + "/golden.jsonl");
    ASSERT_GT(golden.size(), 500u);
    EXPECT_THAT(test::mismatches(*tokenizer, golden), IsEmpty());
    const std::vector<Json> stream = test::readLines(folder + "/stream.jsonl");
    ASSERT_GT(stream.size(), 40u);
    EXPECT_THAT(test::streamMismatches(*tokenizer, stream), IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(
    Real,
    ReferenceTokenizer,
    ::testing::Values("deepseek-v4", "gpt-oss", "llama3", "qwen3.5", "smollm2"),
    [](const auto& tested) {
        std::string name = tested.param;
        std::erase_if(name, [](char c) { return c == '-' || c == '.'; });
        return name;
    });

TEST(ReferenceTokenizer, LoadsEveryReferenceModel) {
    if (test::referenceDir().empty())
        GTEST_SKIP() << "no reference data";
    int loaded = 0;
    for (const auto& model :
         std::filesystem::directory_iterator(test::referenceDir() + "/reference")) {
        const auto tokenizer = Tokenizer::fromFolder(model.path().string());
        ASSERT_TRUE(tokenizer) << tokenizer.error().message;
        EXPECT_FALSE(tokenizer->eos().empty()) << model.path();
        EXPECT_FALSE(tokenizer->chatTemplate().empty()) << model.path();
        ++loaded;
    }
    EXPECT_GE(loaded, 15);
}

TEST(ReferenceTokenizer, GivesTheIdsOfTheReferencePrompts) {
    if (test::referenceDir().empty())
        GTEST_SKIP() << "no reference data";
    // The prompt of llama-a and the ids of its golden run.
    const std::string folder = test::referenceDir() + "/reference/llama-a";
    const auto tokenizer = Tokenizer::fromFolder(folder);
    const auto cases = Json::parseFile(folder + "/golden/cases.json");
    ASSERT_TRUE(tokenizer && cases);
    int prompts = 0;
    for (const Json& golden : cases->items()) {
        if (golden["kind"].string() != "text")
            continue;
        const auto ids = tokenizer->encode(golden["prompt"].string(), {});
        ASSERT_TRUE(ids);
        EXPECT_EQ(static_cast<std::int64_t>(ids->size()), golden["tokens"].integer());
        EXPECT_EQ(*ids, inputIds(folder + "/golden/" + golden["name"].string() + ".safetensors"));
        ++prompts;
    }
    EXPECT_EQ(prompts, 1);
}

}  // namespace
}  // namespace fl::tokenizer
