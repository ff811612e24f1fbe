-- SPDX-License-Identifier: Apache-2.0
-- dots.llm1 and Solar Open: grouped-query attention, experts as in DeepSeek-V3; dots normalises
-- queries and keys of every head (transformers, modeling_dots1.py, modeling_solar_open.py).
local blocks = require "firstlight.blocks"
local formats = require "firstlight.formats"
local keys = require "firstlight.keys"
local kinds = require "firstlight.layer_kinds"
local moe = require "firstlight.moe"

local function evidence()
  local mlp = "model.layers.{i}.mlp."
  return keys.joined { keys.frame(), keys.attention(), keys.experts("n_routed_experts",
    "moe_intermediate_size"), {
    {
      tensor = mlp .. "gate_proj.weight", shape = { "intermediate_size", "hidden_size" },
      optional = true,
    },
    { tensor = mlp .. "gate.e_score_correction_bias", shape = { "n_routed_experts" } },
    keys.shared_experts("n_shared_experts"),
    { tensor = "model.layers.{i}.self_attn.q_proj.bias", when = "attention_bias" },
  } }
end

return {
  name = "dots1",
  architectures = { "Dots1ForCausalLM", "SolarOpenForCausalLM" },
  model_types = { "dots1", "solar_open" },
  keys = keys.decoder(keys.grouped_experts("n_routed_experts", {
    attention_bias = keys.flag(),
    intermediate_size = keys.count { max = 16777216, absent = "fine", default = 10240 },
    n_shared_experts = keys.count { min = 0, absent = "fine", default = 0 },
    first_k_dense_replace = keys.count { min = 0, absent = "fine", default = 0 },
    sliding_window = keys.count { absent = "fine" },
  })),
  evidence = evidence(),
  build = function(b, c)
    local m = blocks.heads(c)
    local solar = c.peek("model_type") == "solar_open"
    m.inner = c.count("intermediate_size", 10240)
    m.rope = blocks.rope(c, m.head_dim, m.context, { partial = 1.0 })
    m.qkv_bias = c.boolean("attention_bias", false)
    m.o_bias = m.qkv_bias and not solar
    m.qk_norm = not solar
    moe.sizes(c, m)
    if solar then
      m.first_dense = 0  -- the key is there, and every layer has experts
    end
    c.expect("hidden_act", "silu")
    c.expect("use_qk_norm", not solar)
    c.ignore("max_window_layers", "sliding_window")
    local own = solar and {} or kinds.windows(c, m)
    b.format = formats.read(c)
    blocks.decoder(b, m, function(_, i, x)
      return moe.mlp(b, m, i, blocks.attention(b, m, x, own[i]))
    end)
  end,
}
