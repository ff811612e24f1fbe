-- SPDX-License-Identifier: Apache-2.0
-- Qwen3-Next: three layers of gated DeltaNet to one of gated attention, experts in every layer.
local blocks = require "firstlight.blocks"
local formats = require "firstlight.formats"
local qwen = require "firstlight.qwen_moe"

return {
  name = "qwen3_next",
  architectures = { "Qwen3NextForCausalLM" },
  model_types = { "qwen3_next" },
  keys = qwen.keys(true),
  evidence = qwen.hybrid_evidence(true),
  build = function(b, c)
    local m = qwen.hybrid_sizes(c)
    m.delta_fused = true
    c.expect("decoder_sparse_step", 1)
    c.expect_all("mlp_only_layers", nil)
    c.ignore("intermediate_size")
    b.format = formats.read(c)
    qwen.layout(b, m, false)
    -- Layers that draft further tokens, which the configuration does not count.
    host.ignore("mtp.*")
    blocks.decoder(b, m, function(_, i, x)
      return qwen.hybrid_layer(b, m, x, m.full[i])
    end)
  end,
}
