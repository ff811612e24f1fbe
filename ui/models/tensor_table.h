// SPDX-License-Identifier: GPL-3.0-or-later
// All tensors of a checkpoint in columns: half a million take some fifty megabytes, and what a tree
// asks of a range of them takes no walk. Sorted by name as people count ("2" before "10"): all
// tensors below one dotted prefix stand side by side, and so do those of layers 2 to 10.
//
// Filled page by page, finished once, then only read: it may be shared between threads.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/protocol/messages.h"

namespace fl::models {

class TensorTable {
public:
    // Pages come in order. Corrupt where a page cannot be read or its names are out of order.
    Status append(const protocol::TensorColumns& page);
    // After the last page.
    void finish();
    // The same rows again, those of `rows` (ascending), finished.
    TensorTable subset(const std::vector<std::uint32_t>& rows) const;

    std::size_t size() const { return forms_.size(); }
    std::string_view name(std::size_t row) const {
        return std::string_view(names_).substr(begins_[row], begins_[row + 1] - begins_[row]);
    }
    std::size_t lowerBound(std::string_view name) const;  // first row not before it
    const std::string& dtype(std::size_t row) const { return form(row).dtype; }
    const std::string& kind(std::size_t row) const { return form(row).kind; }
    const std::string& contract(std::size_t row) const { return form(row).contract; }
    const std::vector<std::int64_t>& shape(std::size_t row) const { return form(row).shape; }
    std::int64_t bytes(std::size_t row) const { return form(row).bytes; }
    int shard(std::size_t row) const { return shards_[row]; }  // −1: in no file

    // Of rows [begin, end), which are not empty:
    std::int64_t bytesOf(std::size_t begin, std::size_t end) const;
    bool hasExperts(std::size_t begin, std::size_t end) const;
    bool isOneDtype(std::size_t begin, std::size_t end) const;
    std::pair<int, int> shardsOf(std::size_t begin, std::size_t end) const;  // least, most
    // End of the rows from `begin` on whose names share their first `length` characters.
    std::size_t endOfPrefix(std::size_t begin, std::size_t end, std::size_t length) const;
    // Equal for two ranges whose tensors agree in what follows `skip` characters of the name, in
    // dtype and in shape.
    std::uint64_t signature(std::size_t begin, std::size_t end, std::size_t skip) const;

    // Rows whose name contains every word, in any case; a word of digits is a whole number of the
    // name ("34" is not in "layers.134"). Words are in lower case.
    std::vector<std::uint32_t> matching(const std::vector<std::string>& words) const;
    // Rows in this state of the contract: matched missing unexpected ignored …
    std::vector<std::uint32_t> inState(std::string_view contract) const;

private:
    const protocol::TensorForm& form(std::size_t row) const { return known_[forms_[row]]; }
    std::uint32_t formIndex(const protocol::TensorForm& form);
    const std::string& lowerNames() const { return lower_.empty() ? names_ : lower_; }
    bool contains(std::size_t row, std::string_view word) const;

    std::string names_;
    std::string lower_;  // of the same length; empty where it would be the same
    std::vector<std::size_t> begins_{0};
    std::vector<std::uint32_t> forms_;
    std::vector<std::int32_t> shards_;
    std::vector<protocol::TensorForm> known_;
    // Made by finish().
    std::vector<std::int64_t> sums_;       // bytes of the rows before
    std::vector<std::uint32_t> experts_;   // experts' tensors among the rows before
    std::vector<std::uint32_t> dtypeEnd_;  // first row behind this one that has another dtype
};

}  // namespace fl::models
