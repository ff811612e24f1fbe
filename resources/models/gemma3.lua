-- SPDX-License-Identifier: Apache-2.0
-- Gemma 3, text: norms stored less one before and behind attention and MLP, five layers with a
-- window to one that sees everything, each kind with a rotation of its own (transformers,
-- modeling_gemma3.py).
local blocks = require "firstlight.blocks"
local formats = require "firstlight.formats"
local keys = require "firstlight.keys"
local kinds = require "firstlight.layer_kinds"

local function evidence()
  local base = "model.layers.{i}."
  return keys.evidence(keys.attention(), {
    { tensor = base .. "pre_feedforward_layernorm.weight", shape = { "hidden_size" } },
    { tensor = base .. "post_feedforward_layernorm.weight", shape = { "hidden_size" } },
    { tensor = base .. "self_attn.q_proj.bias", when = "attention_bias" },
  })
end

return {
  name = "gemma3",
  architectures = { "Gemma3ForCausalLM" },
  model_types = { "gemma3_text" },
  keys = keys.decoder({
    attention_bias = keys.flag(), sliding_window = keys.count { absent = "fine", default = 4096 },
    sliding_window_pattern = keys.count { absent = "fine", default = 6, usual = 6 },
    query_pre_attn_scalar = { type = "real", above = 0, absent = "fine", default = 256 },
    head_dim = keys.count { multiple_of = 2, absent = "fine", default = 256 },
    rope_local_base_freq = {
      type = "real", above = 0, absent = "fine", default = 10000, usual = 10000.0,
    },
    rope_theta = keys.theta(1000000.0, 1000000), tie_word_embeddings = keys.flag { default = 1 },
  }, { pad_token_id = keys.id { min = false } }),
  evidence = evidence(),
  build = function(b, c)
    local m = blocks.heads(c, 256)
    m.tied = c.boolean("tie_word_embeddings", true)
    m.inner = c.count("intermediate_size")
    m.qk_norm, m.norm_shift = true, 1
    m.qkv_bias = c.boolean("attention_bias", false)
    m.o_bias = m.qkv_bias
    m.scale = c.real("query_pre_attn_scalar", 256) ^ -0.5
    m.activation = { kind = "gelu_tanh" }
    m.embed_scale = math.sqrt(m.hidden)
    c.choice("hidden_activation", "gelu_pytorch_tanh", { "gelu_pytorch_tanh" })
    c.expect("use_bidirectional_attention", false)
    c.expect("attn_logit_softcapping", nil)
    c.expect("final_logit_softcapping", nil)
    local own = kinds.windows(c, m, c.count("sliding_window_pattern", 6), 4096)
    kinds.rotations(c, m, own, "rope_local_base_freq", 10000.0)
    b.format = formats.read(c)
    blocks.decoder(b, m, function(_, i, x)
      return kinds.normed_behind(b, m, x, own[i], true)
    end)
  end,
}
