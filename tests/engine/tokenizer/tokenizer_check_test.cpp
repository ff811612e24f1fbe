// SPDX-License-Identifier: Apache-2.0
// Covers: engine/tokenizer/tokenizer_check_json.cpp
// Covers: engine/tokenizer/tokenizer_check_config.cpp
// Covers: engine/tokenizer/tokenizer_check_gguf.cpp
// Covers: engine/tokenizer/template_check.cpp
#include "engine/tokenizer/tokenizer_check.h"

#include <fstream>

#include <gtest/gtest.h>

#include "engine/base/text.h"
#include "engine/tokenizer/byte_alphabet.h"
#include "tests/support/findings.h"
#include "tests/support/temp_dir.h"

namespace fl::tokenizer {

using test::codes;

// Bytes 0…255, "ab" as 256, "<s>" as 257; 258 rows.
static Json goodTokenizer() {
    Json vocabulary = Json::object();
    for (int byte = 0; byte < 256; ++byte)
        vocabulary.append(byteSpelling(static_cast<unsigned char>(byte)), byte);
    vocabulary.append("ab", 256);
    Json model = Json::object();
    model.set("type", "BPE")
        .set("vocab", vocabulary)
        .set("merges", *Json::parse(R"([["a", "b"]])"));
    Json file = *Json::parse(R"({"version": "1.0", "pre_tokenizer": {"type": "ByteLevel"},
        "decoder": {"type": "ByteLevel"}, "added_tokens": [{"id": 257, "content": "<s>"}]})");
    file.set("model", model);
    return file;
}

static std::vector<Finding> checked(const Json& file) {
    return checkTokenizerJson(file, {258, Json()});
}

static Finding only(const std::vector<Finding>& findings) {
    EXPECT_EQ(findings.size(), 1U) << codes(findings);
    return findings.empty() ? Finding{} : findings.front();
}

static Json withModel(const char* key, Json value) {
    Json file = goodTokenizer();
    Json model = file["model"];
    model.set(key, std::move(value));
    file.set("model", model);
    return file;
}

static Json withToken(const char* token, Json id) {
    Json vocabulary = goodTokenizer()["model"]["vocab"];
    vocabulary.set(token, std::move(id));
    return withModel("vocab", vocabulary);
}

TEST(TokenizerCheck, AGoodTokenizerPasses) {
    EXPECT_EQ(codes(checked(goodTokenizer())), "");
}

TEST(TokenizerCheck, EveryTokenHasAnIdOfItsOwnWithinTheEmbedding) {
    EXPECT_EQ(only(checked(withToken("zz", 300))).found, "300");
    EXPECT_EQ(only(checked(withToken("zz", 300))).expected, "< 258");
    EXPECT_EQ(only(checked(withToken("zz", -1))).expected, ">= 0");
    EXPECT_EQ(only(checked(withToken("zz", 1.5))).expected, "an integer");
    Json file = withToken("ab", 255);
    const Finding twice = only(checked(file));
    EXPECT_EQ(twice.key, "model.vocab.ab");
    EXPECT_EQ(twice.expected, "256") << "the id that nobody has";
    EXPECT_EQ(twice.found.substr(0, 10), "255, taken");
}

TEST(TokenizerCheck, AFolderWithoutOneIsAWarningUnlessItHasAnotherForm) {
    const test::TempDir folder;
    const auto missing = checkTokenizerFiles(folder.path(), {}).findings;
    ASSERT_EQ(missing.size(), 1U);
    EXPECT_EQ(missing[0].code, "tokenizer-missing");
    EXPECT_EQ(missing[0].severity, Severity::Warning);
    EXPECT_EQ(missing[0].file, "tokenizer.json");
    std::ofstream(folder / "tiktoken.model") << "IQ== 0";
    EXPECT_TRUE(checkTokenizerFiles(folder.path(), {}).findings.empty());
}

TEST(TokenizerCheck, AHoleIsAWarningAndAMissingByteAnError) {
    Json vocabulary = Json::object();
    const Json whole = goodTokenizer()["model"]["vocab"];
    for (const auto& [token, id] : whole.members()) {
        if (id.integer() != 10)
            vocabulary.append(token, id);
    }
    const auto found = checked(withModel("vocab", vocabulary));
    ASSERT_EQ(codes(found), "tokenizer-vocabulary, tokenizer-vocabulary");
    EXPECT_EQ(found[0].key, "model.vocab." + byteSpelling(10));
    EXPECT_EQ(found[0].found, "255");
    EXPECT_EQ(found[1].severity, Severity::Warning);
    EXPECT_EQ(found[1].expected, "id 10");
}

TEST(TokenizerCheck, AByteThatNoIdIsFreeForWasNeverThere) {
    Json vocabulary = Json::object();
    const Json whole = goodTokenizer()["model"]["vocab"];
    for (const auto& [token, id] : whole.members()) {
        if (id.integer() != 10)
            vocabulary.append(token, id.integer() == 256 ? Json(10) : id);
    }
    Json file = withModel("vocab", vocabulary);
    file.set("added_tokens", *Json::parse(R"([{"id": 256, "content": "<s>"}])"));
    const Finding found = only(checkTokenizerJson(file, {257, Json()}));
    EXPECT_EQ(found.key, "model.vocab." + byteSpelling(10));
    EXPECT_EQ(found.severity, Severity::Warning);
}

TEST(TokenizerCheck, MergesJoinTokensToATokenOnce) {
    const auto merges = [](const char* text) {
        return checked(withModel("merges", *Json::parse(text)));
    };
    EXPECT_EQ(only(merges(R"([{"a": "a", "b": "b"}])")).code, "tokenizer-merge");
    EXPECT_EQ(only(merges(R"([["a"]])")).found, "1");
    EXPECT_EQ(only(merges(R"(["ab"])")).found, "1");
    EXPECT_EQ(only(merges(R"([[1, 2]])")).found, "numbers");
    EXPECT_EQ(only(merges(R"(["a b", ["a", "b"]])")).severity, Severity::Warning);
    EXPECT_EQ(only(merges(R"([["a", "zz"]])")).found, "zz");
    const Finding result = only(merges(R"([["a", "b"], ["b", "a"]])"));
    EXPECT_EQ(result.key, "model.merges.1");
    EXPECT_EQ(result.expected, "ba in the vocabulary");
    EXPECT_EQ(only(merges("\"a b\"")).key, "model.merges");
}

TEST(TokenizerCheck, AddedTokensAreDistinctAndAgreeWithTheVocabulary) {
    const auto added = [](const char* text) {
        Json file = goodTokenizer();
        file.set("added_tokens", *Json::parse(text));
        return checked(file);
    };
    EXPECT_EQ(only(added(R"([{"id": 999, "content": "<x>"}])")).key, "added_tokens.0.id");
    EXPECT_EQ(only(added(R"([{"id": 257, "content": "x1"}, {"id": 257, "content": "x2"}])")).key,
              "added_tokens.1.id");
    EXPECT_EQ(only(added(R"([{"id": 257, "content": ""}])")).found, "empty");
    EXPECT_EQ(only(added(R"([{"id": 257}])")).found, "absent");
    const Finding other = only(added(R"([{"id": 257, "content": "ab"}])"));
    EXPECT_EQ(other.key, "added_tokens.0");
    EXPECT_EQ(other.expected, "id 256");
}

TEST(TokenizerCheck, UnknownPartsAreErrorsAndUncomputedOnesWarnings) {
    const auto part = [](const char* key, const char* text) {
        Json file = goodTokenizer();
        file.set(key, *Json::parse(text));
        return checked(file);
    };
    EXPECT_EQ(only(part("normalizer", R"({"type": "NoSuch"})")).key, "normalizer.type");
    EXPECT_EQ(only(part("normalizer", R"({"type": "BertNormalizer"})")).severity,
              Severity::Warning);
    EXPECT_EQ(codes(part("normalizer", R"({"type": "Lowercase"})")), "");
    EXPECT_EQ(only(part("pre_tokenizer", "null")).expected, "ByteLevel");
    EXPECT_EQ(only(part("version", "\"2.0\"")).expected, "1.0");
    EXPECT_EQ(only(part("x", "1")).severity, Severity::Warning);
    const auto pattern = [&part](const char* regex) {
        return part("pre_tokenizer", (std::string(R"({"type": "Sequence", "pretokenizers": [
            {"type": "ByteLevel"}, {"type": "Split", "pattern": {"Regex": ")") +
                                      regex + "\"}}]}")
                                         .c_str());
    };
    EXPECT_EQ(only(pattern("(")).severity, Severity::Error);
    EXPECT_EQ(only(pattern("(a+)+$")).severity, Severity::Warning);
    EXPECT_EQ(codes(pattern("(?:a+)?b|[(+]+")), "");
}

// What loads and gives the ids of its library is not said to be unknown.
TEST(TokenizerCheck, KindsThatAreComputedAreNotWarnedOf) {
    const std::string kinds =
        std::string(std::getenv("FIRSTLIGHT_TEST_DATA")) + "/tokenizer/kinds/";
    for (const char* name :
         {"gemma", "llama", "metaspace-always", "unigram", "unigram-bytes", "words"}) {
        const auto file = Json::parseFile(kinds + name + "/tokenizer.json");
        ASSERT_TRUE(file) << file.error().message;
        for (const Finding& finding : checkTokenizerJson(*file, {}))
            EXPECT_NE(finding.code, "tokenizer-unsupported") << name << ": " << finding.message;
    }
}

TEST(TokenizerConfigCheck, SpecialTokensAreTokens) {
    const auto config = [](const char* text, Json eos) {
        return checkTokenizerConfig(*Json::parse(text), goodTokenizer(),
                                    {258, {}, std::move(eos), {}});
    };
    EXPECT_EQ(codes(config(R"({"eos_token": {"content": "<s>"}})", 257)), "");
    EXPECT_EQ(only(config(R"({"bos_token": "<nosuch>"})", 257)).key, "bos_token");
    const Finding other = only(config(R"({"eos_token": "ab"})", 257));
    EXPECT_EQ(other.severity, Severity::Warning);
    EXPECT_EQ(other.expected, "<s> (config.json: 257)");
    EXPECT_EQ(codes(config(R"({"eos_token": "ab"})", *Json::parse(R"({"a": 1})"))), "");
    EXPECT_EQ(only(config(R"({"model_max_length": 0})", Json())).severity, Severity::Warning);
    EXPECT_EQ(codes(config(R"({"model_max_length": 1e30})", Json())), "");
    EXPECT_EQ(only(config(R"({"tokenizer_class": "NoSuchTokenizer"})", Json())).severity,
              Severity::Warning);
    EXPECT_EQ(only(config(R"({"chat_template": 1})", Json())).found, "1");
}

TEST(TemplateCheck, ATemplateParsesAndHasAnEnd) {
    const auto check = [](const char* text) { return checkTemplate(text, "f", "chat_template"); };
    EXPECT_EQ(codes(check("{% for m in messages %}{{ m['content'] }}{% endfor %}")), "");
    EXPECT_EQ(codes(check("{{ raise_exception('no system message') }}")), "")
        << "a template may refuse";
    for (const char* bad :
         {"{% for m in messages %}{{ m }}", "{{ messages | nosuch }}",
          "{% for i in range(10**12) %}x{% endfor %}",
          "{% for a in range(9999) %}{% for b in range(9999) %}x{% endfor %}{% endfor %}",
          "{% include '/etc/passwd' %}", "{{ messages.__class__.__mro__ }}"}) {
        const Finding finding = only(check(bad));
        EXPECT_EQ(finding.code, "chat-template") << bad;
        EXPECT_EQ(finding.severity, Severity::Error);
        EXPECT_FALSE(finding.found.empty());
    }
}

TEST(TokenizerFilesCheck, EachFileIsReadAndNamed) {
    const test::TempDir folder;
    ASSERT_TRUE(writeFile(folder.path() + "/tokenizer.json", goodTokenizer().dump()));
    ASSERT_TRUE(writeFile(folder.path() + "/tokenizer_config.json", R"({"eos_token": "<s>"})"));
    ASSERT_TRUE(
        writeFile(folder.path() + "/generation_config.json", R"({"eos_token_id": [257, 999]})"));
    ASSERT_TRUE(writeFile(folder.path() + "/special_tokens_map.json", R"({"pad_token": "<pad>"})"));
    const auto found = checkTokenizerFiles(folder.path(), {258, {}, 257, {}}).findings;
    ASSERT_EQ(codes(found), "chat-template, token-unknown, token-unknown");
    EXPECT_EQ(found[0].found, "absent");
    EXPECT_EQ(found[1].file, "special_tokens_map.json");
    EXPECT_EQ(found[2].file, "generation_config.json");
    EXPECT_EQ(found[2].found, "999");
    ASSERT_TRUE(writeFile(folder.path() + "/chat_template.jinja", "{{ messages[0].content }}"));
    ASSERT_TRUE(writeFile(folder.path() + "/tokenizer.json", "{"));
    EXPECT_EQ(checkTokenizerFiles(folder.path(), {258, {}, 257, {}}).findings[0].code,
              "tokenizer-json");
    EXPECT_EQ(codes(checkTokenizerFiles(folder.path() + "/none", {258, {}, 257, {}}).findings),
              "tokenizer-missing");
}

static Json goodGguf() {
    return *Json::parse(R"({"tokenizer.ggml.model": "gpt2", "tokenizer.ggml.pre": "default",
        "tokenizer.ggml.tokens": ["a", "b", "ab"], "tokenizer.ggml.token_type": [1, 1, 3],
        "tokenizer.ggml.merges": ["a b"], "tokenizer.ggml.eos_token_id": 2})");
}

TEST(TokenizerGgufCheck, ArraysFitTheEmbeddingAndEachOther) {
    EXPECT_EQ(codes(checkTokenizerGguf(goodGguf(), "m.gguf", 3)), "");
    const auto with = [](const char* key, const char* value) {
        Json metadata = goodGguf();
        metadata.set(std::string("tokenizer.ggml.") + key, *Json::parse(value));
        return checkTokenizerGguf(metadata, "m.gguf", 3);
    };
    EXPECT_EQ(checkTokenizerGguf(goodGguf(), "m.gguf", 4)[0].expected, "4");
    EXPECT_EQ(only(with("token_type", "[1]")).found, "1");
    EXPECT_EQ(only(with("token_type", "[1, 1, 99]")).found, "99");
    EXPECT_EQ(only(with("scores", "[0.5]")).expected, "3");
    EXPECT_EQ(only(with("merges", R"(["ab"])")).severity, Severity::Error);
    EXPECT_EQ(only(with("merges", R"(["a zz"])")).severity, Severity::Warning);
    EXPECT_EQ(only(with("padding_token_id", "3")).expected, "< 3");
    EXPECT_EQ(codes(with("padding_token_id", "4294967295")), "") << "none";
    EXPECT_EQ(only(with("pre", R"("nosuch")")).key, "tokenizer.ggml.pre");
    EXPECT_EQ(with("tokens", R"(["a", "b", "ab", "c"])")[0].found, "4");
}

TEST(TokenizerGgufCheck, KindsAndDuplicatesAreNamed) {
    Json metadata = goodGguf();
    metadata.set("tokenizer.ggml.tokens", *Json::parse("[1, 2, 3]"));
    EXPECT_EQ(checkTokenizerGguf(metadata, "m.gguf", 3)[0].expected, "strings");
    metadata = goodGguf();
    metadata.set("tokenizer.ggml.tokens", *Json::parse(R"(["a", "b", "a"])"));
    metadata.set("tokenizer.ggml.merges", *Json::parse("[]"));
    EXPECT_EQ(only(checkTokenizerGguf(metadata, "m.gguf", 3)).found, "a twice (0 and 2)");
    metadata = goodGguf();
    metadata.set("tokenizer.chat_template", 1);
    EXPECT_EQ(only(checkTokenizerGguf(metadata, "m.gguf", 3)).code, "chat-template");
}

}  // namespace fl::tokenizer
