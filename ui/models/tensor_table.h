// SPDX-License-Identifier: GPL-3.0-or-later
// Rows of a census in columns: 200,000 tensors take a few blocks of memory, not a million strings.
// Sorted by name as people count ("2" before "10"): all tensors below one dotted prefix stand side
// by side, and so do those of layers 2 to 10.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/protocol/messages.h"

namespace fl::models {

class TensorTable {
public:
    // Pages may come in any order.
    void append(const std::vector<protocol::TensorRow>& rows);
    void clear();

    std::size_t size() const { return rows_.size(); }
    std::string_view name(std::size_t row) const;
    std::size_t lowerBound(std::string_view name) const;  // first row not before it
    const std::string& dtype(std::size_t row) const { return words_[rows_[row].dtype]; }
    const std::string& kind(std::size_t row) const { return words_[rows_[row].kind]; }
    const std::string& contract(std::size_t row) const { return words_[rows_[row].contract]; }
    const std::vector<std::int64_t>& shape(std::size_t row) const {
        return shapes_[rows_[row].shape];
    }
    int shard(std::size_t row) const { return rows_[row].shard; }
    std::int64_t bytes(std::size_t row) const { return rows_[row].bytes; }
    // Of rows [begin, end).
    std::int64_t bytesOf(std::size_t begin, std::size_t end) const;
    // Equal for two ranges whose tensors agree in what follows `skip` characters of the name, in
    // dtype and in shape.
    std::uint64_t signature(std::size_t begin, std::size_t end, std::size_t skip) const;
    // Rows whose name contains every word, in any case.
    std::vector<std::uint32_t> matching(const std::vector<std::string>& words) const;

private:
    struct Row {
        std::uint64_t nameBegin = 0;
        std::uint32_t nameLength = 0;
        std::uint32_t shape = 0;
        std::uint16_t dtype = 0;
        std::uint16_t kind = 0;
        std::uint16_t contract = 0;
        std::int32_t shard = 0;
        std::int64_t bytes = 0;
    };
    std::uint16_t word(const std::string& text);
    std::uint32_t shapeIndex(const std::vector<std::int64_t>& shape);
    void sum();

    std::string names_;
    std::vector<Row> rows_;
    std::vector<std::string> words_;
    std::vector<std::vector<std::int64_t>> shapes_;
    std::vector<std::int64_t> sums_;  // sums_[i]: bytes of the rows before i
};

}  // namespace fl::models
