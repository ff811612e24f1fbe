// SPDX-License-Identifier: Apache-2.0
// The keys tokenizer.* of GGUF (ggml docs/gguf.md; names of models and splits as llama.cpp has
// them).
#include <algorithm>
#include <array>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include <fmt/core.h>

#include "engine/base/paths.h"
#include "engine/base/text.h"
#include "engine/tokenizer/check_report.h"
#include "engine/tokenizer/tokenizer_check.h"

namespace fl::tokenizer {

namespace {

using Words = std::vector<std::string>;

constexpr const char* kTokens = "tokenizer.ggml.tokens";
constexpr const char* kMerges = "tokenizer.ggml.merges";
constexpr std::int64_t kMaxType = 6;  // llama_token_type: undefined … byte

std::string_view kindOf(const Json& value) {
    return value.isString() ? "string" : value.isInteger() ? "integer" : value.kindName();
}

class GgufCheck {
public:
    GgufCheck(const Json& metadata, const std::string& fileName, std::int64_t rows)
        : metadata_(metadata),
          rows_(rows),
          fileName_(fileName),
          report_(fileName) {}

    std::vector<Finding> run() {
        model();
        tokens();
        perToken("tokenizer.ggml.token_type");
        perToken("tokenizer.ggml.scores");
        types();
        if (metadata_["tokenizer.ggml.model"].string() == "gpt2") {
            merges();
            preTokenizer();
        }
        for (const auto& [key, value] : metadata_.members()) {
            if (key.starts_with("tokenizer.ggml.") && key.ends_with("_token_id"))
                id(key, value);
        }
        chatTemplate();
        return report_.take();
    }

private:
    Finding& wrong(const char* code,
                   const std::string& key,
                   std::string_view what,
                   std::string expected,
                   std::string found) {
        Finding& finding = report_.wrong(code, key, what, std::move(expected), std::move(found));
        finding.remedy = "convert the model again with a current converter";
        return finding;
    }

    void model() {
        static const Words kKnown = {"gpt2",   "llama",  "bert", "t5",      "rwkv",
                                     "plamo2", "gemma4", "none", "no_vocab"};
        constexpr const char* kKey = "tokenizer.ggml.model";
        const Json* const value = metadata_.find(kKey);
        const std::string word = value ? value->string() : "";
        if (std::find(kKnown.begin(), kKnown.end(), word) == kKnown.end()) {
            Finding& unknown =
                wrong("tokenizer-value", kKey, "names no known tokenizer",
                      "one of " + join(kKnown, ", "), value ? foundText(*value) : "absent");
            if (!value)
                unknown.severity = Severity::Warning;
        } else if (word != "gpt2" && word != "llama") {
            wrong("tokenizer-unsupported", kKey,
                  "is one that this version does not compute: only ids go in and out",
                  "gpt2 or llama", word)
                .severity = Severity::Warning;
        }
    }

    void tokens() {
        const Json* const list = metadata_.find(kTokens);
        const std::string rows = rows_ > 0 ? std::to_string(rows_) : "present";
        if (!list || !list->isArray()) {
            wrong("tokenizer-vocabulary", kTokens, "is no list of tokens", rows,
                  list ? std::string(kindOf(*list)) : "absent");
            return;
        }
        count_ = std::ssize(list->items());
        if (rows_ > 0 && count_ != rows_)
            wrong("tokenizer-vocabulary", kTokens, "does not fit the embedding", rows,
                  std::to_string(count_));
        std::int64_t id = 0;
        for (const Json& token : list->items()) {
            if (!token.isString()) {
                wrong("tokenizer-vocabulary", kTokens, "holds what is no text", "strings",
                      std::string(kindOf(token)));
                return;
            }
            const auto [at, isNew] = ids_.emplace(token.string(), id++);
            if (!isNew)
                wrong("tokenizer-vocabulary", kTokens, "holds a token twice", "distinct tokens",
                      fmt::format("{} twice ({} and {})", foundText(token), at->second, id - 1));
        }
    }

    // A list of one value for each token.
    void perToken(const char* key) {
        const Json* const list = metadata_.find(key);
        if (!list || count_ == 0)
            return;
        if (!list->isArray() || std::ssize(list->items()) != count_)
            wrong("tokenizer-vocabulary", key, "is not one value for each token",
                  std::to_string(count_),
                  list->isArray() ? std::to_string(list->size()) : std::string(kindOf(*list)));
    }

    void types() {
        for (const Json& type : metadata_["tokenizer.ggml.token_type"].items()) {
            if (type.isInteger() && type.integer() >= 0 && type.integer() <= kMaxType)
                continue;
            wrong("tokenizer-vocabulary", "tokenizer.ggml.token_type", "holds no kind of token",
                  fmt::format("0..{}", kMaxType), foundText(type));
            return;
        }
    }

    void merges() {
        const Json* const list = metadata_.find(kMerges);
        if (!list || !list->isArray()) {
            wrong("tokenizer-merge", kMerges, "is no list, and gpt2 needs one", "present for gpt2",
                  list ? std::string(kindOf(*list)) : "absent");
            return;
        }
        for (const Json& merge : list->items()) {
            const std::string& line = merge.string();
            const std::size_t space = line.find(' ', 1);
            if (line.empty() || space == std::string::npos || space + 1 == line.size()) {
                wrong("tokenizer-merge", kMerges, "holds what is no pair of tokens", "two words",
                      foundText(merge));
            } else if (!ids_.empty() && (!ids_.contains(line.substr(0, space)) ||
                                         !ids_.contains(line.substr(space + 1)))) {
                wrong("tokenizer-merge", kMerges, "joins what is no token", "known tokens", line)
                    .severity = Severity::Warning;
            }
        }
    }

    void preTokenizer() {
        constexpr const char* kKey = "tokenizer.ggml.pre";
        const Json* const value = metadata_.find(kKey);
        const auto table = Json::parseFile(resourcesDir() + "/tokenizers/pre.json");
        Words known;
        const Json splits = table ? (*table)["splits"] : Json();
        for (const Json& entry : splits.items()) {
            for (const Json& name : entry["names"].items())
                known.push_back(name.string());
        }
        if (!value) {
            wrong("tokenizer-value", kKey,
                  "is missing: texts are split by the default, which may "
                  "give other ids than the model was trained with",
                  "present for gpt2", "absent")
                .severity = Severity::Warning;
        } else if (std::find(known.begin(), known.end(), value->string()) == known.end()) {
            wrong("tokenizer-value", kKey,
                  "names no known way to split texts" + nearest(value->string(), known),
                  "a known pre-tokenizer", foundText(*value))
                .remedy = "add it to resources/tokenizers/pre.json, or convert the model again";
        }
    }

    void id(const std::string& key, const Json& value) {
        if (value.isInteger() && value.integer() >= 0 && (count_ == 0 || value.integer() < count_))
            return;
        // Converters write the largest number for "none".
        if (value.integer() == 0xFFFFFFFF || value.integer() == -1)
            return;
        wrong("token-unknown", key, "is no token",
              count_ > 0 ? fmt::format("< {}", count_) : "an id", foundText(value));
    }

    void chatTemplate() {
        constexpr const char* kKey = "tokenizer.chat_template";
        const Json* const value = metadata_.find(kKey);
        if (!value)
            return;
        if (!value->isString())
            wrong("chat-template", kKey, "is no text", "a string", std::string(kindOf(*value)));
        else
            report_.append(checkTemplate(value->string(), fileName_, kKey));
    }

    const Json& metadata_;
    std::int64_t rows_;
    std::string fileName_;
    CheckReport report_;
    std::int64_t count_ = 0;
    std::unordered_map<std::string, std::int64_t> ids_;
};

}  // namespace

std::vector<Finding> checkTokenizerGguf(const Json& metadata,
                                        const std::string& fileName,
                                        std::int64_t embeddingRows) {
    return folded(GgufCheck(metadata, fileName, embeddingRows).run());
}

}  // namespace fl::tokenizer
