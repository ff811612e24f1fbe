// SPDX-License-Identifier: Apache-2.0
// Rank files of tiktoken: "base64 rank" a line. They say nothing of splits and special tokens;
// whose they are is told by the files beside them and resources/tokenizers/families.json.
#include <charconv>
#include <limits>

#include <fmt/core.h>

#include "engine/base/base64.h"
#include "engine/base/paths.h"
#include "engine/base/text.h"
#include "engine/tokenizer/rank_bpe.h"
#include "engine/tokenizer/tokenizer_readers.h"

namespace fl::tokenizer {

namespace {

constexpr int kCancelEvery = 4096;  // lines

Result<Vocabulary> readRanks(std::string_view text, const CancelToken& cancel) {
    Vocabulary vocabulary(Spelling::Plain);
    std::int64_t number = 0;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find('\n', at), text.size());
        std::string_view line = text.substr(at, end - at);
        at = end + 1;
        ++number;
        if (line.ends_with('\r'))
            line.remove_suffix(1);
        if (line.empty())
            continue;
        if (number % kCancelEvery == 0)
            FL_DO(cancel.check("reading the tokenizer"));
        const std::size_t space = line.find(' ');
        TokenId rank = -1;
        const char* const last = line.data() + line.size();
        const auto parsed = std::from_chars(
            line.data() +
                std::min(space == std::string_view::npos ? line.size() : space + 1, line.size()),
            last, rank);
        auto bytes = decodeBase64(line.substr(0, space));
        if (!bytes || bytes->empty() || parsed.ec != std::errc() || parsed.ptr != last || rank < 0)
            return Error{ErrorCode::Corrupt,
                         fmt::format("line {} is '{}', expected a token in base64, a space and its "
                                     "rank",
                                     number, line.substr(0, 60))};
        if (const TokenId other = vocabulary.findBytes(*bytes); other >= 0)
            return Error{ErrorCode::Corrupt,
                         fmt::format("line {}: the token of rank {} has rank {} "
                                     "too",
                                     number, rank, other)};
        FL_DO(vocabulary.add(*bytes, rank));
    }
    return vocabulary;
}

bool holds(const Json& list, const std::string& word) {
    for (const Json& each : list.items()) {
        if (!word.empty() && each.string() == word)
            return true;
    }
    return false;
}

// The family that these files belong to, or null.
Json familyOf(const Json& families, const RankFileContext& context, TokenId ranks) {
    for (const Json& family : families.items()) {
        if (family.find("ranks") != nullptr && family["ranks"].integer() != ranks)
            continue;
        if (holds(family["tokenizer_class"], context.settings["tokenizer_class"].string()) ||
            holds(family["model_type"], context.config["model_type"].string()) ||
            holds(family["files"], context.fileName))
            return family;
    }
    return {};
}

Error unknownFamily(const RankFileContext& context, TokenId ranks, const std::string& path) {
    const auto shownAs = [](const Json& value) {
        return value.string().empty() ? std::string("none") : "'" + value.string() + "'";
    };
    return {ErrorCode::Unsupported,
            fmt::format("nothing tells how these {} ranks split texts: tokenizer_class is {} in "
                        "tokenizer_config.json, model_type is {} in config.json, and no family in "
                        "{} has these; add one there or name the split",
                        ranks, shownAs(context.settings["tokenizer_class"]),
                        shownAs(context.config["model_type"]), path)};
}

// Tokens behind the ranks: those that the settings name, then the family's own.
Result<std::vector<AddedToken>> tokensBehind(const Json& family,
                                             const Json& settings,
                                             TokenId ranks,
                                             Vocabulary& vocabulary) {
    FL_TRY(std::vector<AddedToken> tokens, addedTokensOf(settings));
    const auto add = [&](TokenId id, std::string content) {
        const bool isTaken = std::any_of(tokens.begin(), tokens.end(), [&](const AddedToken& each) {
            return each.id == id || each.content == content;
        });
        if (isTaken)
            return;
        AddedToken token;
        token.id = id;
        token.content = std::move(content);
        token.special = true;
        tokens.push_back(std::move(token));
    };
    TokenId next = ranks;
    if (settings["added_tokens_decoder"].size() == 0) {
        for (const Json& name : family["tokens"].items())
            add(next++, name.string());
    } else {
        next += static_cast<TokenId>(family["tokens"].size());
    }
    const Json& reserved = family["reserved"];
    const TokenId end = ranks + static_cast<TokenId>(reserved["until"].integer());
    for (TokenId id = next; id < end; ++id) {
        const std::int64_t number =
            (reserved["by_id"].boolean() ? id : id - ranks) + reserved["first"].integer();
        add(id,
            fmt::format("{}{}{}", reserved["before"].string(), number, reserved["after"].string()));
    }
    for (const AddedToken& token : tokens) {
        if (!vocabulary.has(token.id))
            FL_DO(vocabulary.addLiteral(token.content, token.id));
    }
    return tokens;
}

}  // namespace

Result<std::vector<AddedToken>> addedTokensOf(const Json& settings) {
    std::vector<AddedToken> tokens;
    for (const auto& [key, entry] : settings["added_tokens_decoder"].members()) {
        AddedToken token = addedTokenOf(entry);
        const auto [end, problem] = std::from_chars(key.data(), key.data() + key.size(), token.id);
        if (problem != std::errc() || end != key.data() + key.size() || token.content.empty())
            return Error{ErrorCode::Corrupt,
                         fmt::format("added_tokens_decoder of tokenizer_config.json has the entry "
                                     "'{}' without an id or a content",
                                     key)};
        tokens.push_back(std::move(token));
    }
    return tokens;
}

Result<std::unique_ptr<Tokenizer::State>> readRankFile(std::string_view text,
                                                       const RankFileContext& context,
                                                       const CancelToken& cancel) {
    FL_TRY(Vocabulary vocabulary, readRanks(text, cancel));
    FL_DO(checkAllBytes(vocabulary));
    const TokenId ranks = vocabulary.size();
    const std::string path = resourcesDir() + "/tokenizers/families.json";
    FL_TRY(const Json families, Json::parseFile(path));
    const Json family = familyOf(families["families"], context, ranks);
    if (family.isNull() && context.split.empty())
        return unknownFamily(context, ranks, path);
    FL_TRY(const Splits splits,
           splitsFor(context.split.empty() ? family["split"].string() : context.split, "split"));
    FL_TRY(std::vector<AddedToken> added,
           tokensBehind(family, context.settings, ranks, vocabulary));
    auto state = std::make_unique<Tokenizer::State>(std::move(vocabulary));
    state->kind = Kind::Ranks;
    state->allOrNone = true;
    state->model = std::make_unique<RankBpe>(state->vocabulary);
    if (splits.normalizeNfc)
        state->normalizer = Normalizer::form(NormalForm::NFC);
    FL_TRY(state->preTokenizer, PreTokenizer::fromPatterns(splits.patterns));
    FL_DO(state->recognise(std::move(added)));
    state->longestRun = family["longest_run"].integer();
    state->longestText = family["longest_text"].integer();
    return state;
}

}  // namespace fl::tokenizer
