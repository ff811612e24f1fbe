// SPDX-License-Identifier: Apache-2.0
#include "engine/tokenizer/vocabulary.h"

#include <fmt/core.h>

#include "engine/tokenizer/byte_alphabet.h"

namespace fl::tokenizer {

namespace {

// Ten times the largest vocabulary known; a larger id is a damaged file.
constexpr TokenId kMaxId = 4'000'000;

const std::string kNothing;

TokenId lookUp(const TextIds& ids, std::string_view text) {
    const auto found = ids.find(text);
    return found == ids.end() ? -1 : found->second;
}

}  // namespace

Status Vocabulary::add(std::string spelling, TokenId id) {
    if (id < 0 || id > kMaxId)
        return Error{ErrorCode::Corrupt, fmt::format("token '{}' has the id {}, legal are 0 to {}",
                                                     spelling, id, kMaxId)};
    if (id >= size())
        entries_.resize(static_cast<std::size_t>(id) + 1);
    Entry& entry = entries_[static_cast<std::size_t>(id)];
    if (entry.known)
        return Error{ErrorCode::Corrupt,
                     fmt::format("id {} is both '{}' and '{}'", id, entry.spelling, spelling)};
    std::optional<std::string> bytes = spelledBytes(spelling);
    if (bytes)
        byBytes_.emplace(*bytes, id);
    else
        others_.emplace(spelling, id);
    entry.bytes = bytes ? *std::move(bytes) : spelling;
    entry.spelling = std::move(spelling);
    entry.known = true;
    return Done{};
}

TokenId Vocabulary::findSpelling(std::string_view spelling) const {
    const std::optional<std::string> bytes = spelledBytes(spelling);
    return bytes ? lookUp(byBytes_, *bytes) : lookUp(others_, spelling);
}

TokenId Vocabulary::findBytes(std::string_view bytes) const {
    return lookUp(byBytes_, bytes);
}

const std::string& Vocabulary::spelling(TokenId id) const {
    return id >= 0 && id < size() ? entries_[static_cast<std::size_t>(id)].spelling : kNothing;
}

const std::string& Vocabulary::bytes(TokenId id) const {
    return id >= 0 && id < size() ? entries_[static_cast<std::size_t>(id)].bytes : kNothing;
}

}  // namespace fl::tokenizer
