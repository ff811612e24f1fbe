// SPDX-License-Identifier: GPL-3.0-or-later
// What an engine would say of the cells of a recorded plan.
#pragma once

#include "ui/models/placement_cells.h"

namespace fl::test {

// Layer 0 is dense and bf16, the others are experts in int4, the edges bf16.
inline models::PlacementCells cellsOf(const protocol::PlanInfo& plan) {
    models::PlacementCells cells;
    cells.ranks = int(plan.ranks.size());
    cells.layers = plan.layers;
    cells.kinds = {QStringLiteral("embedding"), QStringLiteral("dense mlp"),
                   QStringLiteral("routed experts"), QStringLiteral("head")};
    cells.dtypes = {QStringLiteral("bf16"), QStringLiteral("int4")};
    cells.cells.resize(std::size_t(cells.rows()) * plan.ranks.size());
    const auto set = [&cells](int rank, int row, std::int64_t bytes, int kind, int dtype) {
        if (bytes > 0)
            cells.cells[std::size_t(row) * std::size_t(cells.ranks) + std::size_t(rank)] = {
                bytes, kind, dtype};
    };
    for (const protocol::RankInfo& rank : plan.ranks) {
        set(rank.rank, 0, rank.embedBytes, 0, 0);
        for (int layer = rank.firstLayer; layer < rank.endLayer; ++layer)
            set(rank.rank, layer + 1, rank.layerBytes[std::size_t(layer - rank.firstLayer)],
                layer == 0 ? 1 : 2, layer == 0 ? 0 : 1);
        set(rank.rank, cells.layers + 1, rank.headBytes, 3, 0);
    }
    return cells;
}

// Layer 34 on rank 21 of the large recorded plan: experts 240 to 287, and its attention.
inline std::vector<protocol::SliceInfo> kimiCell() {
    const std::string at = "language_model.model.layers.34.";
    std::vector<protocol::SliceInfo> slices;
    const auto add = [&slices](std::string tensor, const char* kind, const char* dtype,
                               std::int64_t bytes) -> protocol::SliceInfo& {
        protocol::SliceInfo slice;
        slice.tensor = std::move(tensor);
        slice.layer = 34;
        slice.kind = kind;
        slice.dtype = dtype;
        slice.bytes = bytes;
        slice.file = "model-00037-of-00064.safetensors";
        slices.push_back(std::move(slice));
        return slices.back();
    };
    add(at + "self_attn.q_b_proj.weight", "attention", "bf16", std::int64_t{1536} * 1536 * 2);
    add(at + "self_attn.kv_b_proj.weight", "attention", "bf16", std::int64_t{2048} * 512 * 2);
    protocol::SliceInfo& output =
        add(at + "self_attn.o_proj.weight", "attention", "bf16", std::int64_t{7168} * 1024 * 2);
    output.axis = 1;
    output.begin = 5120;
    output.end = 6144;
    add(at + "input_layernorm.weight", "norms", "bf16", 14336);
    for (const char* part : {"gate_proj", "up_proj", "down_proj"}) {
        protocol::SliceInfo& family = add(at + "mlp.experts.{}." + part + ".weight_packed",
                                          "routed_experts", "int4", std::int64_t{48} * 7 << 20);
        family.firstExpert = 240;
        family.expertCount = 48;
    }
    return slices;
}

}  // namespace fl::test
