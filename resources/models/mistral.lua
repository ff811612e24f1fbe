-- SPDX-License-Identifier: Apache-2.0
-- Mistral and Ministral, dense: Llama's form; a window, if there is one, in every layer.
local blocks = require "firstlight.blocks"
local formats = require "firstlight.formats"
local keys = require "firstlight.keys"

return {
  name = "mistral",
  architectures = { "MistralForCausalLM" },
  model_types = { "mistral" },
  keys = keys.decoder(),
  evidence = keys.evidence(keys.attention()),
  build = function(b, c)
    local m = blocks.sizes(c)
    local own = c.has("sliding_window") and { window = c.count("sliding_window") } or {}
    b.format = formats.read(c)
    blocks.decoder(b, m, function(_, _, x)
      return blocks.gated_mlp(b, m, blocks.attention(b, m, x, own))
    end)
  end,
}
