-- SPDX-License-Identifier: Apache-2.0
-- Qwen2 and Qwen2.5, dense: Llama's form with a bias on queries, keys and values.
local blocks = require "firstlight.blocks"
local formats = require "firstlight.formats"
local gguf = require "firstlight.gguf"
local keys = require "firstlight.keys"

return {
  name = "qwen2",
  architectures = { "Qwen2ForCausalLM" },
  model_types = { "qwen2" },
  keys = keys.decoder { use_sliding_window = keys.flag(), attention_bias = keys.flag { default = 1 } },
  evidence = keys.evidence(keys.attention()),
  gguf = {
    architecture = "qwen2",
    config = gguf.config(),
    harmless = gguf.harmless,
    tensors = gguf.tensors(),
  },
  build = function(b, c)
    local m = blocks.sizes(c)
    m.qkv_bias = true
    c.expect("attention_bias", true)
    c.expect("mlp_bias", false)
    c.expect("gguf.value_dim", m.head_dim)
    blocks.no_sliding_window(c)
    b.format = formats.read(c)
    blocks.decoder(b, m, function(_, _, x)
      return blocks.gated_mlp(b, m, blocks.attention(b, m, x))
    end)
  end,
}
