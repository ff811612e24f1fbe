// SPDX-License-Identifier: Apache-2.0
// The cells of the placement map, and what lies in one of them.
#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "engine/base/base64.h"
#include "engine/graph/graph.h"
#include "engine/service/reports.h"

namespace fl::service {

namespace {

// Of a family of experts that is spread over the whole checkpoint.
constexpr std::size_t kMostFiles = 64;

// Row 0 lies before the first layer, the last one behind the last layer. Where a stage has no
// embedding, a table that it shares with the first belongs to its head.
int rowOf(const graph::Graph& graph, const plan::Stage& stage, const graph::Weight& weight) {
    if (weight.layer < 0)
        return stage.embeds ? 0 : graph.layerCount + 1;
    return std::min(weight.layer, graph.layerCount) + 1;
}

// Little-endian, whatever this machine's own order is.
template <class T>
void append(std::string& column, T value) {
    for (std::size_t i = 0; i < sizeof(T); ++i)
        column += static_cast<char>(static_cast<std::uint64_t>(value) >> (8 * i) & 255);
}

std::string packed(const std::string& column) {
    return encodeBase64(std::as_bytes(std::span(column)));
}

// One rank's share of one row; the map's order is that of the columns.
struct Cell {
    std::int64_t bytes = 0;
    std::map<std::pair<std::uint8_t, DType>, std::int64_t> parts;  // by kind and type
};
using Cells = std::map<std::pair<int, std::uint8_t>, Cell>;  // by row, and kind where asked

Cells cellsOf(const Inspection& inspection, const plan::Plan& plan, int rank, bool byKind) {
    const graph::Graph& graph = inspection.model.graph;
    const plan::Coordinates where = plan::coordinates(plan.mesh, rank);
    const plan::Stage& stage = plan.stages[static_cast<std::size_t>(where.pp)];
    Cells cells;
    for (const plan::Slice& slice : plan::slicesOf(graph, inspection.model.stored, plan, rank)) {
        const auto index = static_cast<std::size_t>(slice.weight);
        const graph::Weight& weight = graph.weights[index];
        const auto kind = static_cast<std::uint8_t>(weight.kind);
        Cell& cell = cells[{rowOf(graph, stage, weight), byKind ? kind : std::uint8_t{0}}];
        cell.bytes += slice.bytes + slice.scaleBytes;
        cell.parts[{kind, inspection.model.stored[index].dtype}] += slice.bytes + slice.scaleBytes;
    }
    return cells;
}

template <class Key>
auto largest(const std::map<std::pair<std::uint8_t, DType>, std::int64_t>& parts, const Key& key) {
    std::map<decltype(key(parts.begin()->first)), std::int64_t> sums;
    for (const auto& [part, bytes] : parts)
        sums[key(part)] += bytes;
    return std::max_element(sums.begin(), sums.end(),
                            [](const auto& a, const auto& b) { return a.second < b.second; })
        ->first;
}

class Columns {
public:
    void add(int rank, int row, const Cell& cell) {
        if (cell.bytes == 0)
            return;
        const DType type = largest(cell.parts, [](const auto& part) { return part.second; });
        const auto known = std::find(types_.begin(), types_.end(), type);
        const auto place = static_cast<std::uint8_t>(known - types_.begin());
        if (known == types_.end())
            types_.push_back(type);
        append(rank_, static_cast<std::uint16_t>(rank));
        append(row_, static_cast<std::uint16_t>(row));
        append(kind_, largest(cell.parts, [](const auto& part) { return part.first; }));
        append(dtype_, place);
        append(bytes_, cell.bytes);
        ++count_;
    }

    protocol::PlanCells take() const {
        protocol::PlanCells out;
        for (std::size_t kind = 0; kind < graph::kWeightKindCount; ++kind)
            out.kinds.emplace_back(graph::name(static_cast<graph::WeightKind>(kind)));
        for (const DType type : types_)
            out.dtypes.emplace_back(name(type));
        out.count = count_;
        out.rank = packed(rank_);
        out.row = packed(row_);
        out.kind = packed(kind_);
        out.dtype = packed(dtype_);
        out.bytes = packed(bytes_);
        return out;
    }

private:
    std::vector<DType> types_;
    std::int64_t count_ = 0;
    std::string rank_;
    std::string row_;
    std::string kind_;
    std::string dtype_;
    std::string bytes_;
};

void addFiles(const Inspection& inspection, const plan::Slice& slice, protocol::SliceInfo& out) {
    const auto& tensors = inspection.model.tensors[static_cast<std::size_t>(slice.weight)];
    const auto first = static_cast<std::size_t>(slice.firstExpert);
    const auto count = static_cast<std::size_t>(std::max(1, slice.expertCount));
    std::set<std::string> seen;
    for (std::size_t i = first; i < std::min(first + count, tensors.size()); ++i) {
        const auto shard = static_cast<std::size_t>(tensors[i].shard);
        const std::string& file = inspection.checkpoint->shards[shard].fileName;
        if (out.file.empty())
            out.file = file;
        if (seen.insert(file).second && out.files.size() < kMostFiles)
            out.files.push_back(file);
    }
}

protocol::SliceInfo sliceInfo(const Inspection& inspection, const plan::Slice& slice) {
    const auto index = static_cast<std::size_t>(slice.weight);
    const graph::Weight& weight = inspection.model.graph.weights[index];
    protocol::SliceInfo out;
    out.tensor = weight.tensor;
    out.layer = weight.layer;
    out.kind = graph::name(weight.kind);
    if (index < inspection.model.stored.size())
        out.dtype = name(inspection.model.stored[index].dtype);
    out.axis = slice.axis;
    out.begin = slice.begin;
    out.end = slice.end;
    out.firstExpert = slice.firstExpert;
    out.expertCount = slice.expertCount;
    out.bytes = slice.bytes + slice.scaleBytes;
    for (int i = 0; i < weight.shape.rank(); ++i)
        out.shape.push_back(weight.shape[i]);
    addFiles(inspection, slice, out);
    return out;
}

}  // namespace

Result<protocol::PlanCells> cellsReport(const Inspection& inspection,
                                        const plan::Plan& plan,
                                        const std::string& by) {
    if (by != "layer" && by != "kind")
        return Error{ErrorCode::InvalidArgument, "'" + by + "' is not one of layer, kind"};
    Columns columns;
    // Replicas without common experts hold the same: looked at once.
    std::map<std::tuple<int, int, int>, Cells> known;
    for (int rank = 0; rank < plan.mesh.ranks(); ++rank) {
        const plan::Coordinates where = plan::coordinates(plan.mesh, rank);
        const int replica = where.dp % plan::expertReplicas(plan.mesh);
        const auto [place, isNew] = known.try_emplace({replica, where.pp, where.tp}, Cells{});
        if (isNew)
            place->second = cellsOf(inspection, plan, rank, by == "kind");
        for (const auto& [key, cell] : place->second)
            columns.add(rank, key.first, cell);
    }
    protocol::PlanCells out = columns.take();
    out.ranks = plan.mesh.ranks();
    out.layers = inspection.model.graph.layerCount;
    return out;
}

protocol::SlicesReply slicesReport(const Inspection& inspection, const plan::Plan& plan, int rank) {
    protocol::SlicesReply out;
    for (const plan::Slice& slice :
         plan::slicesOf(inspection.model.graph, inspection.model.stored, plan, rank))
        out.slices.push_back(sliceInfo(inspection, slice));
    return out;
}

protocol::SlicesReply cellReport(const Inspection& inspection,
                                 const plan::Plan& plan,
                                 int rank,
                                 int row,
                                 const std::string& kind) {
    const graph::Graph& graph = inspection.model.graph;
    const auto stage = static_cast<std::size_t>(plan::coordinates(plan.mesh, rank).pp);
    protocol::SlicesReply out;
    for (const plan::Slice& slice : plan::slicesOf(graph, inspection.model.stored, plan, rank)) {
        const graph::Weight& weight = graph.weights[static_cast<std::size_t>(slice.weight)];
        const bool wanted = kind.empty() || graph::name(weight.kind) == kind;
        if (wanted && rowOf(graph, plan.stages[stage], weight) == row)
            out.slices.push_back(sliceInfo(inspection, slice));
    }
    return out;
}

}  // namespace fl::service
