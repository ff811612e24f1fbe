// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>

#include "engine/base/text.h"
#include "engine/protocol/tensor_columns.h"
#include "tests/ui/support/recorded.h"

namespace fl::test {

namespace {

using protocol::TensorRow;

std::int64_t product(const std::vector<std::int64_t>& shape) {
    std::int64_t count = 1;
    for (const std::int64_t size : shape)
        count *= size;
    return count;
}

std::int64_t stored(const std::string& dtype, std::int64_t count) {
    if (dtype == "q4_1")
        return count / 32 * 20;
    if (dtype == "q8_0")
        return count / 32 * 34;
    if (dtype == "f32" || dtype == "int32")
        return count * 4;
    return count * (dtype == "int64" ? 8 : 2);
}

class Rows {
public:
    void add(const std::string& name,
             const std::string& dtype,
             std::vector<std::int64_t> shape,
             const std::string& kind,
             int shard = 0) {
        TensorRow row;
        row.name = name;
        row.dtype = dtype;
        row.bytes = stored(dtype, product(shape));
        row.shape = std::move(shape);
        row.kind = kind;
        row.shard = shard;
        row.contract = name.ends_with("weight_shape") ? "ignored" : "matched";
        rows_.push_back(std::move(row));
    }
    // The engine answers sorted by characters, "10" before "2".
    std::vector<TensorRow> sorted() {
        std::sort(rows_.begin(), rows_.end(),
                  [](const TensorRow& a, const TensorRow& b) { return a.name < b.name; });
        return std::move(rows_);
    }

private:
    std::vector<TensorRow> rows_;
};

void addAttention(Rows& rows, const std::string& at, int shard) {
    rows.add(at + "input_layernorm.weight", "bf16", {7168}, "norms", shard);
    rows.add(at + "post_attention_layernorm.weight", "bf16", {7168}, "norms", shard);
    rows.add(at + "self_attn.kv_a_layernorm.weight", "bf16", {512}, "norms", shard);
    rows.add(at + "self_attn.kv_a_proj_with_mqa.weight", "bf16", {576, 7168}, "attention", shard);
    rows.add(at + "self_attn.kv_b_proj.weight", "bf16", {16384, 512}, "attention", shard);
    rows.add(at + "self_attn.o_proj.weight", "bf16", {7168, 8192}, "attention", shard);
    rows.add(at + "self_attn.q_a_layernorm.weight", "bf16", {1536}, "norms", shard);
    rows.add(at + "self_attn.q_a_proj.weight", "bf16", {1536, 7168}, "attention", shard);
    rows.add(at + "self_attn.q_b_proj.weight", "bf16", {12288, 1536}, "attention", shard);
}

void addExpert(Rows& rows, const std::string& at, int shard) {
    for (const char* part : {"down_proj", "gate_proj", "up_proj"}) {
        const bool down = part[0] == 'd';
        const std::int64_t outputs = down ? 7168 : 2048;
        const std::int64_t inputs = down ? 2048 : 7168;
        rows.add(at + part + ".weight_packed", "int32", {outputs, inputs / 8}, "routed_experts",
                 shard);
        rows.add(at + part + ".weight_scale", "bf16", {outputs, inputs / 32}, "routed_experts",
                 shard);
        rows.add(at + part + ".weight_shape", "int64", {2}, "routed_experts", shard);
    }
}

}  // namespace

std::vector<protocol::TensorRow> smollmTensors() {
    Rows rows;
    rows.add("token_embd.weight", "q8_0", {49152, 576}, "embedding");
    rows.add("output_norm.weight", "f32", {576}, "norms");
    for (int layer = 0; layer < 30; ++layer) {
        const std::string at = "blk." + std::to_string(layer) + ".";
        rows.add(at + "attn_norm.weight", "f32", {576}, "norms");
        rows.add(at + "attn_q.weight", "q4_1", {576, 576}, "attention");
        rows.add(at + "attn_k.weight", "q4_1", {192, 576}, "attention");
        rows.add(at + "attn_v.weight", "q4_1", {192, 576}, "attention");
        rows.add(at + "attn_output.weight", "q4_1", {576, 576}, "attention");
        rows.add(at + "ffn_norm.weight", "f32", {576}, "norms");
        rows.add(at + "ffn_gate.weight", "q4_1", {1536, 576}, "dense_mlp");
        rows.add(at + "ffn_up.weight", "q4_1", {1536, 576}, "dense_mlp");
        rows.add(at + "ffn_down.weight", "q4_1", {576, 1536}, "dense_mlp");
    }
    return rows.sorted();
}

std::vector<protocol::TensorRow> kimiTensors() {
    Rows rows;
    const std::string model = "language_model.model.";
    rows.add(model + "embed_tokens.weight", "bf16", {163840, 7168}, "embedding", 0);
    rows.add(model + "norm.weight", "bf16", {7168}, "norms", 62);
    rows.add("language_model.lm_head.weight", "bf16", {163840, 7168}, "head", 62);
    for (int layer = 0; layer < 61; ++layer) {
        const std::string at = model + "layers." + std::to_string(layer) + ".";
        const int shard = 1 + layer;
        addAttention(rows, at, shard);
        if (layer == 0) {
            rows.add(at + "mlp.down_proj.weight", "bf16", {7168, 18432}, "dense_mlp", 0);
            rows.add(at + "mlp.gate_proj.weight", "bf16", {18432, 7168}, "dense_mlp", 0);
            rows.add(at + "mlp.up_proj.weight", "bf16", {18432, 7168}, "dense_mlp", 0);
            continue;
        }
        rows.add(at + "mlp.gate.weight", "bf16", {384, 7168}, "router", shard);
        rows.add(at + "mlp.gate.e_score_correction_bias", "f32", {384}, "router", shard);
        for (int expert = 0; expert < 384; ++expert)
            addExpert(rows, at + "mlp.experts." + std::to_string(expert) + ".", shard);
    }
    for (int block = 0; block < 27; ++block) {
        const std::string at = "vision_tower.encoder.blocks." + std::to_string(block) + ".";
        rows.add(at + "wqkv.weight", "bf16", {3456, 1152}, "vision", 63);
        rows.add(at + "wo.weight", "bf16", {1152, 1152}, "vision", 63);
    }
    return rows.sorted();
}

std::vector<protocol::TensorColumns> columnsOf(std::vector<TensorRow> rows, std::size_t page) {
    std::sort(rows.begin(), rows.end(),
              [](const TensorRow& a, const TensorRow& b) { return naturalLess(a.name, b.name); });
    std::vector<protocol::TensorForm> forms;
    std::vector<std::size_t> places;
    for (const TensorRow& row : rows) {
        const protocol::TensorForm form{row.dtype, row.shape, row.bytes, row.contract, row.kind};
        const auto found = std::find(forms.rbegin(), forms.rend(), form);
        places.push_back(
            std::size_t(found == forms.rend() ? forms.size() : forms.rend() - found - 1));
        if (found == forms.rend())
            forms.push_back(form);
    }
    protocol::TensorPacker packer(forms);
    std::vector<protocol::TensorColumns> pages;
    std::size_t begin = 0;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        packer.add(rows[i].name, places[i], rows[i].shard);
        if (i + 1 == rows.size() || i + 1 == begin + page) {
            pages.push_back(packer.take(std::int64_t(rows.size()), std::int64_t(begin)));
            begin = i + 1;
        }
    }
    return pages;
}

}  // namespace fl::test
