-- SPDX-License-Identifier: Apache-2.0
-- Qwen3, dense: Llama's form with a norm on every head of queries and keys.
local blocks = require "firstlight.blocks"
local formats = require "firstlight.formats"
local gguf = require "firstlight.gguf"
local keys = require "firstlight.keys"

return {
  name = "qwen3",
  architectures = { "Qwen3ForCausalLM" },
  model_types = { "qwen3" },
  keys = keys.decoder { attention_bias = keys.flag(), use_sliding_window = keys.flag() },
  evidence = keys.evidence(keys.attention(), {
    { tensor = "model.layers.{i}.self_attn.q_proj.bias", when = "attention_bias" },
  }),
  gguf = {
    architecture = "qwen3",
    config = gguf.config(),
    harmless = gguf.harmless,
    tensors = gguf.tensors(),
  },
  build = function(b, c)
    local m = blocks.sizes(c)
    m.qk_norm = true
    m.qkv_bias = c.boolean("attention_bias", false)
    m.o_bias = m.qkv_bias
    c.expect("gguf.value_dim", m.head_dim)
    blocks.no_sliding_window(c)
    b.format = formats.read(c)
    blocks.decoder(b, m, function(_, _, x)
      return blocks.gated_mlp(b, m, blocks.attention(b, m, x))
    end)
  end,
}
