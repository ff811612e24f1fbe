// SPDX-License-Identifier: Apache-2.0
#include "engine/checkpoint/gguf_recount.h"

#include <algorithm>
#include <bit>
#include <string_view>
#include <vector>

#include "engine/base/checked.h"
#include "engine/base/shape.h"
#include "engine/checkpoint/ggml_type.h"
#include "engine/checkpoint/gguf_cursor.h"
#include "engine/checkpoint/gguf_metadata.h"

namespace fl::checkpoint {

namespace {

constexpr std::uint64_t kHeadBytes = 24;
constexpr std::size_t kMaxPairs = 1 << 16;
constexpr std::uint64_t kMaxNameBytes = 64;
constexpr int kMaxDepth = 4;

bool isPlainText(std::string_view text) {
    return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
        return c > ' ' && static_cast<unsigned char>(c) < 0x7f;
    });
}

bool takeName(GgufCursor& cursor, std::uint64_t limit, std::string_view& name) {
    std::uint64_t length = 0;
    if (!cursor.take(length) || length > limit || length > cursor.left())
        return false;
    name = cursor.takeText(static_cast<std::size_t>(length));
    return isPlainText(name);
}

bool skipBytes(GgufCursor& cursor, std::uint64_t count, std::uint64_t each) {
    if (count > cursor.left() / each)
        return false;
    cursor.takeText(static_cast<std::size_t>(count * each));
    return true;
}

bool skipValue(GgufCursor& cursor, std::uint32_t type, int depth) {
    if (type >= kGgufTypeCount || depth > kMaxDepth)
        return false;
    std::uint64_t count = 1;
    if (static_cast<GgufType>(type) == GgufType::Array) {
        if (!cursor.take(type) || !cursor.take(count) || type >= kGgufTypeCount)
            return false;
        const bool nested = static_cast<GgufType>(type) == GgufType::Array;
        if (!nested && static_cast<GgufType>(type) != GgufType::String)
            return skipBytes(cursor, count, leastBytes(type));
        for (std::uint64_t i = 0; i < count; ++i) {
            if (!skipValue(cursor, type, depth + 1))
                return false;
        }
        return true;
    }
    if (static_cast<GgufType>(type) != GgufType::String)
        return skipBytes(cursor, 1, leastBytes(type));
    return cursor.take(count) && skipBytes(cursor, count, 1);
}

class Recount {
public:
    explicit Recount(std::span<const std::byte> bytes) : bytes_(bytes) {}

    std::optional<GgufCounts> run(const GgufCounts& claimed) {
        if (bytes_.size() < kHeadBytes)
            return std::nullopt;
        findPairs();
        std::optional<GgufCounts> found;
        for (std::size_t pairs = 0; pairs < ends_.size(); ++pairs) {
            const std::uint64_t tensors = tensorsAt(ends_[pairs]);
            const GgufCounts counts{tensors, pairs};
            if (tensors == 0)
                continue;
            if (counts == claimed)
                return std::nullopt;
            if (counts.pairs == claimed.pairs || (!found && counts.tensors == claimed.tensors))
                found = counts;
        }
        return found;
    }

private:
    // Where the table of tensors would begin after so many pairs.
    void findPairs() {
        GgufCursor cursor(bytes_);
        cursor.takeText(kHeadBytes);
        ends_ = {cursor.at()};
        while (ends_.size() <= kMaxPairs) {
            std::string_view key;
            std::uint32_t type = 0;
            if (!takeName(cursor, 65535, key) || !cursor.take(type))
                return;
            GgufCursor value = cursor;
            std::uint32_t alignment = 0;
            if (key == "general.alignment" && value.take(alignment) &&
                std::has_single_bit(alignment) && alignment >= 8)
                alignment_ = alignment;
            if (!skipValue(cursor, type, 0))
                return;
            ends_.push_back(cursor.at());
        }
    }

    // Entries of the table that begins there, if they and their data fill the file; else 0.
    std::uint64_t tensorsAt(std::size_t begin) const {
        GgufCursor cursor(bytes_);
        cursor.takeText(begin);
        std::uint64_t count = 0;
        std::int64_t due = 0;
        std::int64_t end = 0;
        std::size_t tableEnd = begin;
        while (const auto bytes = entryBytes(cursor, due)) {
            ++count;
            tableEnd = cursor.at();
            end = due + *bytes;
            due = roundUp(end, alignment_);
        }
        const std::int64_t data = roundUp(static_cast<std::int64_t>(tableEnd), alignment_);
        const auto size = static_cast<std::int64_t>(bytes_.size());
        return size >= data + end && size < data + due + alignment_ ? count : 0;
    }

    // Bytes of the tensor that the next entry describes, if it lies where it should.
    std::optional<std::int64_t> entryBytes(GgufCursor& cursor, std::int64_t due) const {
        std::string_view name;
        std::uint32_t rank = 0;
        std::uint32_t number = 0;
        std::uint64_t offset = 0;
        if (!takeName(cursor, kMaxNameBytes, name) || !cursor.take(rank) || rank < 1 || rank > 4)
            return std::nullopt;
        Shape shape;
        for (std::uint32_t i = 0; i < rank; ++i) {
            std::uint64_t dim = 0;
            if (!cursor.take(dim) || dim == 0 || dim > (std::uint64_t{1} << 40))
                return std::nullopt;
            shape.push(static_cast<std::int64_t>(dim));
        }
        if (!cursor.take(number) || !cursor.take(offset))
            return std::nullopt;
        const auto type = ggmlType(number);
        const auto values = shape.count();
        const BlockLayout block = type ? blockLayout(*type) : BlockLayout{};
        if (!type || !values || shape[0] % block.values != 0 ||
            offset != static_cast<std::uint64_t>(due))
            return std::nullopt;
        const auto bytes = checkedMultiply(*values / block.values, block.bytes);
        return bytes && *bytes <= static_cast<std::int64_t>(bytes_.size()) ? bytes : std::nullopt;
    }

    std::span<const std::byte> bytes_;
    std::vector<std::size_t> ends_;  // index: number of pairs
    std::int64_t alignment_ = 32;
};

}  // namespace

std::optional<GgufCounts> recountGguf(std::span<const std::byte> bytes, const GgufCounts& claimed) {
    return Recount(bytes).run(claimed);
}

}  // namespace fl::checkpoint
