-- SPDX-License-Identifier: Apache-2.0
-- Qwen3-VL with experts: Qwen3's layers with positions in time, height and width; rows of the vision
-- tower stand for images, and others are added behind the first layers (deepstack).
local blocks = require "firstlight.blocks"
local formats = require "firstlight.formats"
local keys = require "firstlight.keys"
local qwen = require "firstlight.qwen_moe"
local vision = require "firstlight.vision"

return {
  name = "qwen3_vl_moe",
  architectures = { "Qwen3VLMoeForConditionalGeneration" },
  model_types = { "qwen3_vl_moe" },
  keys = qwen.keys(false, { rope_theta = keys.theta({ 5000000.0, 1000000.0 }, 5000000) }),
  config_root = "text_config",
  evidence = keys.renamed(
    keys.joined { qwen.evidence(), keys.attention() }, { { "model.", "model.language_model." } }
  ),
  build = function(b, c)
    local text = c.section("text_config")
    local m = blocks.sizes(text, { sections = true })
    m.qk_norm = true
    qwen.sizes(text, m)
    text.expect("decoder_sparse_step", 1)
    text.expect_all("mlp_only_layers", nil)
    text.expect("attention_bias", false)
    b.renamed = {
      { "model.visual.", "model.visual." }, { "model.", "model.language_model." },
    }
    b.format = formats.read(c)
    qwen.layout(b, m, true)
    -- Published matrices are [in, out]; transformers 5 writes them [out, in].
    local found = b.shape("model.layers.{i}.mlp.experts.down_proj")
    local turned = not (found and found[2] == m.hidden and found[3] == m.expert_inner)
    m.image_patches = 65536
    local deep = {}
    m.images = function()
      local rows
      rows, deep = vision.qwen(b, c.section("vision_config"))
      return rows
    end
    c.ignore("image_token_id", "video_token_id", "vision_start_token_id", "vision_end_token_id",
      "tie_word_embeddings")
    blocks.decoder(b, m, function(_, i, x)
      x = blocks.attention(b, m, x)
      local out = qwen.mixer(b, m, blocks.mlp_norm(b, m, x), turned)
      local more = deep[i + 1]
      x = b.add(x, out, {
        as = more and "layer.{i}.text" or "layer.{i}", site = "mlp", tap = not more and "layer.{i}" or nil,
      })
      return more and b.place_images(x, more, {
        add = true, as = "layer.{i}", site = "mlp", tap = "layer.{i}",
      }) or x
    end)
  end,
}
