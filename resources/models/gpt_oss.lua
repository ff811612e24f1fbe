-- SPDX-License-Identifier: Apache-2.0
-- gpt-oss: every head has a sink, every other layer sees a window; experts with biases, gate and up
-- row by row in one tensor, as mxfp4 or plain.
local blocks = require "firstlight.blocks"
local formats = require "firstlight.formats"
local keys = require "firstlight.keys"
local moe = require "firstlight.moe"

local function windows(c, m)
  local types = c.list("layer_types")
  local window = c.count("sliding_window", 128)
  if #types > 0 and #types ~= m.layers then
    c.problem("layer_types", m.layers .. " types", #types .. " items")
  end
  local own = {}
  for i = 0, m.layers - 1 do
    local kind = types[i + 1] or (i % 2 == 0 and "sliding_attention" or "full_attention")
    if kind ~= "sliding_attention" and kind ~= "full_attention" then
      c.unsupported("layer_types", "sliding_attention or full_attention", "'" .. kind .. "'")
    end
    own[i] = kind == "sliding_attention" and { window = window } or {}
  end
  return own
end

-- Experts are all that is packed.
local function expert_format(c)
  local q = c.object("quantization_config")
  if not q then
    return nil
  end
  q.expect("quant_method", "mxfp4")
  q.ignore("modules_to_not_convert")
  return formats.mxfp4_blocks
end

local function mixer(b, m, y)
  local base = "model.layers.{i}.mlp."
  local ids, shares = b.router_topk(moe.logits(b, m, y, base .. "router", true), {
    experts = m.experts, k = m.chosen, normalise = true, as = "layer.{i}.chosen",
  })
  return b.moe_experts(y, ids, shares, {
    tensor = base .. "experts", experts = m.experts, k = m.chosen, inner = m.inner,
    fused = "interleaved", transposed = not m.expert_format or nil, bias = "_bias",
    format = m.expert_format, activation = m.activation, as = "layer.{i}.mlp",
    tap = "layer.{i}.mlp",
  })
end

local function evidence()
  local mlp = "model.layers.{i}.mlp."
  local experts = "num_local_experts"
  return keys.joined { keys.frame(), keys.attention(), {
    { tensor = "model.layers.{i}.self_attn.sinks", shape = { "num_attention_heads" } },
    { tensor = mlp .. "router.weight", shape = { experts, "hidden_size" } },
    { tensor = mlp .. "router.bias", shape = { experts } },
    {
      tensor = mlp .. "experts.gate_up_proj_bias", shape = { "2 * intermediate_size" },
      experts = experts,
    },
    { tensor = mlp .. "experts.down_proj_bias", shape = { "hidden_size" }, experts = experts },
  } }
end

return {
  name = "gpt_oss",
  architectures = { "GptOssForCausalLM" },
  model_types = { "gpt_oss" },
  keys = keys.decoder {
    num_local_experts = keys.count(), num_experts_per_tok = keys.count { max = "num_local_experts" },
    attention_bias = keys.flag(), swiglu_limit = { type = "real", above = 0, absent = "fine", usual = 7.0 },
    sliding_window = { type = "integer", min = 1, max = 1048576, absent = "fine", usual = 128 },
    rope_theta = keys.theta(150000.0, 150000),
  },
  evidence = evidence(),
  build = function(b, c)
    local m = blocks.common(c)
    m.kv_heads = c.count("num_key_value_heads", m.heads)
    m.head_dim = c.count("head_dim", math.max(1, m.hidden // m.heads))
    m.inner = c.count("intermediate_size")
    m.rope = blocks.rope(c, m.head_dim, m.context)
    m.qkv_bias = c.boolean("attention_bias", true)
    m.o_bias = m.qkv_bias
    m.sinks = "sinks"
    m.experts = c.count("num_local_experts")
    m.chosen = c.count("num_experts_per_tok")
    m.activation = { kind = "swiglu_oai", alpha = 1.702, limit = c.real("swiglu_limit", 7.0) }
    m.expert_format = expert_format(c)
    c.expect("hidden_act", "silu")
    c.ignore("experts_per_token", "initial_context_length")
    local own = windows(c, m)
    blocks.decoder(b, m, function(_, i, x)
      x = blocks.attention(b, m, x, own[i])
      local out = mixer(b, m, blocks.mlp_norm(b, m, x))
      return b.add(x, out, { as = "layer.{i}", site = "mlp", tap = "layer.{i}" })
    end)
  end,
}
