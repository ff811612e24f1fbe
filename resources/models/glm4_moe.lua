-- SPDX-License-Identifier: Apache-2.0
-- GLM-4.5 to 4.7: grouped-query attention of which a part of each head turns, experts as in
-- DeepSeek-V3, a draft layer behind the others.
local blocks = require "firstlight.blocks"
local deepseek = require "firstlight.deepseek"
local formats = require "firstlight.formats"
local keys = require "firstlight.keys"
local moe = require "firstlight.moe"

local function evidence()
  local layer = "model.layers.{i}."
  local mlp = layer .. "mlp."
  local all = "num_hidden_layers + num_nextn_predict_layers"
  local function norm(name)
    return { tensor = layer .. name .. ".weight", shape = { "hidden_size" }, layers = all }
  end
  return keys.joined { keys.outer(), keys.projections(), keys.experts("n_routed_experts",
    "moe_intermediate_size"), {
    norm("input_layernorm"), norm("post_attention_layernorm"),
    { tensor = layer .. "eh_proj.weight", count = "num_nextn_predict_layers" },
    { tensor = layer .. "self_attn.q_proj.bias", when = "attention_bias" },
    { tensor = layer .. "self_attn.q_norm.weight", when = "use_qk_norm" },
    {
      tensor = mlp .. "gate_proj.weight", shape = { "intermediate_size", "hidden_size" },
      count = "first_k_dense_replace",
    },
    keys.shared_experts("n_shared_experts"),
    {
      tensor = mlp .. "gate.e_score_correction_bias", shape = { "n_routed_experts" },
      says = { topk_method = "noaux_tc", scoring_func = "sigmoid" },
    },
  } }
end

return {
  name = "glm4_moe",
  architectures = { "Glm4MoeForCausalLM" },
  model_types = { "glm4_moe" },
  keys = keys.decoder(keys.grouped_experts("n_routed_experts", {
    attention_bias = keys.flag(), use_qk_norm = keys.flag(),
    routed_scaling_factor = {
      type = "real", above = 0, usual_max = 100, absent = "warning", default = 1,
      usual = { 1.0, 2.5 },
    },
    num_nextn_predict_layers = keys.count { min = 0, absent = "fine", default = 0 },
    n_shared_experts = keys.count { min = 0, absent = "fine", default = 0 },
    first_k_dense_replace = keys.count { min = 0, absent = "fine", default = 0 },
  })),
  evidence = evidence(),
  build = function(b, c)
    local m = blocks.grouped(c, { partial = 0.5 })
    m.qkv_bias = c.boolean("attention_bias", false)
    m.qk_norm = c.boolean("use_qk_norm", false)
    moe.sizes(c, m)
    m.drafts = c.count("num_nextn_predict_layers", 0, 0)
    m.layer = function(_, _, i, x)
      return moe.mlp(b, m, i, blocks.attention(b, m, x))
    end
    b.format = formats.read(c)
    deepseek.decoder(b, m)
  end,
}
