-- SPDX-License-Identifier: Apache-2.0
-- Hy3: grouped-query attention with norms of every head, experts chosen by sigmoid with a bias
-- beside one that every token passes, a draft layer behind the others (transformers,
-- modeling_hy_v3.py).
local blocks = require "firstlight.blocks"
local formats = require "firstlight.formats"
local keys = require "firstlight.keys"
local kinds = require "firstlight.layer_kinds"
local moe = require "firstlight.moe"

local function evidence()
  local mlp = "model.layers.{i}.mlp."
  return keys.joined { keys.frame(), keys.gated_mlp(true), keys.attention(),
    keys.experts("num_experts", "moe_intermediate_size"), {
    { tensor = mlp .. "router.gate.weight", shape = { "num_experts", "hidden_size" } },
    { tensor = mlp .. "expert_bias", shape = { "num_experts" } },
    keys.shared_experts("num_shared_experts", "shared_mlp"),
  } }
end

local function mixer(b, m, y)
  local base = "model.layers.{i}.mlp."
  local ids, shares = b.router_select(moe.logits(b, m, y, base .. "router.gate"), {
    experts = m.experts, k = m.chosen, score = "sigmoid", normalise = true, scale = m.route_scale,
    choice = "bias", tensor = base .. "expert_bias", as = "layer.{i}.chosen",
  })
  local out = b.moe_experts(y, ids, shares, {
    tensor = base .. "experts.{}", experts = m.experts, k = m.chosen, inner = m.expert_inner,
    as = "layer.{i}.routed",
  })
  local shared = blocks.swiglu(b, m, y, {
    base = base .. "shared_mlp.", inner = m.shared_inner, kind = "shared_experts",
    as = "layer.{i}.shared",
  })
  return b.add(out, shared, { as = "layer.{i}.mlp", site = "mlp", tap = "layer.{i}.mlp" })
end

return {
  name = "hy_v3",
  architectures = { "HYV3ForCausalLM" },
  model_types = { "hy_v3" },
  keys = keys.decoder {
    attention_bias = keys.flag(), mlp_bias = keys.flag(), num_experts = keys.count(),
    num_experts_per_tok = keys.count { max = "num_experts" }, moe_intermediate_size = keys.count(),
    num_shared_experts = keys.count { absent = "fine", default = 1 },
    router_scaling_factor = {
      type = "real", above = 0, usual_max = 100, absent = "fine", default = 2.826, usual = 2.826,
    },
    rope_theta = keys.theta(11158840.0, 11158840),
  },
  evidence = evidence(),
  build = function(b, c)
    local m = blocks.grouped(c)
    m.qk_norm = true
    m.qkv_bias = c.boolean("attention_bias", false)
    m.o_bias = m.qkv_bias
    m.experts = c.count("num_experts")
    m.chosen = c.count("num_experts_per_tok")
    m.expert_inner = c.count("moe_intermediate_size")
    m.shared_inner = m.expert_inner * c.count("num_shared_experts", 1)
    m.route_scale = c.real("router_scaling_factor", 2.826)
    c.expect("mlp_bias", false)
    c.ignore("enable_moe_fp32_combine", "num_nextn_predict_layers")
    local sparse = kinds.sparse(c, m)
    b.format = formats.read(c)
    -- The draft layer is numbered behind the last.
    host.ignore("model.layers." .. m.layers .. ".*")
    blocks.decoder(b, m, function(_, i, x)
      return moe.layer(b, m, blocks.attention(b, m, x), sparse[i], mixer)
    end)
  end,
}
