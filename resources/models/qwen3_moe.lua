-- SPDX-License-Identifier: Apache-2.0
-- Qwen3 with a mixture of experts in most layers.
local blocks = require "firstlight.blocks"
local formats = require "firstlight.formats"
local gguf = require "firstlight.gguf"
local keys = require "firstlight.keys"

return {
  name = "qwen3_moe",
  architectures = { "Qwen3MoeForCausalLM" },
  model_types = { "qwen3_moe" },
  keys = keys.decoder {
    attention_bias = keys.flag(), use_sliding_window = keys.flag(), norm_topk_prob = keys.flag(),
    num_experts = keys.count { min = 0 },
    num_experts_per_tok = keys.count { max = "num_experts" },
    moe_intermediate_size = keys.count(),
    decoder_sparse_step = keys.count { absent = "fine", default = 1 },
    mlp_only_layers = { type = "list", min = 0, max = "num_hidden_layers - 1", absent = "fine" },
  },
  evidence = keys.joined {
    keys.frame(), keys.gated_mlp(true), keys.attention(),
    keys.experts("num_experts", "moe_intermediate_size"),
    { { tensor = "model.layers.{i}.self_attn.q_proj.bias", when = "attention_bias" } },
  },
  gguf = {
    architecture = "qwen3moe",
    config = gguf.config {
      num_experts = { key = "expert_count" },
      num_experts_per_tok = { key = "expert_used_count" },
      moe_intermediate_size = { key = "expert_feed_forward_length" },
    },
    constants = { norm_topk_prob = true },
    harmless = gguf.harmless,
    tensors = gguf.tensors(),
  },
  build = function(b, c)
    local m = blocks.sizes(c)
    m.qk_norm = true
    m.qkv_bias = c.boolean("attention_bias", false)
    m.o_bias = m.qkv_bias
    m.experts = c.count("num_experts", nil, 0)
    m.chosen = c.count("num_experts_per_tok")
    m.expert_inner = c.count("moe_intermediate_size")
    m.normalise = c.boolean("norm_topk_prob", false)
    c.expect("gguf.value_dim", m.head_dim)
    blocks.no_sliding_window(c)
    local step = c.count("decoder_sparse_step", 1)
    local dense = {}
    for _, i in ipairs(c.list("mlp_only_layers")) do
      dense[i] = true
    end
    b.format = formats.read(c)
    blocks.decoder(b, m, function(_, i, x)
      x = blocks.attention(b, m, x)
      if m.experts > 0 and not dense[i] and (i + 1) % step == 0 then
        return blocks.sparse_mlp(b, m, x)
      end
      return blocks.gated_mlp(b, m, x)
    end)
  end,
}
