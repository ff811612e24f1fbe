// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/tensor_table.h"

#include <algorithm>
#include <cctype>

#include "ui/models/text.h"

namespace fl::models {

namespace {

constexpr std::uint64_t kHashSeed = 1469598103934665603ULL;  // FNV-1a
constexpr std::uint64_t kHashPrime = 1099511628211ULL;

char lower(char c) {
    return static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
}

}  // namespace

std::string_view TensorTable::name(std::size_t row) const {
    return std::string_view(names_).substr(rows_[row].nameBegin, rows_[row].nameLength);
}

std::size_t TensorTable::lowerBound(std::string_view name) const {
    const auto found = std::lower_bound(
        rows_.begin(), rows_.end(), name, [this](const Row& row, std::string_view wanted) {
            return naturalLess(std::string_view(names_).substr(row.nameBegin, row.nameLength),
                               wanted);
        });
    return std::size_t(found - rows_.begin());
}

// A checkpoint has a handful of dtypes, kinds and contract states and some dozens of shapes; the
// last few are the likely ones, so a search from the end is short.
std::uint16_t TensorTable::word(const std::string& text) {
    const auto found = std::find(words_.begin(), words_.end(), text);
    if (found != words_.end())
        return std::uint16_t(found - words_.begin());
    words_.push_back(text);
    return std::uint16_t(words_.size() - 1);
}

std::uint32_t TensorTable::shapeIndex(const std::vector<std::int64_t>& shape) {
    const auto found = std::find(shapes_.rbegin(), shapes_.rend(), shape);
    if (found != shapes_.rend())
        return std::uint32_t(shapes_.rend() - found - 1);
    shapes_.push_back(shape);
    return std::uint32_t(shapes_.size() - 1);
}

void TensorTable::append(const std::vector<protocol::TensorRow>& rows) {
    const std::size_t before = rows_.size();
    for (const protocol::TensorRow& row : rows) {
        rows_.push_back({names_.size(), std::uint32_t(row.name.size()), shapeIndex(row.shape),
                         word(row.dtype), word(row.kind), word(row.contract), row.shard,
                         row.bytes});
        names_ += row.name;
    }
    const auto byName = [this](const Row& a, const Row& b) {
        const std::string_view all = names_;
        return naturalLess(all.substr(a.nameBegin, a.nameLength),
                           all.substr(b.nameBegin, b.nameLength));
    };
    // Pages come sorted by character, "10" before "2". Each is sorted by itself and merged, so that
    // no page of a large census holds the window up.
    const auto middle = rows_.begin() + std::ptrdiff_t(before);
    std::sort(middle, rows_.end(), byName);
    if (middle != rows_.begin() && middle != rows_.end()) {
        const auto from = std::upper_bound(rows_.begin(), middle, *middle, byName);
        std::inplace_merge(from, middle, rows_.end(), byName);
    }
    sum();
}

void TensorTable::sum() {
    sums_.resize(rows_.size() + 1);
    sums_[0] = 0;
    for (std::size_t i = 0; i < rows_.size(); ++i)
        sums_[i + 1] = sums_[i] + rows_[i].bytes;
}

void TensorTable::clear() {
    names_.clear();
    rows_.clear();
    words_.clear();
    shapes_.clear();
    sums_.clear();
}

std::int64_t TensorTable::bytesOf(std::size_t begin, std::size_t end) const {
    return sums_[end] - sums_[begin];
}

std::uint64_t TensorTable::signature(std::size_t begin, std::size_t end, std::size_t skip) const {
    std::uint64_t hash = kHashSeed;
    const auto mix = [&hash](std::uint64_t value) { hash = (hash ^ value) * kHashPrime; };
    for (std::size_t row = begin; row < end; ++row) {
        const std::string_view text = name(row);
        for (const char c : text.substr(std::min(skip, text.size())))
            mix(static_cast<unsigned char>(c));
        mix(0x100 + rows_[row].dtype);
        mix(0x10000 + rows_[row].shape);
    }
    return hash;
}

std::vector<std::uint32_t> TensorTable::matching(const std::vector<std::string>& words) const {
    std::vector<std::uint32_t> rows;
    if (words.empty())
        return rows;
    const auto same = [](char a, char b) { return lower(a) == lower(b); };
    for (std::size_t row = 0; row < rows_.size(); ++row) {
        const std::string_view text = name(row);
        const bool all = std::all_of(words.begin(), words.end(), [&](const std::string& word) {
            return std::search(text.begin(), text.end(), word.begin(), word.end(), same) !=
                   text.end();
        });
        if (all)
            rows.push_back(std::uint32_t(row));
    }
    return rows;
}

}  // namespace fl::models
