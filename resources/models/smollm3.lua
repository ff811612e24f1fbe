-- SPDX-License-Identifier: Apache-2.0
-- SmolLM3: Llama's form in which every fourth layer does not turn (transformers,
-- modeling_smollm3.py).
local blocks = require "firstlight.blocks"
local formats = require "firstlight.formats"
local keys = require "firstlight.keys"
local kinds = require "firstlight.layer_kinds"

return {
  name = "smollm3",
  architectures = { "SmolLM3ForCausalLM" },
  model_types = { "smollm3" },
  keys = keys.decoder {
    attention_bias = keys.flag(), mlp_bias = keys.flag(), use_sliding_window = keys.flag(),
    rope_theta = keys.theta({ 2000000.0, 5000000.0 }, 2000000),
    sliding_window = keys.count { absent = "fine" },
    tie_word_embeddings = keys.flag { default = 1 },
  },
  evidence = keys.evidence(keys.attention(), {
    { tensor = "model.layers.{i}.self_attn.q_proj.bias", when = "attention_bias" },
    { tensor = "model.layers.{i}.mlp.gate_proj.bias", when = "mlp_bias" },
  }),
  build = function(b, c)
    local m = blocks.sizes(c)
    m.tied = c.boolean("tie_word_embeddings", true)
    m.qkv_bias = c.boolean("attention_bias", false)
    m.o_bias = m.qkv_bias
    m.mlp_bias = c.boolean("mlp_bias", false)
    blocks.no_sliding_window(c)
    local turning = kinds.turning(c, m)
    b.format = formats.read(c)
    blocks.decoder(b, m, function(_, i, x)
      x = blocks.attention(b, m, x, { no_rope = not turning[i] or nil })
      return blocks.gated_mlp(b, m, x)
    end)
  end,
}
