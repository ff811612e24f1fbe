// SPDX-License-Identifier: GPL-3.0-or-later
// What the hover cards of the placement panel say of a cell, and of a part of one.
#pragma once

#include <functional>

#include "ui/models/placement_cells.h"
#include "ui/panels/placement/cell_parts.h"

namespace fl::widgets {
class HoverCard;
}

namespace fl::panels {

// "expert, int4": what fills most of a cell; empty where nobody knows.
QString partsText(const models::PlacementCells& cells, int rank, int row);

void fillCellCard(widgets::HoverCard& card,
                  const QString& row,
                  const protocol::RankInfo& rank,
                  std::int64_t bytes,
                  const QString& parts);

// `shardOf` names the file of a tensor by its number, or is empty where it is not known.
void fillPartCard(widgets::HoverCard& card,
                  const CellParts& parts,
                  const CellPlace& place,
                  int rank,
                  const std::function<QString(const QString&)>& shardOf);

// The tensor behind a part; of an expert, its first one.
QString partName(const CellParts& parts, const CellPlace& place);

}  // namespace fl::panels
