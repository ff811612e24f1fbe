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

-- Of latent attention and shared experts (llama.cpp, architecture deepseek2), besides those above.
function M.deepseek_tensors()
  local t = M.tensors()
  local attn, mlp = "model.layers.{i}.self_attn.", "model.layers.{i}.mlp."
  for from, to in pairs {
    [attn .. "q_a_proj.weight"] = "attn_q_a.weight",
    [attn .. "q_a_layernorm.weight"] = "attn_q_a_norm.weight",
    [attn .. "q_b_proj.weight"] = "attn_q_b.weight",
    [attn .. "kv_a_proj_with_mqa.weight"] = "attn_kv_a_mqa.weight",
    [attn .. "kv_a_layernorm.weight"] = "attn_kv_a_norm.weight",
    [attn .. "kv_b_proj.weight"] = "attn_kv_b.weight",
    [attn .. "k_b.weight"] = "attn_k_b.weight",
    [attn .. "v_b.weight"] = "attn_v_b.weight",
    [mlp .. "gate.e_score_correction_bias"] = "exp_probs_b.bias",
    [mlp .. "shared_experts.gate_proj.weight"] = "ffn_gate_shexp.weight",
    [mlp .. "shared_experts.up_proj.weight"] = "ffn_up_shexp.weight",
    [mlp .. "shared_experts.down_proj.weight"] = "ffn_down_shexp.weight",
  } do
    t[from] = "blk.{i}." .. to
  end
  return t
end

function M.deepseek_config()
  local t = M.config {
    q_lora_rank = { key = "attention.q_lora_rank" },
    kv_lora_rank = { key = "attention.kv_lora_rank" },
    ["gguf.key_mla"] = { key = "attention.key_length_mla" },
    v_head_dim = { key = "attention.value_length_mla" },
    qk_rope_head_dim = { key = "rope.dimension_count" },
    ["gguf.latent_key"] = { key = "attention.key_length" },
    ["gguf.latent_value"] = { key = "attention.value_length" },
    ["gguf.latent_heads"] = { key = "attention.head_count_kv" },
    n_routed_experts = { key = "expert_count" },
    num_experts_per_tok = { key = "expert_used_count" },
    n_shared_experts = { key = "expert_shared_count" },
    moe_intermediate_size = { key = "expert_feed_forward_length" },
    n_group = { key = "expert_group_count", absent = "fine" },
    topk_group = { key = "expert_group_used_count", absent = "fine" },
    ["gguf.gating"] = { key = "expert_gating_func" },
    first_k_dense_replace = { key = "leading_dense_block_count" },
    routed_scaling_factor = { key = "expert_weights_scale", absent = "fine" },
    norm_topk_prob = { key = "expert_weights_norm" },
    ["gguf.yarn_log"] = { key = "rope.scaling.yarn_log_multiplier" },
    ["gguf.one_kv_b"] = { absent_tensor = "blk.0.attn_k_b.weight" },
  }
  for _, key in ipairs {
    "num_key_value_heads", "head_dim", "gguf.value_dim", "gguf.rope_dimensions",
  } do
    t[key] = nil
  end
  return t
end

return M
