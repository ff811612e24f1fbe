// SPDX-License-Identifier: Apache-2.0
// tekken.json of mistral_common: ranks with their split pattern; ids begin behind the special
// tokens, and text never becomes one of those.
#include <array>

#include <fmt/core.h>

#include "engine/base/base64.h"
#include "engine/base/json_scanner.h"
#include "engine/tokenizer/rank_bpe.h"
#include "engine/tokenizer/tokenizer_readers.h"

namespace fl::tokenizer {

namespace {

using Token = JsonScanner::Token;

// Of files that name none (before version 7); the others up to the count have numbers.
constexpr auto kOldSpecials = std::to_array<std::string_view>({
    "<unk>",
    "<s>",
    "</s>",
    "[INST]",
    "[/INST]",
    "[AVAILABLE_TOOLS]",
    "[/AVAILABLE_TOOLS]",
    "[TOOL_RESULTS]",
    "[/TOOL_RESULTS]",
    "[TOOL_CALLS]",
    "[IMG]",
    "<pad>",
    "[IMG_BREAK]",
    "[IMG_END]",
    "[PREFIX]",
    "[MIDDLE]",
    "[SUFFIX]",
    "[SYSTEM_PROMPT]",
    "[/SYSTEM_PROMPT]",
    "[TOOL_CONTENT]",
});

constexpr std::int64_t kMaxSpecials = 100'000;
constexpr int kCancelEvery = 4096;  // entries

struct Tekken {
    Json rest = Json::object();  // all but the vocabulary
    std::string_view vocab;
};

Error faultOf(const JsonScanner& scanner) {
    return {ErrorCode::Corrupt, scanner.fault().message()};
}

Result<Tekken> halves(std::string_view text) {
    if (const auto fault = jsonEncodingFault(text))
        return Error{ErrorCode::Corrupt, fault->message()};
    Tekken file;
    JsonScanner scanner(text);
    if (scanner.next() != Token::BeginObject)
        return Error{ErrorCode::Corrupt, "the file holds no object"};
    for (Token token = scanner.next(); token == Token::Key; token = scanner.next()) {
        const std::string key(scanner.text());
        const Token value = scanner.next();
        const std::size_t begin = scanner.at();
        if (value == Token::Fault || !scanner.skip(value))
            return faultOf(scanner);
        if (key == "vocab") {
            file.vocab = scanner.textFrom(begin);
            continue;
        }
        FL_TRY(Json parsed, Json::parse(scanner.textFrom(begin)));
        file.rest.set(key, std::move(parsed));
    }
    if (scanner.next() == Token::Fault)
        return faultOf(scanner);
    return file;
}

// One entry {"rank": 0, "token_bytes": "AA==", …}; the scanner stands behind its brace.
Status readEntry(JsonScanner& scanner, std::int64_t& rank, std::string& bytes) {
    rank = -1;
    bytes.clear();
    for (Token token = scanner.next(); token == Token::Key; token = scanner.next()) {
        const bool isRank = scanner.text() == "rank";
        const bool isBytes = scanner.text() == "token_bytes";
        const Token value = scanner.next();
        if (isRank && value == Token::Number)
            rank = scanner.integer().value_or(-1);
        if (isBytes && value == Token::String) {
            FL_TRY(bytes, decodeBase64(scanner.text()));
        }
        if (!scanner.skip(value))
            return faultOf(scanner);
    }
    if (rank < 0 || bytes.empty())
        return Error{ErrorCode::Corrupt,
                     fmt::format("an entry of vocab ends at byte {} of it without rank or "
                                 "token_bytes",
                                 scanner.at())};
    return Done{};
}

Status readVocab(std::string_view text,
                 std::int64_t first,
                 std::int64_t count,
                 const CancelToken& cancel,
                 Vocabulary& vocabulary) {
    JsonScanner scanner(text);
    if (scanner.next() != Token::BeginArray)
        return Error{ErrorCode::Corrupt, "vocab is missing or no list"};
    std::int64_t rank = 0;
    std::string bytes;
    Token token = scanner.next();
    for (int entry = 0; token == Token::BeginObject; token = scanner.next(), ++entry) {
        if (entry % kCancelEvery == 0)
            FL_DO(cancel.check("reading the tokenizer"));
        FL_DO(readEntry(scanner, rank, bytes));
        if (rank < count)  // others are kept in the file, not in use
            FL_DO(vocabulary.add(bytes, first + rank));
    }
    if (token == Token::Fault)
        return faultOf(scanner);
    if (token != Token::EndArray)
        return Error{ErrorCode::Corrupt,
                     fmt::format("vocab holds what is no object at byte {} of it", scanner.at())};
    return checkAllBytes(vocabulary);
}

std::vector<AddedToken> specialsOf(const Json& file, std::int64_t count) {
    std::vector<AddedToken> tokens(static_cast<std::size_t>(count));
    for (std::size_t i = 0; i < tokens.size(); ++i) {
        tokens[i].id = static_cast<TokenId>(i);
        tokens[i].special = true;
        tokens[i].content = i < kOldSpecials.size() && !file["special_tokens"].isArray()
                                ? std::string(kOldSpecials[i])
                                : fmt::format("<SPECIAL_{}>", i);
    }
    for (const Json& entry : file["special_tokens"].items()) {
        const std::int64_t rank = entry["rank"].integer(-1);
        if (rank >= 0 && rank < count)
            tokens[static_cast<std::size_t>(rank)].content = entry["token_str"].string();
    }
    return tokens;
}

}  // namespace

Result<std::unique_ptr<Tokenizer::State>> readTekken(std::string_view text,
                                                     const CancelToken& cancel) {
    FL_TRY(const Tekken file, halves(text));
    const Json& config = file.rest["config"];
    const std::int64_t specials = config["default_num_special_tokens"].integer(-1);
    const std::int64_t size = config["default_vocab_size"].integer(-1);
    const std::string& pattern = config["pattern"].string();
    if (specials < 3 || specials > kMaxSpecials || size <= specials || pattern.empty())
        return Error{ErrorCode::Corrupt,
                     fmt::format("config names {} special tokens of {} and the pattern '{}', "
                                 "expected 3 to {}, more tokens than those, and a pattern",
                                 specials, size, pattern, kMaxSpecials)};
    Vocabulary vocabulary(Spelling::Plain);
    const std::vector<AddedToken> added = specialsOf(file.rest, specials);
    for (const AddedToken& token : added)
        FL_DO(vocabulary.addLiteral(token.content, token.id));
    FL_DO(readVocab(file.vocab, specials, size - specials, cancel, vocabulary));
    auto state = std::make_unique<Tokenizer::State>(std::move(vocabulary));
    state->kind = Kind::Ranks;
    for (const AddedToken& token : added)
        state->specials.insert(token.id);
    state->model = std::make_unique<RankBpe>(state->vocabulary);
    FL_TRY(state->preTokenizer, PreTokenizer::fromPatterns({pattern}));
    state->bos = state->vocabulary.findSpelling("<s>");
    state->addEos(state->vocabulary.findSpelling("</s>"));
    if (state->bos >= 0)
        state->prefix.push_back(state->bos);
    return state;
}

}  // namespace fl::tokenizer
