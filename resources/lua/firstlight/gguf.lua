-- SPDX-License-Identifier: Apache-2.0
-- Names that GGUF files use for what the hub's configuration and tensors call otherwise
-- (ggml docs/gguf.md; gguf-py, constants.py and tensor_mapping.py). `key` stands behind the
-- architecture's prefix; `absent` says what it means that a file has no such key, where that is
-- not what it means for a config.json. The engine only reads these tables.
local M = {}

-- Keys of decoders with grouped-query attention and rotary positions. `extra` adds or replaces.
function M.config(extra)
  local t = {
    num_hidden_layers = { key = "block_count" },
    hidden_size = { key = "embedding_length" },
    intermediate_size = { key = "feed_forward_length" },
    max_position_embeddings = { key = "context_length" },
    num_attention_heads = { key = "attention.head_count" },
    num_key_value_heads = { key = "attention.head_count_kv" },
    head_dim = { key = "attention.key_length" },
    ["gguf.value_dim"] = { key = "attention.value_length" },
    rms_norm_eps = { key = "attention.layer_norm_rms_epsilon", absent = "error" },
    rope_theta = { key = "rope.freq_base", absent = "fine" },
    ["gguf.rope_dimensions"] = { key = "rope.dimension_count" },
    vocab_size = { key = "vocab_size", count_of = "tokenizer.ggml.tokens" },
    tie_word_embeddings = { absent_tensor = "output.weight" },
    ["rope_scaling.rope_type"] = { key = "rope.scaling.type", values = { none = "default" } },
    ["rope_scaling.factor"] = { key = "rope.scaling.factor" },
    ["rope_scaling.original_max_position_embeddings"] = {
      key = "rope.scaling.original_context_length",
    },
    ["gguf.rope_factors"] = { values_of = "rope_freqs.weight" },
  }
  for key, v in pairs(extra or {}) do
    t[key] = v
  end
  return t
end

-- Keys that say nothing about the arithmetic.
M.harmless = { "rope.scaling.finetuned" }

function M.tensors()
  return {
    ["model.embed_tokens.weight"] = "token_embd.weight",
    ["model.norm.weight"] = "output_norm.weight",
    ["lm_head.weight"] = "output.weight",
    ["model.layers.{i}.input_layernorm.weight"] = "blk.{i}.attn_norm.weight",
    ["model.layers.{i}.post_attention_layernorm.weight"] = "blk.{i}.ffn_norm.weight",
    ["model.layers.{i}.self_attn.q_proj.weight"] = "blk.{i}.attn_q.weight",
    ["model.layers.{i}.self_attn.k_proj.weight"] = "blk.{i}.attn_k.weight",
    ["model.layers.{i}.self_attn.v_proj.weight"] = "blk.{i}.attn_v.weight",
    ["model.layers.{i}.self_attn.o_proj.weight"] = "blk.{i}.attn_output.weight",
    ["model.layers.{i}.self_attn.q_proj.bias"] = "blk.{i}.attn_q.bias",
    ["model.layers.{i}.self_attn.k_proj.bias"] = "blk.{i}.attn_k.bias",
    ["model.layers.{i}.self_attn.v_proj.bias"] = "blk.{i}.attn_v.bias",
    ["model.layers.{i}.self_attn.o_proj.bias"] = "blk.{i}.attn_output.bias",
    ["model.layers.{i}.self_attn.q_norm.weight"] = "blk.{i}.attn_q_norm.weight",
    ["model.layers.{i}.self_attn.k_norm.weight"] = "blk.{i}.attn_k_norm.weight",
    ["model.layers.{i}.mlp.gate_proj.weight"] = "blk.{i}.ffn_gate.weight",
    ["model.layers.{i}.mlp.up_proj.weight"] = "blk.{i}.ffn_up.weight",
    ["model.layers.{i}.mlp.down_proj.weight"] = "blk.{i}.ffn_down.weight",
    ["model.layers.{i}.mlp.gate.weight"] = "blk.{i}.ffn_gate_inp.weight",
    -- All experts of a layer in one tensor: no "{}".
    ["model.layers.{i}.mlp.experts.{}.gate_proj.weight"] = "blk.{i}.ffn_gate_exps.weight",
    ["model.layers.{i}.mlp.experts.{}.up_proj.weight"] = "blk.{i}.ffn_up_exps.weight",
    ["model.layers.{i}.mlp.experts.{}.down_proj.weight"] = "blk.{i}.ffn_down_exps.weight",
  }
end

return M
