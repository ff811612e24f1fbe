-- SPDX-License-Identifier: Apache-2.0
-- Mixtral: Mistral's attention and experts in every layer, chosen by softmax.
local blocks = require "firstlight.blocks"
local formats = require "firstlight.formats"
local keys = require "firstlight.keys"
local moe = require "firstlight.moe"

local function evidence()
  local base = "model.layers.{i}.block_sparse_moe."
  local inner = { "intermediate_size", "hidden_size" }
  local expert = base .. "experts.{}."
  return keys.joined { keys.frame(), keys.attention(), {
    { tensor = base .. "gate.weight", shape = { "num_local_experts", "hidden_size" } },
    { tensor = expert .. "w1.weight", shape = inner, experts = "num_local_experts" },
    { tensor = expert .. "w2.weight", shape = { "hidden_size", "intermediate_size" } },
    { tensor = expert .. "w3.weight", shape = inner, experts = "num_local_experts" },
  } }
end

return {
  name = "mixtral",
  architectures = { "MixtralForCausalLM" },
  model_types = { "mixtral" },
  keys = keys.decoder {
    num_local_experts = keys.count(),
    num_experts_per_tok = keys.count { max = "num_local_experts" },
  },
  evidence = evidence(),
  build = function(b, c)
    local m = blocks.sizes(c)
    m.experts = c.count("num_local_experts")
    m.chosen = c.count("num_experts_per_tok")
    c.ignore("router_jitter_noise")
    local own = c.has("sliding_window") and { window = c.count("sliding_window") } or {}
    b.format = formats.read(c)
    local base = "model.layers.{i}.block_sparse_moe."
    blocks.decoder(b, m, function(_, _, x)
      x = blocks.attention(b, m, x, own)
      local y = blocks.mlp_norm(b, m, x)
      local ids, shares = b.router_topk(moe.logits(b, m, y, base .. "gate"), {
        experts = m.experts, k = m.chosen, normalise = true, as = "layer.{i}.chosen",
      })
      local out = b.moe_experts(y, ids, shares, {
        tensor = base .. "experts.{}", names = { "w1", "w3", "w2" }, experts = m.experts,
        k = m.chosen, inner = m.inner, as = "layer.{i}.mlp", tap = "layer.{i}.mlp",
      })
      return b.add(x, out, { as = "layer.{i}", site = "mlp", tap = "layer.{i}" })
    end)
  end,
}
