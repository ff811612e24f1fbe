-- SPDX-License-Identifier: Apache-2.0
-- Kimi K2.5 to K2.7: a text model of the DeepSeek-V3 form below language_model, and MoonViT.
local deepseek = require "firstlight.deepseek"
local formats = require "firstlight.formats"
local keys = require "firstlight.keys"
local vision = require "firstlight.vision"

local renamed = { { "model.", "language_model.model." }, { "lm_head", "language_model.lm_head" } }

return {
  name = "kimi_k25",
  architectures = { "KimiK25ForConditionalGeneration", "Kimi_K25ForConditionalGeneration" },
  model_types = { "kimi_k25" },
  config_root = "text_config",
  keys = deepseek.keys {
    rope_theta = keys.theta(50000.0, 50000), routed_scaling_factor = deepseek.scaling(2.827),
  },
  evidence = keys.renamed(deepseek.evidence(), renamed),
  build = function(b, c)
    local text = c.section("text_config")
    local m = deepseek.sizes(text)
    b.renamed = renamed
    b.format = formats.read(text.has("quantization_config") and text or c)
    -- The processor lets no image have more.
    m.image_patches = 16384
    m.images = function()
      return vision.moonvit(b, c.section("vision_config"), { bias = true, resample = "bicubic" })
    end
    c.ignore("media_placeholder_token_id", "ignore_index", "use_unified_vision_chunk",
      "video_placeholder", "image_placeholder", "tie_word_embeddings")
    deepseek.decoder(b, m)
  end,
}
