// SPDX-License-Identifier: Apache-2.0
// tokenizer.json, format of the tokenizers library 0.23.
#include <algorithm>
#include <array>
#include <unordered_map>
#include <unordered_set>

#include <fmt/core.h>

#include "engine/base/text.h"
#include "engine/tokenizer/byte_alphabet.h"
#include "engine/tokenizer/check_report.h"
#include "engine/tokenizer/pattern.h"
#include "engine/tokenizer/tokenizer_check.h"

namespace fl::tokenizer {

namespace {

using Words = std::vector<std::string>;

// Of each list: what the library has, and what of it this version computes.
struct Known {
    Words all;
    Words ours;
};

const Known& modelTypes() {
    static const Known kKnown = {{"BPE", "Unigram", "WordPiece", "WordLevel"}, {"BPE", "Unigram"}};
    return kKnown;
}

const Known& normalizers() {
    static const Known kKnown = {
        {"NFC", "NFD", "NFKC", "NFKD", "Sequence", "Lowercase", "Strip", "StripAccents", "Replace",
         "Prepend", "BertNormalizer", "Nmt", "Precompiled", "ByteLevel"},
        {"NFC", "NFD", "NFKC", "NFKD", "Sequence", "Lowercase", "Strip", "StripAccents", "Replace",
         "Prepend", "Nmt", "Precompiled"}};
    return kKnown;
}

const Known& preTokenizers() {
    static const Known kKnown = {
        {"ByteLevel", "Split", "Sequence", "Digits", "Punctuation", "Whitespace", "WhitespaceSplit",
         "BertPreTokenizer", "Metaspace", "CharDelimiterSplit", "UnicodeScripts", "FixedLength"},
        {"ByteLevel", "Split", "Sequence", "Digits", "Punctuation", "Metaspace", "Whitespace",
         "WhitespaceSplit"}};
    return kKnown;
}

const Known& decoders() {
    static const Known kKnown = {
        {"ByteLevel", "Sequence", "Replace", "WordPiece", "ByteFallback", "Fuse", "Strip",
         "Metaspace", "BPEDecoder", "CTC"},
        {"ByteLevel", "Sequence", "Replace", "ByteFallback", "Fuse", "Strip", "Metaspace"}};
    return kKnown;
}

const Known& postProcessors() {
    static const Known kKnown = {
        {"ByteLevel", "Sequence", "TemplateProcessing", "BertProcessing", "RobertaProcessing"},
        {"ByteLevel", "Sequence", "TemplateProcessing", "BertProcessing", "RobertaProcessing"}};
    return kKnown;
}

bool has(const Words& words, const std::string& word) {
    return std::find(words.begin(), words.end(), word) != words.end();
}

// A quantified group that holds an unbounded quantifier, "(a+)+": some texts then take
// exponential time.
bool canExplode(std::string_view pattern) {
    std::vector<bool> unbounded(1, false);  // by open group
    bool inClass = false;
    for (std::size_t i = 0; i < pattern.size(); ++i) {
        const char c = pattern[i];
        const char next = i + 1 < pattern.size() ? pattern[i + 1] : '\0';
        if (c == '\\') {
            ++i;
        } else if (inClass) {
            inClass = c != ']';
        } else if (c == '[') {
            inClass = true;
        } else if (c == '(') {
            unbounded.push_back(false);
        } else if (c == ')' && unbounded.size() > 1) {
            const bool inner = unbounded.back();
            unbounded.pop_back();
            const bool repeated = next == '+' || next == '*';
            if (inner && repeated && (i + 2 >= pattern.size() || pattern[i + 2] != '+'))
                return true;
            unbounded.back() = unbounded.back() || inner;
        } else if (c == '+' || c == '*') {
            unbounded.back() = true;
        }
    }
    return false;
}

class JsonCheck {
public:
    JsonCheck(const Json& file, const ModelIds& model)
        : file_(file),
          model_(file["model"]),
          rows_(model.embeddingRows) {}

    std::vector<Finding> run() {
        frame();
        if (!object(file_.find("model"), "model"))
            return report_.take();
        part(model_, "model", modelTypes(), true);
        vocabulary();
        byteAlphabet();
        if (model_["type"].string() == "BPE" || !model_.find("type"))
            merges();
        if (const std::string& unknown = model_["unk_token"].string();
            !unknown.empty() && !ids_.contains(unknown))
            report_.wrong("tokenizer-value", "model.unk_token", "is no token", "in the vocabulary",
                          unknown);
        addedTokens();
        pipeline();
        return report_.take();
    }

private:
    void odd(const char* code,
             const std::string& key,
             std::string_view what,
             std::string expected,
             std::string found) {
        Finding& finding = report_.wrong(code, key, what, std::move(expected), std::move(found));
        finding.severity = Severity::Warning;
    }

    bool object(const Json* value, const std::string& key) {
        if (value && value->isObject())
            return true;
        report_.wrong("tokenizer-value", key, "is no object", "an object",
                      value ? foundText(*value) : "absent");
        return false;
    }

    void frame() {
        static const Words kKeys = {"version",        "truncation", "padding",
                                    "added_tokens",   "normalizer", "pre_tokenizer",
                                    "post_processor", "decoder",    "model"};
        const Json* const version = file_.find("version");
        if (version && version->string() != "1.0")
            report_.wrong("tokenizer-value", "version", "is none that is known", "1.0",
                          foundText(*version));
        for (const auto& [key, value] : file_.members()) {
            if (has(kKeys, key))
                continue;
            const std::string name = key.size() > 100 ? key.substr(0, 40) + "…" : key;
            odd("tokenizer-value", name, "is no key of the format", "no unknown key",
                key.size() > 100 ? fmt::format("key of {} bytes", key.size()) : key);
        }
    }

    // A part of the pipeline that has a type.
    void part(const Json& value, const std::string& path, const Known& known, bool mayLackType) {
        const std::string key = path + ".type";
        const Json* const type = value.find("type");
        if (!type && mayLackType)
            return odd("tokenizer-value", key, "is missing, BPE is assumed", "BPE", "absent");
        const std::string word = type ? type->string() : "";
        if (!has(known.all, word)) {
            report_.wrong("tokenizer-value", key, "is unknown" + nearest(word, known.all),
                          "one of " + join(known.all, ", "), type ? foundText(*type) : "absent");
        } else if (!has(known.ours, word)) {
            odd("tokenizer-unsupported", key,
                "is one that this version does not compute: only ids go in and out",
                "one of " + join(known.ours, ", "), word);
        }
    }

    // Tokens that are added have their ids behind those of the vocabulary.
    std::string wantedTokens() const {
        std::int64_t first = rows_;
        for (const Json& added : file_["added_tokens"].items())
            first = std::min(first, added["id"].integer(first));
        return first > 0 ? fmt::format("an object with {} entries", first)
                         : "an object with tokens";
    }

    void vocabulary() {
        const Json* const table = model_.find("vocab");
        if (model_["type"].string() == "Unigram")
            return;
        if (!table || !table->isObject() || table->size() == 0) {
            report_.wrong("tokenizer-vocabulary", "model.vocab", "holds no tokens", wantedTokens(),
                          !table              ? "absent"
                          : table->isObject() ? "0"
                                              : foundText(*table));
            return;
        }
        ids_.reserve(table->size());
        for (const auto& [token, id] : table->members())
            vocabularyEntry(token, id);
        for (const Json& added : file_["added_tokens"].items())
            taken_.try_emplace(added["id"].integer(-1), added["content"].string());
        holes();
    }

    void vocabularyEntry(const std::string& token, const Json& id) {
        const std::string key = "model.vocab." + printable(token);
        ids_.emplace(token, id.integer(-1));
        if (!id.isInteger() || id.integer() < 0) {
            report_.wrong("tokenizer-vocabulary", key, "has no id",
                          id.isInteger() ? ">= 0" : "an integer",
                          id.isString() ? "a string: " + id.string() : foundText(id));
            return;
        }
        const std::int64_t number = id.integer();
        if (rows_ > 0 && number >= rows_) {
            report_.wrong("tokenizer-vocabulary", key, "has an id past the embedding",
                          fmt::format("< {}", rows_), std::to_string(number));
            return;
        }
        const auto [at, isNew] = taken_.try_emplace(number, token);
        if (!isNew)
            twice_.emplace_back(token, number);
    }

    // Ids below the largest that no token has; a token whose id is taken should have one of them.
    void holes() {
        std::vector<std::int64_t> free;
        std::int64_t largest = -1;
        for (const auto& [id, token] : taken_)
            largest = rows_ == 0 || id < rows_ ? std::max(largest, id) : largest;
        const std::int64_t end = std::min<std::int64_t>(largest, 4 * std::ssize(taken_) + 1000);
        for (std::int64_t id = 0; id < end && free.size() < 1000; ++id) {
            if (!taken_.contains(id))
                free.push_back(id);
        }
        std::size_t used = 0;
        for (const auto& [token, id] : twice_) {
            report_.wrong("tokenizer-vocabulary", "model.vocab." + printable(token),
                          "has an id that another token has",
                          used < free.size() ? std::to_string(free[used]) : "an id of its own",
                          fmt::format("{}, taken by {}", id, printable(taken_[id])));
            ++used;
        }
        hasHoles_ = free.size() > used;
        if (hasHoles_)
            odd("tokenizer-vocabulary", "model.vocab", "has ids without a token",
                fmt::format("id {}", free[used]),
                free.size() - used == 1 ? "absent" : fmt::format("{} absent", free.size() - used));
    }

    bool usesByteLevel(const Json& value, const char* list) const {
        if (value["type"].string() == "ByteLevel")
            return true;
        const auto& parts = value[list].items();
        return std::any_of(parts.begin(), parts.end(),
                           [](const Json& each) { return each["type"].string() == "ByteLevel"; });
    }

    // Bytes that UTF-8 never uses may be without a token. Another one was lost if ids are free that
    // it may have had; else the vocabulary was trained on texts without it, and such bytes of a
    // text are dropped (SmolLM2 lacks eight).
    void byteAlphabet() {
        isByteLevel_ = usesByteLevel(file_["pre_tokenizer"], "pretokenizers") ||
                       usesByteLevel(file_["decoder"], "decoders");
        if (!isByteLevel_ || ids_.empty())
            return;
        Words missing;
        for (int byte = 0; byte < 256; ++byte) {
            const bool never = byte == 0xC0 || byte == 0xC1 || byte >= 0xF5;
            std::string spelling = byteSpelling(static_cast<unsigned char>(byte));
            if (!never && !ids_.contains(spelling))
                missing.push_back(std::move(spelling));
        }
        if (missing.empty())
            return;
        Finding& finding = report_.wrong("tokenizer-vocabulary", "model.vocab." + missing.front(),
                                         "is missing: texts with this byte have no ids",
                                         "all 256 bytes", std::to_string(256 - missing.size()));
        if (hasHoles_)
            return;
        finding.severity = Severity::Warning;
        finding.remedy = "none needed: no id is free, so the model was trained without it";
    }

    void merges() {
        const Json* const list = model_.find("merges");
        if (!list || !list->isArray()) {
            report_.wrong("tokenizer-merge", "model.merges", "is no list", "a list",
                          list ? foundText(*list) : "absent");
            return;
        }
        std::unordered_set<std::string> seen;
        seen.reserve(list->size());
        std::string joined;
        std::size_t index = 0;
        for (const Json& each : list->items()) {
            const std::string key = fmt::format("model.merges.{}", index++);
            std::string_view left;
            std::string_view right;
            if (!mergeParts(key, each, left, right))
                continue;
            joined.assign(left).append(" ").append(right);
            if (!seen.insert(joined).second)
                odd("tokenizer-merge", key, "appears twice", "once", "twice");
            joined.assign(left).append(right);
            for (const std::string_view piece : {left, right}) {
                if (!ids_.contains(std::string(piece)))
                    report_.wrong("tokenizer-merge", key, "joins what is no token", "known parts",
                                  printable(piece));
            }
            if (!ids_.contains(joined) && ids_.contains(std::string(left)) &&
                ids_.contains(std::string(right)))
                report_.wrong("tokenizer-merge", key, "makes what is no token",
                              printable(joined) + " in the vocabulary", "absent");
        }
    }

    bool mergeParts(const std::string& key,
                    const Json& merge,
                    std::string_view& left,
                    std::string_view& right) {
        std::size_t count = merge.size();
        if (merge.isString()) {
            const std::string_view line = merge.string();
            const std::size_t space = line.find(' ');
            count = static_cast<std::size_t>(std::count(line.begin(), line.end(), ' ')) + 1;
            if (space != std::string_view::npos) {
                left = line.substr(0, space);
                right = line.substr(space + 1);
            }
        } else if (merge.size() == 2) {
            left = merge.item(0).string();
            right = merge.item(1).string();
        }
        if (count == 2 && !left.empty() && !right.empty())
            return true;
        const bool texts = std::all_of(merge.items().begin(), merge.items().end(),
                                       [](const Json& item) { return item.isString(); });
        report_.wrong("tokenizer-merge", key, "is no pair of tokens",
                      texts ? "two parts" : "two strings",
                      texts ? std::to_string(count) : "numbers");
        return false;
    }

    void addedTokens() {
        std::unordered_map<std::int64_t, std::size_t> byId;
        std::unordered_map<std::string, std::size_t> byContent;
        std::size_t index = 0;
        for (const Json& token : file_["added_tokens"].items()) {
            addedToken(fmt::format("added_tokens.{}", index), token, index, byId, byContent);
            ++index;
        }
    }

    void addedToken(const std::string& key,
                    const Json& token,
                    std::size_t index,
                    std::unordered_map<std::int64_t, std::size_t>& byId,
                    std::unordered_map<std::string, std::size_t>& byContent) {
        const Json* const content = token.find("content");
        const Json& id = token["id"];
        constexpr const char* kCode = "tokenizer-added";
        if (!content || !content->isString() || content->string().empty())
            report_.wrong(
                kCode, key + ".content", "is no text",
                content ? "one character or more" : "present",
                content ? (content->string().empty() ? "empty" : foundText(*content)) : "absent");
        if (!id.isInteger() || id.integer() < 0) {
            report_.wrong(kCode, key + ".id", "is no id", "an integer from 0", foundText(id));
            return;
        }
        const std::int64_t number = id.integer();
        if (rows_ > 0 && number >= rows_)
            report_.wrong(kCode, key + ".id", "is past the embedding", fmt::format("< {}", rows_),
                          std::to_string(number));
        if (!byId.emplace(number, index).second)
            report_.wrong(kCode, key + ".id", "is the id of another added token", "its own id",
                          std::to_string(number));
        if (!content || content->string().empty())
            return;
        if (!byContent.emplace(content->string(), index).second)
            report_.wrong(kCode, key + ".content", "is the text of another added token", "distinct",
                          printable(content->string()));
        const auto known = ids_.find(content->string());
        if (known != ids_.end() && known->second != number)
            report_.wrong(kCode, key, "contradicts the vocabulary",
                          fmt::format("id {}", known->second), std::to_string(number));
        ids_.emplace(content->string(), number);
    }

    void pipeline() {
        const Json& pre = file_["pre_tokenizer"];
        if (pre.isNull() && usesByteLevel(file_["decoder"], "decoders"))
            report_.wrong("tokenizer-value", "pre_tokenizer",
                          "is absent, though the vocabulary is one of bytes", "ByteLevel", "null");
        sequence(pre, "pre_tokenizer", "pretokenizers", preTokenizers(), 0);
        sequence(file_["normalizer"], "normalizer", "normalizers", normalizers(), 0);
        sequence(file_["decoder"], "decoder", "decoders", decoders(), 0);
        sequence(file_["post_processor"], "post_processor", "processors", postProcessors(), 0);
    }

    void sequence(const Json& value,
                  const std::string& path,
                  const char* list,
                  const Known& known,
                  int depth) {
        if (value.isNull() || depth > 8)
            return;
        part(value, path, known, false);
        const Json& pattern = value["pattern"]["Regex"];
        if (pattern.isString())
            regex(pattern.string(), path + ".pattern.Regex");
        if (value["type"].string() == "TemplateProcessing")
            templateTokens(value, path);
        std::size_t index = 0;
        for (const Json& part : value[list].items())
            sequence(part, fmt::format("{}.{}.{}", path, list, index++), list, known, depth + 1);
    }

    void regex(const std::string& pattern, const std::string& key) {
        const auto compiled = Pattern::regex(pattern);
        const std::string shown = pattern.size() > 100 ? pattern.substr(0, 100) + "…" : pattern;
        if (!compiled)
            report_.wrong("tokenizer-value", key, "is no pattern: " + compiled.error().message,
                          "a valid pattern", shown);
        else if (canExplode(pattern))
            odd("tokenizer-value", key, "can take exponential time; a text then ends in an error",
                "bounded matching", shown);
    }

    void templateTokens(const Json& value, const std::string& path) {
        for (const char* side : {"single", "pair"}) {
            std::size_t index = 0;
            for (const Json& piece : value[side].items()) {
                const std::string key = fmt::format("{}.{}.{}", path, side, index++);
                const Json* const special = piece.find("SpecialToken");
                if (!special)
                    continue;
                const std::string& name = (*special)["id"].string();
                if (!value["special_tokens"].find(name) || !ids_.contains(name))
                    report_.wrong("tokenizer-value", key, "names no token", "a known token", name);
            }
        }
    }

    static std::string printable(std::string_view text) {
        std::string out;
        for (const char c : text.substr(0, 100)) {
            const auto byte = static_cast<unsigned char>(c);
            if (byte < 0x20 || byte == 0x7f)
                out += fmt::format("\\x{:02x}", byte);
            else
                out += c;
        }
        return out;
    }

    const Json& file_;
    const Json& model_;
    std::int64_t rows_;
    CheckReport report_{"tokenizer.json"};
    std::unordered_map<std::string, std::int64_t> ids_;
    std::unordered_map<std::int64_t, std::string> taken_;
    std::vector<std::pair<std::string, std::int64_t>> twice_;
    bool isByteLevel_ = false;
    bool hasHoles_ = false;
};

}  // namespace

std::vector<Finding> checkTokenizerJson(const Json& tokenizer, const ModelIds& model) {
    return folded(JsonCheck(tokenizer, model).run());
}

}  // namespace fl::tokenizer
