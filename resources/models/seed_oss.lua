-- SPDX-License-Identifier: Apache-2.0
-- Seed-OSS: Llama's form with biases of queries, keys and values apart from that of the output
-- (transformers, modeling_seed_oss.py).
local blocks = require "firstlight.blocks"
local formats = require "firstlight.formats"
local keys = require "firstlight.keys"

return {
  name = "seed_oss",
  architectures = { "SeedOssForCausalLM" },
  model_types = { "seed_oss" },
  keys = keys.decoder {
    attention_bias = keys.flag { default = 1 }, attention_out_bias = keys.flag(),
    mlp_bias = keys.flag(),
  },
  evidence = keys.evidence(keys.attention(), {
    { tensor = "model.layers.{i}.self_attn.q_proj.bias", when = "attention_bias" },
    { tensor = "model.layers.{i}.self_attn.o_proj.bias", when = "attention_out_bias" },
    { tensor = "model.layers.{i}.mlp.gate_proj.bias", when = "mlp_bias" },
  }),
  build = function(b, c)
    local m = blocks.sizes(c)
    m.qkv_bias = c.boolean("attention_bias", true)
    m.o_bias = c.boolean("attention_out_bias", false)
    m.mlp_bias = c.boolean("mlp_bias", false)
    c.ignore("residual_dropout")
    b.format = formats.read(c)
    blocks.decoder(b, m, function(_, _, x)
      return blocks.gated_mlp(b, m, blocks.attention(b, m, x))
    end)
  end,
}
