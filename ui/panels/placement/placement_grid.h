// SPDX-License-Identifier: GPL-3.0-or-later
// The plan as a grid of ranks and layers: what the heat map colours.
#pragma once

#include <cstdint>
#include <vector>

#include <QString>

#include "engine/protocol/messages.h"
#include "ui/models/placement_cells.h"

namespace fl::panels {

enum class ColourBy { Bytes, Kind, Dtype };

struct GridCell {
    bool present = false;
    std::int64_t bytes = 0;
    int category = -1;  // index into categories; −1: bytes are coloured, or not known yet
};

// Row 0 is the embedding, then the layers, then norm and head; edge rows only if someone holds
// them.
struct PlacementGrid {
    int layers = 0;
    bool hasEmbed = false;
    bool hasHead = false;
    std::vector<int> ranks;  // column → rank
    std::vector<GridCell> cells;
    std::int64_t most = 0;            // of one layer on one rank
    std::vector<QString> categories;  // largest first
    struct Span {
        QString name;
        int first = 0;  // column
        int count = 0;
    };
    std::vector<Span> nodes;
    struct Boundary {
        int layer = 0;   // first layer of the next stage
        int stage = 0;   // that ends here
        int column = 0;  // between column − 1 and column
    };
    std::vector<Boundary> boundaries;

    int rows() const { return layers + (hasEmbed ? 1 : 0) + (hasHead ? 1 : 0); }
    int rowOfLayer(int layer) const { return layer + (hasEmbed ? 1 : 0); }
    // Layer of a row; −1: embedding, `layers`: head.
    int layerOf(int row) const { return row - (hasEmbed ? 1 : 0); }
    const GridCell& at(int column, int row) const {
        return cells[std::size_t(row) * ranks.size() + std::size_t(column)];
    }
    GridCell& at(int column, int row) {
        return cells[std::size_t(row) * ranks.size() + std::size_t(column)];
    }
};

// `cells`: what the engine says each rank holds; null while it has not: then the plan's own sums of
// bytes are shown, and neither kinds nor types are known.
PlacementGrid placementGrid(const protocol::PlanInfo& plan,
                            const models::PlacementCells* cells,
                            ColourBy by);

}  // namespace fl::panels
