// SPDX-License-Identifier: Apache-2.0
#include "engine/tokenizer/json_tables.h"

#include <cmath>
#include <cstdlib>
#include <optional>
#include <string>

#include <fmt/core.h>

#include "engine/base/json_scanner.h"

namespace fl::tokenizer {

namespace {

using Token = JsonScanner::Token;

constexpr int kCancelEvery = 4096;  // entries

Error faultOf(const JsonScanner& scanner) {
    return {ErrorCode::Corrupt, scanner.fault().message()};
}

Error noEntry(std::string_view table, std::string_view wanted, std::string_view found) {
    return {ErrorCode::Corrupt,
            fmt::format("model.{} holds {}, expected {}", table, found.substr(0, 100), wanted)};
}

// Goes through the members of an object or the items of an array, whose begin was just read.
template <class Entry>
Status eachEntry(JsonScanner& scanner, const CancelToken& cancel, const Entry& entry) {
    int count = 0;
    for (Token token = scanner.next();; token = scanner.next()) {
        if (token == Token::EndObject || token == Token::EndArray)
            return Done{};
        if (token == Token::Fault || token == Token::End)
            return faultOf(scanner);
        if (++count % kCancelEvery == 0)
            FL_DO(cancel.check("reading the tokenizer"));
        FL_DO(entry(token));
    }
}

// The text of the value that begins with the next token.
Result<std::string_view> rawValue(JsonScanner& scanner) {
    const Token token = scanner.next();
    const std::size_t begin = scanner.at();
    if (token == Token::Fault || !scanner.skip(token))
        return faultOf(scanner);
    return scanner.textFrom(begin);
}

Status member(JsonScanner& scanner, const CancelToken& cancel, Json& object) {
    std::string key(scanner.text());
    if (object.find(key) != nullptr)
        return Error{ErrorCode::Corrupt, fmt::format("the key '{}' stands there twice", key)};
    FL_TRY(const std::string_view raw, rawValue(scanner));
    JsonLimits limits;
    limits.cancel = cancel;
    FL_TRY(Json value, Json::parse(raw, limits));
    object.append(std::move(key), std::move(value));
    return Done{};
}

Status readModel(JsonScanner& scanner, const CancelToken& cancel, JsonTables& file) {
    if (scanner.next() != Token::BeginObject)
        return Error{ErrorCode::Corrupt, "model is no object"};
    Json model = Json::object();
    FL_DO(eachEntry(scanner, cancel, [&](Token) -> Status {
        const bool isVocab = scanner.text() == "vocab";
        if (!isVocab && scanner.text() != "merges")
            return member(scanner, cancel, model);
        std::string_view& table = isVocab ? file.vocab : file.merges;
        if (!table.empty())
            return Error{ErrorCode::Corrupt, fmt::format("the key '{}' stands there twice",
                                                         isVocab ? "vocab" : "merges")};
        FL_TRY(table, rawValue(scanner));
        return Done{};
    }));
    file.rest.append("model", std::move(model));
    return Done{};
}

}  // namespace

Result<JsonTables> readJsonTables(std::string_view text, const CancelToken& cancel) {
    FL_DO(cancel.check("reading the tokenizer"));
    if (text.starts_with(kByteOrderMark))
        text.remove_prefix(kByteOrderMark.size());
    if (const auto fault = jsonEncodingFault(text))
        return Error{ErrorCode::Corrupt, fault->message()};
    JsonTables file;
    file.rest = Json::object();
    JsonScanner scanner(text);
    if (const Token token = scanner.next(); token != Token::BeginObject)
        return token == Token::Fault ? faultOf(scanner)
                                     : Error{ErrorCode::Corrupt, "the file holds no object"};
    FL_DO(eachEntry(scanner, cancel, [&](Token) -> Status {
        if (scanner.text() == "model" && file.rest.find("model") == nullptr)
            return readModel(scanner, cancel, file);
        return member(scanner, cancel, file.rest);
    }));
    if (scanner.next() == Token::Fault)
        return faultOf(scanner);
    return file;
}

Status eachToken(std::string_view vocab,
                 const CancelToken& cancel,
                 const std::function<Status(std::string_view, std::int64_t)>& sink) {
    JsonScanner scanner(vocab);
    scanner.next();
    std::string spelling;
    return eachEntry(scanner, cancel, [&](Token) -> Status {
        spelling.assign(scanner.text());
        const Token token = scanner.next();
        const std::optional<std::int64_t> id =
            token == Token::Number ? scanner.integer() : std::nullopt;
        if (!id)
            return noEntry("vocab", "an id", fmt::format("'{}' without an id", spelling));
        return sink(spelling, *id);
    });
}

Status eachScored(std::string_view vocab,
                  const CancelToken& cancel,
                  const std::function<Status(std::string_view, double)>& sink) {
    JsonScanner scanner(vocab);
    scanner.next();
    std::string piece;
    return eachEntry(scanner, cancel, [&](Token token) -> Status {
        const std::size_t begin = scanner.at();
        bool isPair = token == Token::BeginArray && scanner.next() == Token::String;
        if (isPair)
            piece.assign(scanner.text());
        isPair = isPair && scanner.next() == Token::Number;
        const double score = isPair ? std::strtod(std::string(scanner.text()).c_str(), nullptr) : 0;
        if (!isPair || scanner.next() != Token::EndArray || !std::isfinite(score))
            return noEntry("vocab", "a piece and its score", scanner.textFrom(begin));
        return sink(piece, score);
    });
}

Status eachMerge(
    std::string_view merges,
    const CancelToken& cancel,
    const std::function<Status(std::string_view, std::string_view, std::string_view)>& sink) {
    JsonScanner scanner(merges);
    scanner.next();
    std::string left;
    std::string right;
    return eachEntry(scanner, cancel, [&](Token token) -> Status {
        const std::size_t begin = scanner.at();
        left.clear();
        right.clear();
        if (token == Token::String) {
            const std::string_view line = scanner.text();
            if (const std::size_t space = line.find(' '); space != std::string_view::npos) {
                left.assign(line.substr(0, space));
                right.assign(line.substr(space + 1));
            }
            if (right.find(' ') != std::string::npos)
                right.clear();
        } else if (token == Token::BeginArray && scanner.next() == Token::String) {
            left.assign(scanner.text());
            if (scanner.next() == Token::String)
                right.assign(scanner.text());
            if (scanner.next() != Token::EndArray)
                right.clear();
        }
        return sink(left, right, scanner.textFrom(begin));
    });
}

}  // namespace fl::tokenizer
