// SPDX-License-Identifier: Apache-2.0
// Covers: engine/tokenizer/tokenizer_json.cpp engine/tokenizer/added_tokens.cpp
// Covers: engine/tokenizer/bpe.cpp engine/tokenizer/vocabulary.cpp engine/tokenizer/unicode.cpp
#include "engine/tokenizer/tokenizer.h"

#include <cstdlib>
#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "engine/base/text.h"
#include "tests/engine/tokenizer/golden.h"

namespace fl::tokenizer {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::string dataFolder(const std::string& name) {
    const char* data = std::getenv("FIRSTLIGHT_TEST_DATA");
    return std::string(data != nullptr ? data : "tests/data") + "/tokenizer/" + name;
}

Tokenizer load(const std::string& name) {
    auto tokenizer = Tokenizer::fromFolder(dataFolder(name));
    EXPECT_TRUE(tokenizer) << tokenizer.error().message;
    return *std::move(tokenizer);
}

class TinyTokenizer : public ::testing::TestWithParam<const char*> {};

TEST_P(TinyTokenizer, GivesTheIdsOfTheTokenizersLibrary) {
    const Tokenizer tokenizer = load(GetParam());
    const std::vector<Json> golden = test::readLines(dataFolder(GetParam()) + "/golden.jsonl");
    ASSERT_GT(golden.size(), 40u);
    EXPECT_THAT(test::mismatches(tokenizer, golden), IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(Own, TinyTokenizer, ::testing::Values("plain", "split", "digits"));

TEST(Tokenizer, LeavesWhatAUserTypedAsText) {
    const Tokenizer tokenizer = load("plain");
    const auto parsed = tokenizer.encode("<|im_end|>", {});
    ASSERT_TRUE(parsed);
    EXPECT_THAT(*parsed, ElementsAre(tokenizer.find("<|im_end|>")));
    const auto typed = tokenizer.encode("<|im_end|>", {Special::Text, false});
    ASSERT_TRUE(typed);
    EXPECT_GT(typed->size(), 1u);
    EXPECT_EQ(tokenizer.decode(*typed, true), "<|im_end|>");
}

TEST(Tokenizer, ReadsTheFilesBesideTokenizerJson) {
    const Tokenizer plain = load("plain");
    EXPECT_EQ(plain.bosText(), "<|bos|>");
    EXPECT_EQ(plain.eosText(), "<|im_end|>");
    EXPECT_THAT(plain.eos(), ElementsAre(3, 1));
    EXPECT_THAT(plain.chatTemplate(), HasSubstr("im_start"));
    EXPECT_EQ(load("split").chatTemplate(), "{{ bos_token }}from the file");
    EXPECT_EQ(load("digits").bos(), -1);
}

TEST(Tokenizer, StopsOnceCancelled) {
    CancelSource source;
    source.cancel();
    EXPECT_EQ(Tokenizer::fromFolder(dataFolder("plain"), source.token()).error().code,
              ErrorCode::Cancelled);
}

TEST(Tokenizer, KnowsItsPiecesAndItsSize) {
    const Tokenizer tokenizer = load("split");
    const TokenId last = tokenizer.find("Ġworldwide");
    EXPECT_EQ(tokenizer.size(), last + 2);  // <think> comes behind it
    EXPECT_EQ(tokenizer.piece(last), "Ġworldwide");
    EXPECT_EQ(tokenizer.piece(last + 2), "");
    EXPECT_EQ(tokenizer.find("no such token"), -1);
    EXPECT_TRUE(tokenizer.isSpecial(tokenizer.bos()));
    EXPECT_FALSE(tokenizer.isSpecial(last));
}

TEST(Tokenizer, ReplacesInvalidBytesBeforeSplitting) {
    const Tokenizer tokenizer = load("plain");
    const auto ids = tokenizer.encode("a\xFF\xE6\xA8z", {});
    ASSERT_TRUE(ids);
    EXPECT_EQ(tokenizer.decode(*ids, false), "a\xEF\xBF\xBD\xEF\xBF\xBDz");
}

TEST(Tokenizer, MergesAMillionEqualCharactersInTime) {
    const Tokenizer tokenizer = load("plain");
    for (const char* unit : {"a", " ", "=", "\xE6\xA8\xA1"}) {
        std::string text;
        while (text.size() < 1'000'000)
            text += unit;
        const auto ids = tokenizer.encode(text, {});
        ASSERT_TRUE(ids) << ids.error().message;
        EXPECT_EQ(tokenizer.decode(*ids, false), text);
    }
}

TEST(StreamDecoder, NeverGivesOutHalfACharacter) {
    const Tokenizer tokenizer = load("plain");
    const auto ids = tokenizer.encode("x🏁é", {});
    ASSERT_TRUE(ids);
    StreamDecoder stream = tokenizer.stream(true);
    std::string shown;
    for (const TokenId id : *ids) {
        const std::string piece = stream.push(id);
        EXPECT_THAT(piece, testing::Not(HasSubstr("\xEF\xBF\xBD")));
        shown += piece;
    }
    EXPECT_EQ(shown, "x🏁é");
    EXPECT_EQ(stream.flush(), "");
}

TEST(StreamDecoder, ReplacesAnUnfinishedCharacterAtTheEnd) {
    const Tokenizer tokenizer = load("plain");
    StreamDecoder stream = tokenizer.stream(true);
    const TokenId lead = tokenizer.find("æ");  // byte E6
    ASSERT_GE(lead, 0);
    EXPECT_EQ(stream.push(lead), "");
    EXPECT_EQ(stream.push(tokenizer.find("a")),
              "\xEF\xBF\xBD"
              "a");
    EXPECT_EQ(stream.push(lead), "");
    EXPECT_EQ(stream.flush(), "\xEF\xBF\xBD");
    EXPECT_EQ(stream.push(tokenizer.find("<|im_end|>")), "");
}

// tokenizer.json of the plain tokenizer with one member of the file replaced.
std::string errorWith(const std::string& key, const std::string& value) {
    auto file = Json::parseFile(dataFolder("plain") + "/tokenizer.json");
    auto replaced = Json::parse(value);
    EXPECT_TRUE(file && replaced);
    file->set(key, *replaced);
    const std::string folder = ::testing::TempDir() + "tokenizer_" + std::to_string(::getpid());
    std::filesystem::create_directories(folder);
    EXPECT_TRUE(writeFile(folder + "/tokenizer.json", file->dump()));
    const auto tokenizer = Tokenizer::fromFolder(folder);
    std::filesystem::remove_all(folder);
    return tokenizer ? "loaded" : tokenizer.error().message;
}

TEST(Tokenizer, NamesWhatItDoesNotKnow) {
    EXPECT_THAT(errorWith("model", R"({"type":"WordPiece","vocab":{}})"), HasSubstr("'WordPiece'"));
    EXPECT_THAT(errorWith("normalizer", R"({"type":"Uppercase"})"), HasSubstr("'Uppercase'"));
    EXPECT_THAT(errorWith("pre_tokenizer", R"({"type":"Semaphore"})"), HasSubstr("'Semaphore'"));
    EXPECT_THAT(errorWith("pre_tokenizer", "null"), HasSubstr("ByteLevel"));
    EXPECT_THAT(errorWith("post_processor", R"({"type":"EarthProcessing"})"),
                HasSubstr("'EarthProcessing'"));
    EXPECT_THAT(errorWith("decoder", R"({"type":"WordPiece"})"), HasSubstr("'WordPiece'"));
    EXPECT_THAT(errorWith("pre_tokenizer",
                          R"({"type":"Split","pattern":{"Regex":"[a&&b]"},"behavior":"Isolated"})"),
                HasSubstr("intersection"));
    EXPECT_THAT(errorWith("pre_tokenizer",
                          R"({"type":"Split","pattern":{"Regex":"(a"},"behavior":"Isolated"})"),
                HasSubstr("does not compile"));
    EXPECT_THAT(errorWith("pre_tokenizer",
                          R"({"type":"Split","pattern":{"Regex":"a"},"behavior":"Sideways"})"),
                HasSubstr("'Sideways'"));
}

TEST(Tokenizer, NamesDamagedVocabularies) {
    EXPECT_THAT(errorWith("model", R"({"type":"BPE","vocab":{"a":0,"b":0},"merges":[]})"),
                HasSubstr("id 0 is both"));
    EXPECT_THAT(errorWith("model", R"({"type":"BPE","vocab":{"a":-3},"merges":[]})"),
                HasSubstr("id -3"));
    EXPECT_THAT(errorWith("model", R"({"type":"BPE","vocab":{"a":900,"b":901},"merges":["a b"]})"),
                HasSubstr("token 'ab'"));
    EXPECT_THAT(errorWith("model", R"({"type":"BPE","vocab":{"a":900},"merges":["ab"]})"),
                HasSubstr("expected two tokens"));
}

TEST(Tokenizer, NamesTheMissingFile) {
    const auto tokenizer = Tokenizer::fromFolder("/nonexistent");
    ASSERT_FALSE(tokenizer);
    EXPECT_EQ(tokenizer.error().code, ErrorCode::NotFound);
    EXPECT_THAT(tokenizer.error().message, HasSubstr("/nonexistent/tokenizer.json"));
}

TEST(Tokenizer, SaysWhereAPatternGivesUp) {
    auto file = Json::parseFile(dataFolder("plain") + "/tokenizer.json");
    ASSERT_TRUE(file);
    auto pre = Json::parse(
        R"({"type":"Sequence","pretokenizers":[
            {"type":"Split","pattern":{"Regex":"x|(a+)+b"},"behavior":"Isolated"},
            {"type":"ByteLevel","add_prefix_space":false,"use_regex":false}]})");
    ASSERT_TRUE(pre);
    file->set("pre_tokenizer", *pre);
    const std::string folder = ::testing::TempDir() + "pattern_" + std::to_string(::getpid());
    std::filesystem::create_directories(folder);
    ASSERT_TRUE(writeFile(folder + "/tokenizer.json", file->dump()));
    const auto tokenizer = Tokenizer::fromFolder(folder);
    std::filesystem::remove_all(folder);
    ASSERT_TRUE(tokenizer) << tokenizer.error().message;
    const auto ids = tokenizer->encode("xx" + std::string(64, 'a'), {});
    ASSERT_FALSE(ids);
    EXPECT_THAT(ids.error().message, HasSubstr("byte 2"));
}

}  // namespace
}  // namespace fl::tokenizer
