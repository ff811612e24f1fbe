-- SPDX-License-Identifier: Apache-2.0
-- Llama 1 to 3.x and models of the same form (SmolLM2).
local blocks = require "firstlight.blocks"
local formats = require "firstlight.formats"
local gguf = require "firstlight.gguf"
local keys = require "firstlight.keys"

return {
  name = "llama",
  architectures = { "LlamaForCausalLM" },
  model_types = { "llama" },
  keys = keys.decoder {
    attention_bias = keys.flag(), mlp_bias = keys.flag(),
    ["gguf.rope_dimensions"] = { type = "integer", equals = "head_dim", absent = "fine" },
  },
  evidence = keys.evidence(keys.attention(), {
    { tensor = "model.layers.{i}.self_attn.q_proj.bias", when = "attention_bias" },
    { tensor = "model.layers.{i}.mlp.gate_proj.bias", when = "mlp_bias" },
    { agree = { "gguf.rope_dimensions", "head_dim" } },
  }),
  gguf = {
    architecture = "llama",
    config = gguf.config { num_local_experts = { key = "expert_count" } },
    -- Converters reorder the rows of q and k so that pairs lie side by side.
    constants = { ["gguf.rope_interleaved"] = true },
    harmless = gguf.harmless,
    -- Factors of the rotation's frequencies (Llama 3.1).
    not_computed = { "rope_freqs.weight" },
    tensors = gguf.tensors(),
  },
  build = function(b, c)
    local m = blocks.sizes(c)
    m.qkv_bias = c.boolean("attention_bias", false)
    m.o_bias = m.qkv_bias
    m.mlp_bias = c.boolean("mlp_bias", false)
    c.expect("num_local_experts", 0)
    c.expect("gguf.value_dim", m.head_dim)
    b.format = formats.read(c)
    blocks.decoder(b, m, function(_, _, x)
      return blocks.gated_mlp(b, m, blocks.attention(b, m, x))
    end)
  end,
}
