-- SPDX-License-Identifier: Apache-2.0
-- MiniMax-M2 to M2.7: queries and keys normalised over all heads together, half of each head turns,
-- experts in every layer, chosen by sigmoid with a bias (transformers, modeling_minimax_m2.py).
local blocks = require "firstlight.blocks"
local formats = require "firstlight.formats"
local keys = require "firstlight.keys"
local moe = require "firstlight.moe"

local function evidence()
  local base = "model.layers.{i}.block_sparse_moe."
  local expert = base .. "experts.{}."
  local inner = { "intermediate_size", "hidden_size" }
  return keys.joined { keys.frame(), keys.projections(false, true), {
    { tensor = base .. "gate.weight", shape = { "num_local_experts", "hidden_size" } },
    { tensor = base .. "e_score_correction_bias", shape = { "num_local_experts" } },
    { tensor = expert .. "w1.weight", shape = inner, experts = "num_local_experts" },
    { tensor = expert .. "w2.weight", shape = { "hidden_size", "intermediate_size" } },
    { tensor = expert .. "w3.weight", shape = inner, experts = "num_local_experts" },
  } }
end

-- How much of a head turns: rotary_dim, else what m.rope has from rope_parameters, else half.
local function rotary(c, m)
  if c.has("rotary_dim") then
    m.rope.rotary = c.count("rotary_dim", nil, 2)
    if m.rope.rotary > m.head_dim then
      c.problem("rotary_dim", "at most head_dim " .. m.head_dim, tostring(m.rope.rotary))
      m.rope.rotary = m.head_dim
    end
  end
end

return {
  name = "minimax_m2",
  architectures = { "MiniMaxM2ForCausalLM" },
  model_types = { "minimax_m2", "minimax" },
  keys = keys.decoder {
    num_local_experts = keys.count(),
    num_experts_per_tok = keys.count { max = "num_local_experts" },
    rotary_dim = keys.count { multiple_of = 2, max = "head_dim", absent = "fine" },
    rope_theta = keys.theta(5000000.0, 5000000),
    sliding_window = keys.count { absent = "fine" },
  },
  evidence = evidence(),
  build = function(b, c)
    local m = blocks.grouped(c, { partial = 0.5 })
    m.experts = c.count("num_local_experts")
    m.chosen = c.count("num_experts_per_tok")
    m.score, m.normalise, m.shared_inner, m.expert_inner = "sigmoid", true, 0, m.inner
    m.moe = {
      base = "model.layers.{i}.block_sparse_moe.", bias = "e_score_correction_bias",
      names = { "w1", "w3", "w2" },
    }
    m.qk_norm = "row"
    rotary(c, m)
    c.expect("use_qk_norm", true)
    c.expect("qk_norm_type", "per_layer")
    c.expect("scoring_func", "sigmoid")
    c.expect("use_routing_bias", true)
    c.expect("shared_intermediate_size", 0)
    c.expect_all("attn_type_list", 1)
    c.ignore("sliding_window", "router_jitter_noise", "use_mtp", "num_mtp_modules",
      "mtp_transformer_layers", "mlp_intermediate_size", "shared_moe_mode", "max_model_len",
      "layernorm_full_attention_beta", "layernorm_linear_attention_beta", "layernorm_mlp_beta")
    b.format = formats.read(c)
    host.ignore("model.mtp*")
    blocks.decoder(b, m, function(_, _, x)
      return moe.layer(b, m, blocks.attention(b, m, x), true)
    end)
  end,
}
