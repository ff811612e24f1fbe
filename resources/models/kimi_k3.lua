-- SPDX-License-Identifier: Apache-2.0
-- Kimi K3: Kimi Linear below language_model with attention over residuals instead of plain sums,
-- experts in a narrower space, SiTU, and MoonViT.
local blocks = require "firstlight.blocks"
local formats = require "firstlight.formats"
local keys = require "firstlight.keys"
local linear = require "firstlight.kimi_linear"
local moe = require "firstlight.moe"
local vision = require "firstlight.vision"

-- Rows are summed within a block of layers; at a block's end the sum goes to the bank. Every part of
-- a layer reads a mixture of the bank and the sum.
local function residuals(b, m)
  local r = { bank = {}, sum = nil }
  function r.read(base, as, site)
    local rows = {}
    for i, row in ipairs(r.bank) do
      rows[i] = row
    end
    rows[#rows + 1] = r.sum
    return b.residual_attention(rows, { base = base, epsilon = m.epsilon, as = as, site = site })
  end
  function r.add(y, t)
    r.sum = r.sum and b.add(r.sum, y, t) or y
  end
  function r.finish(i)
    if (i + 1) % m.block == 0 then
      r.bank[#r.bank + 1] = r.sum
      r.sum = nil
    end
  end
  return r
end

local function layer(b, m, r, i)
  local base = "model.layers.{i}."
  local x = r.read(base .. "self_attention_res_", "layer.{i}.attn_in", "attn")
  r.add(linear.mixer(b, m, i, blocks.attn_norm(b, m, x)), { as = "layer.{i}.mid", site = "attn" })
  x = r.read(base .. "mlp_res_", "layer.{i}.mlp_in", "mlp")
  local y = blocks.mlp_norm(b, m, x)
  local out
  if i < m.first_dense then
    out = blocks.swiglu(b, m, y, {
      base = base .. "mlp.", inner = m.inner, kind = "dense_mlp", activation = m.activation,
      as = "layer.{i}.mlp", tap = "layer.{i}.mlp",
    })
  else
    out = moe.mixer(b, m, y)
  end
  r.add(out, { as = "layer.{i}", site = "mlp", tap = "layer.{i}" })
  local sum = r.sum
  r.finish(i)
  return sum
end

local renamed = { { "model.", "language_model.model." }, { "lm_head", "language_model.lm_head" } }

return {
  name = "kimi_k3",
  architectures = { "KimiK3ForConditionalGeneration" },
  chat = "firstlight.chat_kimi_three",
  model_types = { "kimi_k3" },
  keys = linear.keys(),
  evidence = keys.renamed(linear.evidence(), renamed),
  config_root = "text_config",
  build = function(b, c)
    local text = c.section("text_config")
    text.expect("hidden_act", "situ")
    local m = linear.sizes(text)
    m.activation = {
      kind = "situ", beta = text.real("activation_situ_beta"),
      linear_beta = text.real("activation_situ_linear_beta"),
    }
    m.latent = text.count("routed_expert_hidden_size")
    m.latent_norm = text.boolean("latent_moe_use_norm", false)
    m.block = text.count("attn_res_block_size")
    m.moe.activation, m.moe.latent = m.activation, true
    b.renamed = renamed
    b.format = formats.read(text.has("quantization_config") and text or c)
    m.image_patches = 16384
    m.images = function()
      return vision.moonvit(b, c.section("vision_config"), {
        bias = false, rms = true, norm_last = true, resample = "bilinear",
      })
    end
    c.ignore("media_placeholder_token_id", "ignore_index", "image_placeholder",
      "tie_word_embeddings")
    local r = residuals(b, m)
    m.last = function()
      return r.read("model.output_attn_res_", "residual", "head")
    end
    blocks.decoder(b, m, function(_, i, x)
      if i == 0 then
        r.bank[1] = x
      end
      return layer(b, m, r, i)
    end)
  end,
}
