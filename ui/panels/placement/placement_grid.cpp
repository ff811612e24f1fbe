// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/placement/placement_grid.h"

#include <algorithm>
#include <map>

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

// Colours each cell by the kind or dtype that fills most of it. Ranks whose slices were not asked
// for stay unknown.
void categorise(PlacementGrid& grid, const models::PlanModel& plan, ColourBy by) {
    std::map<QString, std::int64_t> sums;
    std::map<std::pair<int, int>, std::map<QString, std::int64_t>> parts;
    for (std::size_t column = 0; column < grid.ranks.size(); ++column) {
        const auto* slices = plan.slices(grid.ranks[column]);
        for (std::size_t i = 0; slices != nullptr && i < slices->size(); ++i) {
            const protocol::SliceInfo& slice = (*slices)[i];
            const bool head = slice.layer < 0 && (slice.kind == "head" || slice.kind == "norms");
            const int row = slice.layer >= 0 ? grid.rowOfLayer(slice.layer)
                            : head           ? grid.rows() - 1
                                             : 0;
            if (row < 0 || row >= grid.rows())
                continue;
            const QString word = qt(by == ColourBy::Kind ? slice.kind : slice.dtype);
            sums[word] += slice.bytes;
            parts[{int(column), row}][word] += slice.bytes;
        }
    }
    for (const auto& [word, bytes] : sums)
        grid.categories.push_back(word);
    std::stable_sort(grid.categories.begin(), grid.categories.end(),
                     [&](const QString& a, const QString& b) { return sums[a] > sums[b]; });
    for (const auto& [place, words] : parts) {
        const auto most =
            std::max_element(words.begin(), words.end(),
                             [](const auto& a, const auto& b) { return a.second < b.second; });
        const auto found = std::find(grid.categories.begin(), grid.categories.end(), most->first);
        grid.at(place.first, place.second).category = int(found - grid.categories.begin());
    }
}

}  // namespace

PlacementGrid placementGrid(const models::PlanModel& plan, ColourBy by) {
    PlacementGrid grid;
    if (plan.empty())
        return grid;
    std::vector<const protocol::RankInfo*> ranks;
    for (const protocol::RankInfo& rank : plan.plan().ranks) {
        ranks.push_back(&rank);
        grid.hasEmbed = grid.hasEmbed || rank.embedBytes > 0;
        grid.hasHead = grid.hasHead || rank.headBytes > 0;
        grid.layers = std::max(grid.layers, rank.endLayer);
    }
    grid.layers = std::max(grid.layers, plan.plan().layers);
    std::sort(ranks.begin(), ranks.end(),
              [](const auto* a, const auto* b) { return a->rank < b->rank; });
    for (const protocol::RankInfo* rank : ranks)
        grid.ranks.push_back(rank->rank);
    grid.cells.resize(std::size_t(grid.rows()) * ranks.size());
    for (std::size_t column = 0; column < ranks.size(); ++column)
        addRank(grid, int(column), *ranks[column]);
    addEdges(grid, ranks);
    if (by != ColourBy::Bytes)
        categorise(grid, plan, by);
    return grid;
}

}  // namespace fl::panels
