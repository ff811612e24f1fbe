// SPDX-License-Identifier: Apache-2.0
// A whole checkpoint folder of a small llama with made-up weights: what a job can be started on in
// a fresh clone.
#pragma once

#include <string>

#include "tests/support/tiny_checkpoint.h"

namespace fl::test {

// Four layers, four heads over two key/value heads, 512 tokens, bf16, three shards. `poisoned`: the
// tensor whose values are all NaN.
inline void writeTinyLlama(const std::string& folder, const std::string& poisoned = "") {
    constexpr std::string_view kConfig = R"({
        "architectures": ["LlamaForCausalLM"], "model_type": "llama", "vocab_size": 512,
        "hidden_size": 64, "intermediate_size": 160, "num_hidden_layers": 4,
        "num_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 16,
        "hidden_act": "silu", "max_position_embeddings": 2048, "rms_norm_eps": 1e-05,
        "rope_theta": 10000.0, "tie_word_embeddings": false, "attention_bias": false,
        "mlp_bias": false, "torch_dtype": "bfloat16"})";
    std::vector<TinyTensor> tensors;
    const auto add = [&](const std::string& name, Shape shape) {
        tensors.push_back(patternTensor(name, DType::BF16, shape));
        if (name == poisoned)
            tensors.back().data.assign(tensors.back().data.size(), '\xFF');
    };
    add("model.embed_tokens.weight", {512, 64});
    add("lm_head.weight", {512, 64});
    add("model.norm.weight", {64});
    for (int layer = 0; layer < 4; ++layer) {
        const std::string at = "model.layers." + std::to_string(layer) + ".";
        add(at + "input_layernorm.weight", {64});
        add(at + "post_attention_layernorm.weight", {64});
        add(at + "self_attn.q_proj.weight", {64, 64});
        add(at + "self_attn.k_proj.weight", {32, 64});
        add(at + "self_attn.v_proj.weight", {32, 64});
        add(at + "self_attn.o_proj.weight", {64, 64});
        add(at + "mlp.gate_proj.weight", {160, 64});
        add(at + "mlp.up_proj.weight", {160, 64});
        add(at + "mlp.down_proj.weight", {64, 160});
    }
    writeHubFolder(folder, tensors, 3, kConfig);
}

}  // namespace fl::test
