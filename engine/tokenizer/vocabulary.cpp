// SPDX-License-Identifier: Apache-2.0
#include "engine/tokenizer/vocabulary.h"

#include <algorithm>
#include <cstring>
#include <optional>

#include <fmt/core.h>

#include "engine/tokenizer/byte_alphabet.h"

namespace fl::tokenizer {

namespace {

// Ten times the largest vocabulary known; a larger id is a damaged file.
constexpr TokenId kMaxId = 4'000'000;
constexpr std::size_t kMaxPieceBytes = std::size_t{1} << 24;
constexpr std::size_t kMaxTextBytes = std::size_t{1} << 30;

std::uint64_t mixed(std::uint64_t value) {
    value *= 0x9E3779B97F4A7C15u;
    return value ^ (value >> 32);
}

std::uint64_t hashOf(std::string_view text) {
    std::uint64_t hash = text.size();
    const char* at = text.data();
    std::size_t left = text.size();
    for (; left >= 8; left -= 8, at += 8) {
        std::uint64_t word = 0;
        std::memcpy(&word, at, 8);
        hash = mixed(hash ^ word);
    }
    std::uint64_t word = 0;
    if (left > 0)
        std::memcpy(&word, at, left);
    return mixed(mixed(hash ^ word) + left);
}

std::uint32_t tagOf(std::uint64_t hash) {
    return static_cast<std::uint32_t>(hash >> 32);
}

}  // namespace

const Vocabulary::Entry* Vocabulary::entry(TokenId id) const {
    if (id < 0 || id >= size())
        return nullptr;
    const Entry& found = entries_[static_cast<std::size_t>(id)];
    return static_cast<Entered>(found.kind) == Entered::None ? nullptr : &found;
}

Status Vocabulary::put(std::string_view bytes,
                       std::string_view spelling,
                       std::int64_t wide,
                       Entered kind) {
    if (wide < 0 || wide > kMaxId)
        return Error{ErrorCode::Corrupt, fmt::format("token '{}' has the id {}, legal are 0 to {}",
                                                     spelling, wide, kMaxId)};
    const auto id = static_cast<TokenId>(wide);
    if (bytes.size() > kMaxPieceBytes || text_.size() + bytes.size() > kMaxTextBytes)
        return Error{ErrorCode::Corrupt,
                     fmt::format("token {} has {} bytes, which is too large", id, bytes.size())};
    if (entry(id) != nullptr)
        return Error{ErrorCode::Corrupt,
                     fmt::format("id {} is both '{}' and '{}'", id, this->spelling(id), spelling)};
    if (id >= size())
        entries_.resize(static_cast<std::size_t>(id) + 1);
    Entry& made = entries_[static_cast<std::size_t>(id)];
    made.begin = static_cast<std::uint32_t>(text_.size());
    made.length = static_cast<std::uint32_t>(bytes.size()) & 0x3FFFFFFF;
    made.kind = static_cast<std::uint32_t>(kind) & 3;
    text_ += bytes;
    longest_ = std::max(longest_, bytes.size());
    insert(kind == Entered::Piece ? pieces_ : literals_, bytes, id);
    return Done{};
}

Status Vocabulary::add(std::string_view spelling, std::int64_t id) {
    if (spelling_ == Spelling::Plain)
        return put(spelling, spelling, id, Entered::Piece);
    if (const std::optional<std::string> bytes = spelledBytes(spelling))
        return put(*bytes, spelling, id, Entered::Piece);
    return put(spelling, spelling, id, Entered::Literal);
}

Status Vocabulary::addLiteral(std::string_view spelling, std::int64_t id) {
    if (spelling_ == Spelling::ByteAlphabet) {
        if (const std::optional<std::string> bytes = spelledBytes(spelling))
            return put(*bytes, spelling, id, Entered::SpelledLiteral);
    }
    return put(spelling, spelling, id, Entered::Literal);
}

TokenId Vocabulary::find(const Table& table, std::string_view text) const {
    if (table.slots.empty())
        return -1;
    const std::uint64_t hash = hashOf(text);
    const std::size_t mask = table.slots.size() - 1;
    for (std::size_t at = hash & mask;; at = (at + 1) & mask) {
        const Slot& slot = table.slots[at];
        if (slot.id < 0)
            return -1;
        if (slot.tag == tagOf(hash) && bytes(slot.id) == text)
            return slot.id;
    }
}

void Vocabulary::insert(Table& table, std::string_view text, TokenId id) {
    if (2 * (table.used + 1) > table.slots.size())
        grow(table);
    const std::uint64_t hash = hashOf(text);
    const std::size_t mask = table.slots.size() - 1;
    std::size_t at = hash & mask;
    for (; table.slots[at].id >= 0; at = (at + 1) & mask) {
        if (table.slots[at].tag == tagOf(hash) && bytes(table.slots[at].id) == text)
            return;
    }
    table.slots[at] = {tagOf(hash), id};
    ++table.used;
}

void Vocabulary::grow(Table& table) {
    std::vector<Slot> old(std::max<std::size_t>(64, 2 * table.slots.size()));
    old.swap(table.slots);
    const std::size_t mask = table.slots.size() - 1;
    for (const Slot& slot : old) {
        if (slot.id < 0)
            continue;
        std::size_t at = hashOf(bytes(slot.id)) & mask;
        while (table.slots[at].id >= 0)
            at = (at + 1) & mask;
        table.slots[at] = slot;
    }
}

TokenId Vocabulary::findSpelling(std::string_view spelling) const {
    std::optional<std::string> decoded;
    if (spelling_ == Spelling::ByteAlphabet)
        decoded = spelledBytes(spelling);
    const std::string_view bytes = decoded ? std::string_view(*decoded) : spelling;
    const bool mayBePiece = decoded || spelling_ == Spelling::Plain;
    // A marked token comes before a piece that looks like it.
    const TokenId literal = find(literals_, bytes);
    return literal >= 0 || !mayBePiece ? literal : find(pieces_, bytes);
}

TokenId Vocabulary::findBytes(std::string_view bytes) const {
    return find(pieces_, bytes);
}

std::string Vocabulary::spelling(TokenId id) const {
    const std::string_view text = bytes(id);
    const Entry* found = entry(id);
    if (found == nullptr || spelling_ == Spelling::Plain ||
        static_cast<Entered>(found->kind) == Entered::Literal)
        return std::string(text);
    std::string out;
    for (const char byte : text)
        out += byteSpelling(static_cast<unsigned char>(byte));
    return out;
}

std::string_view Vocabulary::bytes(TokenId id) const {
    const Entry* found = entry(id);
    return found == nullptr ? std::string_view()
                            : std::string_view(text_).substr(found->begin, found->length);
}

bool Vocabulary::isLiteral(TokenId id) const {
    const Entry* found = entry(id);
    return found != nullptr && static_cast<Entered>(found->kind) != Entered::Piece;
}

bool Vocabulary::has(TokenId id) const {
    return entry(id) != nullptr;
}

}  // namespace fl::tokenizer
