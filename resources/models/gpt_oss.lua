-- SPDX-License-Identifier: Apache-2.0
-- gpt-oss: every head has a sink, every other layer sees a window; experts with biases, gate and up
-- row by row in one tensor, as mxfp4 or plain.
local blocks = require "firstlight.blocks"
local formats = require "firstlight.formats"
local keys = require "firstlight.keys"
local kinds = require "firstlight.layer_kinds"
local moe = require "firstlight.moe"

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
    local m = blocks.grouped(c)
    m.qkv_bias = c.boolean("attention_bias", true)
    m.o_bias = m.qkv_bias
    m.sinks = "sinks"
    m.experts = c.count("num_local_experts")
    m.chosen = c.count("num_experts_per_tok")
    m.activation = { kind = "swiglu_oai", alpha = 1.702, limit = c.real("swiglu_limit", 7.0) }
    m.expert_format = expert_format(c)
    c.ignore("experts_per_token", "initial_context_length")
    local own = kinds.windows(c, m, 2, 128)
    blocks.decoder(b, m, function(_, i, x)
      return moe.layer(b, m, blocks.attention(b, m, x, own[i]), true, mixer)
    end)
  end,
}
