// SPDX-License-Identifier: GPL-3.0-or-later
// What one rank holds of one layer, taken apart: each expert with its tensors, and every other
// tensor.
#pragma once

#include <cstdint>
#include <vector>

#include <QString>

#include "engine/protocol/messages.h"

namespace fl::panels {

struct CellExpert {
    int expert = 0;
    std::int64_t bytes = 0;             // of all its tensors here
    std::vector<std::size_t> families;  // places in CellParts::slices
};

struct CellParts {
    std::vector<protocol::SliceInfo> slices;
    std::vector<CellExpert> experts;  // ascending
    std::vector<std::size_t> others;  // places in slices, largest first
    std::int64_t bytes = 0;
};

// A place in CellParts::experts or CellParts::others; the other one is −1.
struct CellPlace {
    int expert = -1;
    int other = -1;
    bool operator==(const CellPlace&) const = default;
};

CellParts cellParts(const std::vector<protocol::SliceInfo>& slices);

// "model.layers.3.mlp.experts.{}.up_proj.weight" of expert 7 → "….experts.7.up_proj.weight".
QString tensorName(const protocol::SliceInfo& slice, int expert);
// What follows the layer's number: "mlp.experts.7.up_proj.weight".
QString shortTensorName(const protocol::SliceInfo& slice, int expert);

}  // namespace fl::panels
