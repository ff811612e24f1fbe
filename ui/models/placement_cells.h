// SPDX-License-Identifier: GPL-3.0-or-later
// What each rank holds of each layer, as the engine sends it in columns.
#pragma once

#include <cstdint>
#include <vector>

#include <QString>

#include "engine/protocol/messages.h"

namespace fl::models {

struct PlacementCell {
    std::int64_t bytes = 0;  // 0: the rank holds nothing of this row
    int kind = -1;           // place in PlacementCells::kinds, of most of the bytes
    int dtype = -1;          // in PlacementCells::dtypes
};

struct PlacementCells {
    int ranks = 0;
    int layers = 0;
    std::vector<QString> kinds;
    std::vector<QString> dtypes;
    std::vector<PlacementCell> cells;  // [row][rank]

    // Row 0 is what comes before the layers, then they, then what comes behind.
    int rows() const { return layers + 2; }
    const PlacementCell& at(int rank, int row) const {
        return cells[std::size_t(row) * std::size_t(ranks) + std::size_t(rank)];
    }
};

// Corrupt where the columns are not of one length, or name a rank, row, kind or type that is not.
Result<PlacementCells> placementCells(const protocol::PlanCells& columns);

}  // namespace fl::models
