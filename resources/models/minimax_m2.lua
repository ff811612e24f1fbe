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

local function mixer(b, m, y)
  local base = "model.layers.{i}.block_sparse_moe."
  local ids, shares = b.router_select(moe.logits(b, m, y, base .. "gate"), {
    experts = m.experts, k = m.chosen, score = "sigmoid", normalise = true, choice = "bias",
    tensor = base .. "e_score_correction_bias", as = "layer.{i}.chosen",
  })
  return b.moe_experts(y, ids, shares, {
    tensor = base .. "experts.{}", names = { "w1", "w3", "w2" }, experts = m.experts,
    k = m.chosen, inner = m.inner, as = "layer.{i}.mlp", tap = "layer.{i}.mlp",
  })
end

-- How much of a head turns: rotary_dim, else rope_parameters, else half.
local function rotary(c, m)
  m.rope = blocks.rope(c, m.head_dim, m.context, { partial = 0.5 })
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
    local m = blocks.common(c)
    m.kv_heads = c.count("num_key_value_heads", m.heads)
    m.head_dim = c.count("head_dim", math.max(1, m.hidden // m.heads))
    m.inner = c.count("intermediate_size")
    m.experts = c.count("num_local_experts")
    m.chosen = c.count("num_experts_per_tok")
    m.qk_norm = "row"
    rotary(c, m)
    c.expect("hidden_act", "silu")
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
      x = blocks.attention(b, m, x)
      local out = mixer(b, m, blocks.mlp_norm(b, m, x))
      return b.add(x, out, { as = "layer.{i}", site = "mlp", tap = "layer.{i}" })
    end)
  end,
}
