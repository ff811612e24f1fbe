-- SPDX-License-Identifier: Apache-2.0
-- Qwen3.5 with experts: three layers of gated DeltaNet to one of gated attention with positions in
-- time, height and width; the Qwen3-VL vision tower.
local blocks = require "firstlight.blocks"
local formats = require "firstlight.formats"
local keys = require "firstlight.keys"
local qwen = require "firstlight.qwen_moe"
local vision = require "firstlight.vision"

-- Draft layers attend, and keep their experts apart.
local function drafts(b, m, count)
  b.layer(m.layers)
  b.declare("mtp", function()
    b.linear(b.stand_in(2 * m.hidden), {
      tensor = "mtp.fc", out = m.hidden, split = "replicate", plain = true,
    })
    for _, name in ipairs { "norm", "pre_fc_norm_embedding", "pre_fc_norm_hidden" } do
      b.rms_norm(b.stand_in(m.hidden), { tensor = "mtp." .. name .. ".weight", epsilon = m.epsilon })
    end
    for i = 0, count - 1 do
      b.renamed = { { "model.layers.{i}.", "mtp.layers." .. i .. "." } }
      m.fused = b.has("model.layers.{i}.mlp.experts.gate_up_proj")
      qwen.hybrid_layer(b, m, b.stand_in(m.hidden), true)
    end
  end)
end

return {
  name = "qwen3_5_moe",
  architectures = { "Qwen3_5MoeForConditionalGeneration" },
  model_types = { "qwen3_5_moe" },
  keys = qwen.keys(true),
  config_root = "text_config",
  evidence = keys.renamed(qwen.hybrid_evidence(false), { { "model.", "model.language_model." } }),
  build = function(b, c)
    local text = c.section("text_config")
    local m = qwen.hybrid_sizes(text, true)
    local count = text.count("mtp_num_hidden_layers", 0, 0)
    text.expect("mtp_use_dedicated_embeddings", false)
    text.ignore("mamba_ssm_dtype")
    b.renamed = {
      { "model.visual.", "model.visual." }, { "model.", "model.language_model." },
    }
    b.format = formats.read(c.has("quantization_config") and c or text)
    qwen.layout(b, m, true)
    m.image_patches = 65536
    m.images = function()
      local rows, deep = vision.qwen(b, c.section("vision_config"))
      if #deep > 0 then
        c.unsupported("vision_config.deepstack_visual_indexes", "none", #deep .. " layers")
      end
      return rows
    end
    c.ignore("image_token_id", "video_token_id", "vision_start_token_id", "vision_end_token_id",
      "tie_word_embeddings")
    blocks.decoder(b, m, function(_, i, x)
      return qwen.hybrid_layer(b, m, x, m.full[i])
    end)
    if count > 0 then
      drafts(b, m, count)
    end
  end,
}
