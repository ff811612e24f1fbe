// SPDX-License-Identifier: Apache-2.0
// Real tokenizers against the ids of the tokenizers library, where the reference data are present.
#include "tests/support/reference.h"

#include <cstring>
#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/base/text.h"
#include "engine/checkpoint/gguf.h"
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

struct Folder {
    const char* name;
    const char* file = "";  // "": the one that is taken by itself
    Kind kind = Kind::ByteLevelBpe;
    int byteLines = 0;  // of invalid_utf8.jsonl
};

std::ostream& operator<<(std::ostream& out, const Folder& folder) {
    return out << folder.name << " " << folder.file;
}

class ReferenceTokenizer : public ::testing::TestWithParam<Folder> {};

TEST_P(ReferenceTokenizer, GivesTheGoldenIdsAndPieces) {
    if (test::referenceDir().empty())
        GTEST_SKIP() << "no reference data";
    const std::string folder = test::referenceDir() + "/text/tokenizers/" + GetParam().name;
    LoadOptions options;
    options.file = GetParam().file;
    const auto tokenizer = Tokenizer::fromFolder(folder, options);
    ASSERT_TRUE(tokenizer) << tokenizer.error().message;
    EXPECT_EQ(tokenizer->kind(), GetParam().kind);
    std::vector<Json> golden = test::readLines(folder + "/golden.jsonl");
    ASSERT_GT(golden.size(), 500u);
    // Rank files recognise all added tokens or none, which the lines of a tokenizer.json do not.
    if (GetParam().kind == Kind::Ranks && *GetParam().file != '\0')
        std::erase_if(golden, [](const Json& line) { return line["special"].string() == "text"; });
    EXPECT_THAT(test::mismatches(*tokenizer, golden), IsEmpty());
    const std::vector<Json> stream = test::readLines(folder + "/stream.jsonl");
    ASSERT_GT(stream.size(), 40u);
    EXPECT_THAT(test::streamMismatches(*tokenizer, stream), IsEmpty());
    const std::vector<Json> invalid = test::readLines(folder + "/invalid_utf8.jsonl");
    EXPECT_EQ(std::ssize(invalid), GetParam().byteLines);
    EXPECT_THAT(test::byteMismatches(*tokenizer, invalid), IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(Real,
                         ReferenceTokenizer,
                         ::testing::Values(Folder{"deepseek-v4"},
                                           Folder{"gpt-oss", "", Kind::ByteLevelBpe, 27},
                                           Folder{"kimi-k2", "", Kind::Ranks, 27},
                                           Folder{"llama3", "", Kind::ByteLevelBpe, 27},
                                           Folder{"qwen3.5", "", Kind::ByteLevelBpe, 27},
                                           Folder{"qwen3.5", "qwen.tiktoken", Kind::Ranks, 27},
                                           Folder{"smollm2"},
                                           Folder{"tekken", "", Kind::Ranks, 27}),
                         [](const auto& tested) {
                             std::string name = tested.param.name + std::string(tested.param.file);
                             std::erase_if(name, [](char c) { return c == '-' || c == '.'; });
                             return name;
                         });

TEST(ReferenceTokenizer, ReadsTheKeysOfAGgufFileLikeItsTokenizerJson) {
    if (test::referenceDir().empty())
        GTEST_SKIP() << "no reference data";
    const std::string folder = test::referenceDir() + "/text/tokenizers/smollm2";
    checkpoint::Shard shard;
    shard.fileName = "vocab.gguf";
    shard.path = folder + "/vocab.gguf";
    checkpoint::Inventory inventory;
    checkpoint::FindingList findings;
    const auto tokenizer = Tokenizer::fromGguf(checkpoint::readGguf(shard, 0, inventory, findings));
    ASSERT_TRUE(tokenizer) << tokenizer.error().message;
    EXPECT_THAT(test::mismatches(*tokenizer, test::readLines(folder + "/golden.jsonl")), IsEmpty());
    EXPECT_THAT(test::streamMismatches(*tokenizer, test::readLines(folder + "/stream.jsonl")),
                IsEmpty());
}

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
