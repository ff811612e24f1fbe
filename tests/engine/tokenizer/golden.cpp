// SPDX-License-Identifier: Apache-2.0
#include "tests/engine/tokenizer/golden.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include "engine/base/text.h"

namespace fl::test {

using tokenizer::Special;
using tokenizer::TokenId;

std::vector<Json> readLines(const std::string& path) {
    std::vector<Json> lines;
    const auto text = readFile(path);
    if (!text)
        return lines;
    for (const std::string& line : split(*text, '\n')) {
        if (line.empty())
            continue;
        auto parsed = Json::parse(line);
        lines.push_back(parsed ? *std::move(parsed) : Json());
    }
    return lines;
}

std::vector<TokenId> idsOf(const Json& list) {
    std::vector<TokenId> ids;
    for (const Json& id : list.items())
        ids.push_back(static_cast<TokenId>(id.integer(-1)));
    return ids;
}

std::vector<std::string> mismatches(const tokenizer::Tokenizer& tokenizer,
                                    const std::vector<Json>& golden) {
    std::vector<std::string> wrong;
    for (const Json& line : golden) {
        tokenizer::EncodeOptions options;
        options.addSpecialTokens = line["add_special_tokens"].boolean();
        if (line["special"].string() == "text")
            options.special = Special::KeepAdded;
        else if (line["special"].string() == "none")
            options.special = Special::Text;
        const std::string text = line["text"].dump().substr(0, 120);
        const auto ids = tokenizer.encode(line["text"].string(), options);
        if (!ids) {
            wrong.push_back(fmt::format("{}: {}", text, ids.error().message));
            continue;
        }
        const std::vector<TokenId> expected = idsOf(line["ids"]);
        if (*ids != expected)
            wrong.push_back(fmt::format(
                "{} ({}): {} instead of {}", text, line["special"].string(),
                fmt::join(ids->begin(), ids->begin() + std::min<long>(40, ids->size()), ","),
                fmt::join(expected.begin(), expected.begin() + std::min<long>(40, expected.size()),
                          ",")));
        else if (const Json* decoded = line.find("decoded");
                 decoded != nullptr && tokenizer.decode(*ids, false) != decoded->string())
            wrong.push_back(text + ": decodes to " + Json(tokenizer.decode(*ids, false)).dump());
        if (const Json* visible = line.find("visible");
            visible != nullptr && tokenizer.decode(expected, true) != visible->string())
            wrong.push_back(text + ": shows " + Json(tokenizer.decode(expected, true)).dump());
    }
    return wrong;
}

std::vector<std::string> streamMismatches(const tokenizer::Tokenizer& tokenizer,
                                          const std::vector<Json>& golden) {
    std::vector<std::string> wrong;
    for (const Json& line : golden) {
        tokenizer::StreamDecoder stream = tokenizer.stream(false);
        Json pieces = Json::array();
        for (const TokenId id : idsOf(line["ids"]))
            pieces.push(stream.push(id));
        const std::string rest = stream.flush();
        if (pieces != line["pieces"] || rest != line["flush"].string())
            wrong.push_back(fmt::format("{} and {} instead of {} and {}", pieces.dump(),
                                        Json(rest).dump(), line["pieces"].dump(),
                                        line["flush"].dump()));
    }
    return wrong;
}

std::vector<std::string> byteMismatches(const tokenizer::Tokenizer& tokenizer,
                                        const std::vector<Json>& golden) {
    std::vector<std::string> wrong;
    for (const Json& line : golden) {
        const std::string& hex = line["bytes_hex"].string();
        std::string bytes;
        for (std::size_t i = 0; i + 1 < hex.size(); i += 2)
            bytes += static_cast<char>(std::stoi(hex.substr(i, 2), nullptr, 16));
        const auto ids = tokenizer.encodeBytes(bytes);
        if (!ids)
            wrong.push_back(hex + ": " + ids.error().message);
        else if (*ids != idsOf(line["ids"]))
            wrong.push_back(fmt::format("{}: {} instead of {}", hex, fmt::join(*ids, ","),
                                        fmt::join(idsOf(line["ids"]), ",")));
    }
    return wrong;
}

}  // namespace fl::test
