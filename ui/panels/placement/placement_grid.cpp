// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/placement/placement_grid.h"

#include <algorithm>

#include "ui/models/text.h"

namespace fl::panels {

using models::qt;

namespace {

void addRank(PlacementGrid& grid, int column, const protocol::RankInfo& rank) {
    if (grid.hasEmbed && rank.embedBytes > 0)
        grid.at(column, 0) = {true, rank.embedBytes, -1};
    if (grid.hasHead && rank.headBytes > 0)
        grid.at(column, grid.rows() - 1) = {true, rank.headBytes, -1};
    for (int layer = rank.firstLayer; layer < rank.endLayer && layer < grid.layers; ++layer) {
        const auto i = std::size_t(layer - rank.firstLayer);
        const std::int64_t bytes = i < rank.layerBytes.size() ? rank.layerBytes[i] : 0;
        grid.at(column, grid.rowOfLayer(layer)) = {true, bytes, -1};
        grid.most = std::max(grid.most, bytes);
    }
}

void addEdges(PlacementGrid& grid, const std::vector<const protocol::RankInfo*>& ranks) {
    for (std::size_t column = 0; column < ranks.size(); ++column) {
        const QString node = qt(ranks[column]->node);
        if (grid.nodes.empty() || grid.nodes.back().name != node)
            grid.nodes.push_back({node, int(column), 0});
        ++grid.nodes.back().count;
        const bool next = column > 0 && ranks[column]->pp == ranks[column - 1]->pp + 1 &&
                          ranks[column]->dp == ranks[column - 1]->dp;
        if (next)
            grid.boundaries.push_back(
                {ranks[column]->firstLayer, ranks[column - 1]->pp, int(column)});
    }
}

// Row of the grid that a row of the cells is; −1: the grid has none, because nobody holds it.
int gridRow(const PlacementGrid& grid, int row) {
    if (row == 0)
        return grid.hasEmbed ? 0 : -1;
    if (row > grid.layers)
        return grid.hasHead ? grid.rows() - 1 : -1;
    return grid.rowOfLayer(row - 1);
}

void addCells(PlacementGrid& grid, const models::PlacementCells& cells) {
    grid.most = 0;
    for (int row = 0; row < cells.rows(); ++row) {
        const int place = gridRow(grid, row);
        for (std::size_t column = 0; place >= 0 && column < grid.ranks.size(); ++column) {
            const std::int64_t bytes = cells.at(grid.ranks[column], row).bytes;
            grid.at(int(column), place) = {bytes > 0, bytes, -1};
            if (row > 0 && row <= grid.layers)
                grid.most = std::max(grid.most, bytes);
        }
    }
}

// Colours each cell by the kind or type of most of its bytes; the largest part comes first.
void categorise(PlacementGrid& grid, const models::PlacementCells& cells, ColourBy by) {
    const std::vector<QString>& words = by == ColourBy::Kind ? cells.kinds : cells.dtypes;
    const auto wordOf = [by](const models::PlacementCell& cell) {
        return by == ColourBy::Kind ? cell.kind : cell.dtype;
    };
    std::vector<std::int64_t> sums(words.size(), 0);
    for (const models::PlacementCell& cell : cells.cells) {
        if (cell.bytes > 0)
            sums[std::size_t(wordOf(cell))] += cell.bytes;
    }
    std::vector<int> order;
    for (std::size_t i = 0; i < words.size(); ++i) {
        if (sums[i] > 0)
            order.push_back(int(i));
    }
    std::stable_sort(order.begin(), order.end(),
                     [&](int a, int b) { return sums[std::size_t(a)] > sums[std::size_t(b)]; });
    std::vector<int> place(words.size(), -1);
    for (std::size_t i = 0; i < order.size(); ++i) {
        place[std::size_t(order[i])] = int(i);
        grid.categories.push_back(words[std::size_t(order[i])]);
    }
    for (int row = 0; row < cells.rows(); ++row) {
        const int to = gridRow(grid, row);
        for (std::size_t column = 0; to >= 0 && column < grid.ranks.size(); ++column) {
            const models::PlacementCell& cell = cells.at(grid.ranks[column], row);
            if (cell.bytes > 0)
                grid.at(int(column), to).category = place[std::size_t(wordOf(cell))];
        }
    }
}

}  // namespace

PlacementGrid placementGrid(const protocol::PlanInfo& plan,
                            const models::PlacementCells* cells,
                            ColourBy by) {
    PlacementGrid grid;
    std::vector<const protocol::RankInfo*> ranks;
    for (const protocol::RankInfo& rank : plan.ranks) {
        ranks.push_back(&rank);
        grid.hasEmbed = grid.hasEmbed || rank.embedBytes > 0;
        grid.hasHead = grid.hasHead || rank.headBytes > 0;
        grid.layers = std::max(grid.layers, rank.endLayer);
    }
    if (ranks.empty())
        return grid;
    grid.layers = std::max(grid.layers, plan.layers);
    std::sort(ranks.begin(), ranks.end(),
              [](const auto* a, const auto* b) { return a->rank < b->rank; });
    for (const protocol::RankInfo* rank : ranks)
        grid.ranks.push_back(rank->rank);
    grid.cells.resize(std::size_t(grid.rows()) * ranks.size());
    for (std::size_t column = 0; column < ranks.size(); ++column)
        addRank(grid, int(column), *ranks[column]);
    addEdges(grid, ranks);
    const bool same = cells != nullptr && cells->layers == grid.layers &&
                      ranks.front()->rank >= 0 && ranks.back()->rank < cells->ranks;
    if (same) {
        addCells(grid, *cells);
        if (by != ColourBy::Bytes)
            categorise(grid, *cells, by);
    }
    return grid;
}

}  // namespace fl::panels
