-- SPDX-License-Identifier: Apache-2.0
-- ERNIE 4.5, dense and with experts: rotation of neighbouring pairs, experts chosen by softmax with
-- a bias for the choice, shared ones in one matrix each (transformers, modeling_ernie4_5_moe.py).
local blocks = require "firstlight.blocks"
local formats = require "firstlight.formats"
local keys = require "firstlight.keys"
local moe = require "firstlight.moe"

local function evidence()
  local mlp = "model.layers.{i}.mlp."
  return keys.joined { keys.frame(), keys.gated_mlp(true), keys.attention(),
    keys.experts("moe_num_experts", "moe_intermediate_size"), {
    { tensor = mlp .. "moe_statics.e_score_correction_bias", shape = { "1", "moe_num_experts" } },
    keys.shared_experts("moe_num_shared_experts"),
    { tensor = "model.layers.{i}.self_attn.q_proj.bias", when = "use_bias" },
  } }
end

-- The layers between start and end, every so many; an end of −1 is the last layer. The configuration
-- may hold lists with one number for each modality.
local function sparse(c, m)
  if m.experts == 0 then
    return {}
  end
  local first = c.alike("moe_layer_start_index", 1, 0)
  local last = c.alike("moe_layer_end_index", -1, -1)
  local every = c.count("moe_layer_interval", 1)
  local out = {}
  for i = first, math.min(last < 0 and m.layers - 1 or last, m.layers - 1) do
    out[i] = (i + 1) % every == 0
  end
  return out
end

return {
  name = "ernie4_5_moe",
  architectures = { "Ernie4_5_MoeForCausalLM", "Ernie4_5_ForCausalLM", "Ernie4_5ForCausalLM" },
  model_types = { "ernie4_5_moe", "ernie4_5" },
  keys = keys.decoder {
    use_bias = keys.flag(), moe_num_experts = keys.count { min = 0, absent = "fine", default = 0 },
    moe_k = keys.count { absent = "fine", default = 6 },
    moe_intermediate_size = keys.count { absent = "fine", default = 1536 },
    moe_num_shared_experts = keys.count { min = 0, absent = "fine", default = 0 },
    rope_theta = keys.theta(500000.0, 500000),
    tie_word_embeddings = keys.flag { default = 1 },
  },
  evidence = evidence(),
  build = function(b, c)
    local m = blocks.grouped(c)
    m.tied = c.boolean("tie_word_embeddings", true)
    m.rope.interleaved = 1
    m.qkv_bias = c.boolean("use_bias", false)
    m.o_bias, m.mlp_bias = m.qkv_bias, m.qkv_bias
    m.experts = c.count("moe_num_experts", 0, 0)
    m.chosen = c.count("moe_k", 6)
    m.expert_inner = c.count("moe_intermediate_size", 1536)
    m.score, m.normalise = "softmax", true
    m.moe = { bias = "moe_statics.e_score_correction_bias", flat = { 1, m.experts } }
    m.shared_inner = m.expert_inner * c.count("moe_num_shared_experts", 0, 0)
    if m.experts > 0 and m.chosen > m.experts then
      c.problem("moe_k", "at most moe_num_experts " .. m.experts, tostring(m.chosen))
      m.chosen = m.experts
    end
    c.expect("moe_gate", "topk")
    c.expect("moe_use_aux_free", true)
    c.ignore("moe_norm_min", "moe_capacity", "moe_layer_start_index", "moe_layer_end_index",
      "moe_layer_interval", "num_nextn_predict_layers", "compression_ratio", "freq_allocation")
    local with_experts = sparse(c, m)
    b.format = formats.read(c)
    host.ignore("model.mtp*")
    blocks.decoder(b, m, function(_, i, x)
      return moe.layer(b, m, blocks.attention(b, m, x), with_experts[i])
    end)
  end,
}
