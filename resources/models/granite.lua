-- SPDX-License-Identifier: Apache-2.0
-- Granite 3 and 4, dense: Llama's form with multipliers of embedding, attention, residuals and logits
-- (transformers, modeling_granite.py).
local blocks = require "firstlight.blocks"
local formats = require "firstlight.formats"
local keys = require "firstlight.keys"

local function factor(usual)
  return { type = "real", above = 0, absent = "fine", default = 1, usual = usual }
end

local function grown(b, m, x, out, as, site)
  out = b.scale(out, { factor = m.residual, as = as .. "_scaled", site = site })
  local tap = site == "mlp" and "layer.{i}" or nil
  return b.add(x, out, { as = site == "mlp" and "layer.{i}" or "layer.{i}.mid", site = site, tap = tap })
end

local function layer(b, m, x)
  x = grown(b, m, x, blocks.gqa(b, m, blocks.attn_norm(b, m, x)), "layer.{i}.attn", "attn")
  local out = blocks.swiglu(b, m, blocks.mlp_norm(b, m, x), {
    base = "model.layers.{i}.mlp.", inner = m.inner, kind = "dense_mlp", bias = m.mlp_bias,
    as = "layer.{i}.mlp", tap = "layer.{i}.mlp",
  })
  return grown(b, m, x, out, "layer.{i}.mlp", "mlp")
end

return {
  name = "granite",
  architectures = { "GraniteForCausalLM" },
  model_types = { "granite" },
  keys = keys.decoder {
    attention_bias = keys.flag(), mlp_bias = keys.flag(), attention_multiplier = factor(0.0078125),
    embedding_multiplier = factor(12.0), logits_scaling = factor(16.0),
    residual_multiplier = factor(0.22),
  },
  evidence = keys.evidence(keys.attention(), {
    { tensor = "model.layers.{i}.self_attn.q_proj.bias", when = "attention_bias" },
    { tensor = "model.layers.{i}.mlp.gate_proj.bias", when = "mlp_bias" },
  }),
  build = function(b, c)
    local m = blocks.sizes(c)
    m.qkv_bias = c.boolean("attention_bias", false)
    m.o_bias = m.qkv_bias
    m.mlp_bias = c.boolean("mlp_bias", false)
    m.scale = c.real("attention_multiplier", 1.0)
    m.embed_scale = c.real("embedding_multiplier", 1.0)
    m.residual = c.real("residual_multiplier", 1.0)
    m.logit_scale = 1 / c.real("logits_scaling", 1.0)
    b.format = formats.read(c)
    blocks.decoder(b, m, function(_, _, x)
      return layer(b, m, x)
    end)
  end,
}
