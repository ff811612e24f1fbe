// SPDX-License-Identifier: Apache-2.0
// Covers: engine/tokenizer/normalizer.cpp engine/tokenizer/decoder.cpp
// Covers: engine/tokenizer/charsmap.cpp engine/tokenizer/unigram.cpp
// Covers: engine/tokenizer/piece_trie.cpp engine/tokenizer/word_cuts.cpp
// Covers: engine/tokenizer/sentencepiece_file.cpp engine/tokenizer/rank_bpe.cpp
// Covers: engine/tokenizer/sentencepiece_model.cpp engine/tokenizer/rank_file.cpp
// Covers: engine/tokenizer/tekken.cpp engine/tokenizer/json_tables.cpp
// Covers: engine/tokenizer/splits.cpp engine/tokenizer/tokenizer_folder.cpp
// Covers: engine/tokenizer/long_runs.cpp
//
// One small tokenizer of each kind against the ids of the library that owns the format:
// tests/data/tokenizer/make_kinds.py.
#include <cstdlib>
#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "engine/base/text.h"
#include "engine/tokenizer/long_runs.h"
#include "engine/tokenizer/sentencepiece_model.h"
#include "tests/engine/tokenizer/golden.h"

namespace fl::tokenizer {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

struct Sample {
    const char* name;
    Kind kind;
    const char* file;
};

std::ostream& operator<<(std::ostream& out, const Sample& sample) {
    return out << sample.name;
}

std::string folderOf(const char* name) {
    const char* data = std::getenv("FIRSTLIGHT_TEST_DATA");
    return std::string(data != nullptr ? data : "tests/data") + "/tokenizer/kinds/" + name;
}

class KindOfTokenizer : public ::testing::TestWithParam<Sample> {};

TEST_P(KindOfTokenizer, GivesTheIdsAndTextsOfItsOwnLibrary) {
    const std::string folder = folderOf(GetParam().name);
    const auto tokenizer = Tokenizer::fromFolder(folder);
    ASSERT_TRUE(tokenizer) << tokenizer.error().message;
    EXPECT_EQ(tokenizer->kind(), GetParam().kind);
    EXPECT_EQ(tokenizer->sourceFile(), GetParam().file);
    const std::vector<Json> golden = test::readLines(folder + "/golden.jsonl");
    ASSERT_GT(golden.size(), 100u);
    EXPECT_THAT(test::mismatches(*tokenizer, golden), IsEmpty());
    EXPECT_THAT(test::byteMismatches(*tokenizer, test::readLines(folder + "/invalid_utf8.jsonl")),
                IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(
    Own,
    KindOfTokenizer,
    ::testing::Values(Sample{"llama", Kind::CharacterBpe, "tokenizer.json"},
                      Sample{"gemma", Kind::CharacterBpe, "tokenizer.json"},
                      Sample{"metaspace-first", Kind::CharacterBpe, "tokenizer.json"},
                      Sample{"metaspace-always", Kind::CharacterBpe, "tokenizer.json"},
                      Sample{"metaspace-never", Kind::CharacterBpe, "tokenizer.json"},
                      Sample{"words", Kind::CharacterBpe, "tokenizer.json"},
                      Sample{"unigram", Kind::Unigram, "tokenizer.json"},
                      Sample{"unigram-bytes", Kind::Unigram, "tokenizer.json"},
                      Sample{"sp-bpe", Kind::SentencePieceBpe, "tokenizer.model"},
                      Sample{"sp-bpe-plain", Kind::SentencePieceBpe, "tokenizer.model"},
                      Sample{"sp-unigram", Kind::SentencePieceUnigram, "tokenizer.model"},
                      Sample{"sp-unigram-bytes", Kind::SentencePieceUnigram, "tokenizer.model"},
                      Sample{"ranks", Kind::Ranks, "tiktoken.model"},
                      Sample{"tekken", Kind::Ranks, "tekken.json"}),
    [](const auto& tested) {
        std::string name = tested.param.name;
        std::erase(name, '-');
        return name;
    });

// The keys that a converter writes for a SentencePiece model.
Json ggufOf(const SentencePieceSpec& spec) {
    Json tokens = Json::array();
    Json scores = Json::array();
    Json types = Json::array();
    for (const SentencePieceSpec::Piece& piece : spec.pieces) {
        tokens.push(piece.text);
        scores.push(static_cast<double>(piece.score));
        types.push(static_cast<int>(piece.type));
    }
    Json keys = Json::object();
    keys.set("tokenizer.ggml.model", "llama");
    keys.set("tokenizer.ggml.tokens", std::move(tokens));
    keys.set("tokenizer.ggml.scores", std::move(scores));
    keys.set("tokenizer.ggml.token_type", std::move(types));
    keys.set("tokenizer.ggml.bos_token_id", 1);
    keys.set("tokenizer.ggml.eos_token_id", 2);
    return keys;
}

TEST(KindOfTokenizer, ReadsASentencePieceModelFromGgufKeysAlike) {
    const auto bytes = readFile(folderOf("sp-bpe") + "/tokenizer.model");
    ASSERT_TRUE(bytes);
    const auto spec = parseSentencePiece(*bytes);
    ASSERT_TRUE(spec) << spec.error().message;
    const auto tokenizer = Tokenizer::fromGguf(ggufOf(*spec));
    ASSERT_TRUE(tokenizer) << tokenizer.error().message;
    EXPECT_EQ(tokenizer->kind(), Kind::SentencePieceBpe);
    EXPECT_THAT(test::mismatches(*tokenizer, test::readLines(folderOf("sp-bpe") + "/golden.jsonl")),
                IsEmpty());
    const auto ids = tokenizer->encode("<s>the<s>the", {Special::Parse, true});
    const auto word = tokenizer->encode("the", {});
    ASSERT_TRUE(ids && word);
    ASSERT_FALSE(word->empty());
    EXPECT_EQ(ids->size(), 3 + 2 * word->size());  // bos, and a space before each stretch
    EXPECT_EQ(tokenizer->find("<s>"), ids->front());
}

// A folder with one file, which is deleted again.
std::string errorFor(const std::string& name,
                     const std::string& content,
                     const LoadOptions& options = {}) {
    const std::string folder = ::testing::TempDir() + "kinds_" + std::to_string(::getpid());
    std::filesystem::create_directories(folder);
    EXPECT_TRUE(writeFile(folder + "/" + name, content));
    const auto tokenizer = Tokenizer::fromFolder(folder, options);
    std::filesystem::remove_all(folder);
    return tokenizer ? "loaded" : tokenizer.error().message;
}

TEST(RankFile, NamesAFamilyItDoesNotKnowAndTakesASplitInstead) {
    const auto ranks = readFile(folderOf("ranks") + "/tiktoken.model");
    ASSERT_TRUE(ranks);
    const std::string error = errorFor("other.tiktoken", *ranks);
    EXPECT_THAT(error, HasSubstr("other.tiktoken: nothing tells how these 600 ranks split texts"));
    EXPECT_THAT(error, HasSubstr("families.json"));
    LoadOptions options;
    options.split = "kimi-k2";
    EXPECT_EQ(errorFor("other.tiktoken", *ranks, options), "loaded");
    options.split = "klingon";
    EXPECT_THAT(errorFor("other.tiktoken", *ranks, options),
                HasSubstr("split 'klingon' is not known"));
}

TEST(RankFile, NamesTheDamagedLine) {
    EXPECT_THAT(errorFor("a.tiktoken", "IQ== 0\nIg== x\n"), HasSubstr("line 2 is 'Ig== x'"));
    EXPECT_THAT(errorFor("a.tiktoken", "IQ== 0\n!! 1\n"), HasSubstr("line 2 is '!! 1'"));
    EXPECT_THAT(errorFor("a.tiktoken", "IQ== 0\nIQ== 1\n"), HasSubstr("rank 1 has rank 0 too"));
    EXPECT_THAT(errorFor("a.tiktoken", "IQ== 0\n"), HasSubstr("no token for the byte 0x00"));
}

TEST(SentencePieceFile, NamesWhereItBreaksOff) {
    const auto bytes = readFile(folderOf("sp-bpe") + "/tokenizer.model");
    ASSERT_TRUE(bytes);
    EXPECT_THAT(errorFor("tokenizer.model", bytes->substr(0, bytes->size() / 2)),
                HasSubstr("breaks off at byte"));
    EXPECT_THAT(errorFor("tokenizer.model", std::string("\x0A\x02\x0A\x00", 4)),
                HasSubstr("piece 0 is empty"));
    EXPECT_THAT(errorFor("tokenizer.model",
                         "\x0A\x05\x0A\x01"
                         "a\x18\x07"),
                HasSubstr("type 7"));
    EXPECT_THAT(errorFor("tokenizer.model",
                         "\x0A\x03\x0A\x01"
                         "a\x12\x02\x18\x03"),
                HasSubstr("model_type 3"));
}

TEST(Tekken, NamesWhatItsConfigLacks) {
    EXPECT_THAT(errorFor("tekken.json", R"({"config":{"pattern":"a"},"vocab":[]})"),
                HasSubstr("-1 special tokens"));
    EXPECT_THAT(
        errorFor(
            "tekken.json",
            R"({"config":{"pattern":"a","default_num_special_tokens":3,"default_vocab_size":9},"vocab":[{"rank":0}]})"),
        HasSubstr("without rank or token_bytes"));
}

TEST(LongRuns, AreCutWhereKimiCutsThem) {
    const auto parts = [](std::string_view text, std::int64_t run, std::int64_t whole) {
        std::vector<std::string> out;
        EXPECT_TRUE(cutLongRuns(text, run, whole, [&](std::string_view part) -> Status {
            out.emplace_back(part);
            return Done{};
        }));
        return out;
    };
    EXPECT_THAT(parts("aaaaa bb", 3, 0), ElementsAre("aaa", "aa bb"));
    EXPECT_THAT(parts("aaa   bbb", 3, 0), ElementsAre("aaa   bbb"));
    EXPECT_THAT(parts("a\u3000\u00a0 \n\tb", 3, 0), ElementsAre("a\u3000\u00a0 ", "\n\tb"));
    EXPECT_THAT(parts("abcdefgh", 3, 4), ElementsAre("abc", "d", "efg", "h"));
    EXPECT_THAT(parts("", 3, 4), IsEmpty());
}

}  // namespace
}  // namespace fl::tokenizer
