-- SPDX-License-Identifier: Apache-2.0
-- Qwen1.5 and Qwen2 with experts: Qwen2's attention, and beside the chosen experts one that every
-- token passes behind a gate.
local blocks = require "firstlight.blocks"
local formats = require "firstlight.formats"
local keys = require "firstlight.keys"
local moe = require "firstlight.moe"
local qwen = require "firstlight.qwen_moe"

return {
  name = "qwen2_moe",
  architectures = { "Qwen2MoeForCausalLM" },
  model_types = { "qwen2_moe" },
  keys = qwen.keys(),
  evidence = keys.joined {
    qwen.evidence(), keys.gated_mlp(true), keys.attention(),
    { { tensor = "model.layers.{i}.self_attn.q_proj.bias", when = "qkv_bias" } },
  },
  build = function(b, c)
    local m = blocks.sizes(c)
    m.qkv_bias = c.boolean("qkv_bias", true)
    qwen.sizes(c, m)
    m.normalise = c.boolean("norm_topk_prob", false)
    blocks.no_sliding_window(c)
    b.format = formats.read(c)
    local step = c.count("decoder_sparse_step", 1)
    local dense = {}
    for _, i in ipairs(c.list("mlp_only_layers")) do
      dense[i] = true
    end
    blocks.decoder(b, m, function(_, i, x)
      local sparse = not dense[i] and (i + 1) % step == 0
      return moe.layer(b, m, blocks.attention(b, m, x), sparse, qwen.mixer)
    end)
  end,
}
