// SPDX-License-Identifier: Apache-2.0
// The tensors of an inspection as a client lists them: those of the files and those that are
// missing, in the order of fl::naturalLess, with what they have in common told once. Made once for
// an inspection, then read by pages.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/protocol/tensor_columns.h"
#include "engine/service/prepare.h"

namespace fl::service {

// What the recipe needs and the checkpoint lacks, sorted by name: weights, and what lies beside
// packed ones (scales, shapes).
std::vector<protocol::TensorRow> missingTensors(const Inspection& inspection);
// "matched", "ignored", …: of a place in the inventory.
std::string contractState(const recipe::Contract& contract, std::size_t index);

class TensorIndex {
public:
    // `inspection` outlives the index.
    explicit TensorIndex(const Inspection& inspection);

    std::int64_t size() const { return static_cast<std::int64_t>(rows_.size()); }
    protocol::TensorColumns page(const protocol::ColumnsRequest& request) const;

private:
    struct Row {
        std::string_view name;
        std::int32_t shard = -1;
        std::uint32_t form = 0;
    };
    struct Range {
        std::size_t begin = 0;
        std::size_t end = 0;
        std::size_t prefix = 0;  // characters that all its names share
    };
    struct Part {
        std::size_t begin = 0;
        std::size_t end = 0;
        std::string_view word;
    };
    void addPresent(const Inspection& inspection);
    void addMissing();
    void order();
    std::vector<Part> partsOf(const Range& range) const;
    void arrange(std::size_t begin, std::vector<Part>& parts);

    std::vector<protocol::TensorRow> missing_;
    std::vector<protocol::TensorForm> forms_;
    std::vector<Row> rows_;
};

}  // namespace fl::service
