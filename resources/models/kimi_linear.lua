-- SPDX-License-Identifier: Apache-2.0
-- Kimi Linear: Kimi delta attention and latent attention without positions, experts.
local blocks = require "firstlight.blocks"
local formats = require "firstlight.formats"
local linear = require "firstlight.kimi_linear"
local moe = require "firstlight.moe"

return {
  name = "kimi_linear",
  architectures = { "KimiLinearForCausalLM" },
  model_types = { "kimi_linear" },
  keys = linear.keys(),
  evidence = linear.evidence(),
  build = function(b, c)
    local m = linear.sizes(c)
    c.expect("hidden_act", "silu")
    b.format = formats.read(c)
    -- Dense layers keep the experts' name in some checkpoints.
    if b.has("model.layers.0.block_sparse_moe.gate_proj.weight") then
      m.mlp_base = m.moe.base
    end
    blocks.decoder(b, m, function(_, i, x)
      local out = linear.mixer(b, m, i, blocks.attn_norm(b, m, x))
      x = b.add(x, out, { as = "layer.{i}.mid", site = "attn" })
      return moe.mlp(b, m, i, x)
    end)
  end,
}
