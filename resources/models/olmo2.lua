-- SPDX-License-Identifier: Apache-2.0
-- OLMo 2 and 3: norms behind attention and MLP and none before them, queries and keys normalised
-- over all heads together; OLMo 3 sees a window in three of four layers (transformers,
-- modeling_olmo2.py, modeling_olmo3.py).
local blocks = require "firstlight.blocks"
local formats = require "firstlight.formats"
local keys = require "firstlight.keys"
local kinds = require "firstlight.layer_kinds"

local function evidence()
  local base = "model.layers.{i}."
  local function norm(name)
    return {
      tensor = base .. name .. ".weight", shape = { "hidden_size" }, layers = "num_hidden_layers",
    }
  end
  return keys.joined { keys.outer(), keys.gated_mlp(), {
    norm("post_attention_layernorm"), norm("post_feedforward_layernorm"),
  }, keys.projections(false, true), {
    { tensor = base .. "self_attn.q_proj.bias", when = "attention_bias" },
  } }
end

return {
  name = "olmo2",
  architectures = { "Olmo2ForCausalLM", "Olmo3ForCausalLM" },
  model_types = { "olmo2", "olmo3" },
  keys = keys.decoder {
    attention_bias = keys.flag(), sliding_window = keys.count { absent = "fine" },
  },
  evidence = evidence(),
  build = function(b, c)
    local m = blocks.heads(c)
    m.inner = c.count("intermediate_size")
    m.qk_norm = "row"
    m.qkv_bias = c.boolean("attention_bias", false)
    m.o_bias = m.qkv_bias
    c.expect("hidden_act", "silu")
    local own = kinds.windows(c, m, c.has("sliding_window") and 4 or nil)
    kinds.rotations(c, m, own)
    b.format = formats.read(c)
    blocks.decoder(b, m, function(_, i, x)
      return kinds.normed_behind(b, m, x, own[i])
    end)
  end,
}
