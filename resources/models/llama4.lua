-- SPDX-License-Identifier: Apache-2.0
-- Llama 4 (Scout, Maverick), text: three layers that see their own chunk and turn to one that sees
-- everything and does not; experts in every so many layers, whose inputs the router weighs
-- (transformers, modeling_llama4.py). The vision tower is known and not computed.
local blocks = require "firstlight.blocks"
local formats = require "firstlight.formats"
local keys = require "firstlight.keys"
local kinds = require "firstlight.layer_kinds"
local moe = require "firstlight.moe"

local renamed = { { "model.", "language_model.model." }, { "lm_head", "language_model.lm_head" } }

local function attention_of(c, m)
  local turning = kinds.turning(c, m)
  local chunk = c.has("attention_chunk_size") and c.count("attention_chunk_size") or nil
  local tuned = c.boolean("attn_temperature_tuning", true)
  local scale, floor = c.real("attn_scale", 0.1), c.count("floor_scale", 8192)
  local own = {}
  for i = 0, m.layers - 1 do
    own[i] = turning[i] and { chunk = chunk } or {
      no_rope = true, no_norm = true, temperature = tuned and scale or nil,
      floor = tuned and floor or nil,
    }
  end
  return own
end

local function sparse_layers(c, m)
  local list = c.list("moe_layers")
  local step = c.count("interleave_moe_layer_step", 1)
  local sparse = {}
  for _, i in ipairs(list) do
    sparse[i] = true
  end
  for i = step - 1, #list == 0 and m.layers - 1 or -1, step do
    sparse[i] = true
  end
  return sparse
end

local function mixer(b, m, y)
  local base = "model.layers.{i}.feed_forward."
  local ids, shares = b.router_select(moe.logits(b, m, y, base .. "router"), {
    experts = m.experts, k = m.chosen, score = "sigmoid", choice = "score",
    as = "layer.{i}.chosen",
  })
  local out = b.moe_experts(y, ids, shares, {
    tensor = base .. "experts", experts = m.experts, k = m.chosen, inner = m.expert_inner,
    fused = "halves", transposed = true, weigh_input = true, as = "layer.{i}.routed",
  })
  local shared = blocks.swiglu(b, m, y, {
    base = base .. "shared_expert.", inner = m.expert_inner, kind = "shared_experts",
    as = "layer.{i}.shared",
  })
  return b.add(out, shared, { as = "layer.{i}.mlp", site = "mlp", tap = "layer.{i}.mlp" })
end

local function evidence()
  local base = "model.layers.{i}.feed_forward."
  local own = {
    {
      tensor = base .. "gate_proj.weight", shape = { "intermediate_size_mlp", "hidden_size" },
      optional = true,
    },
    { tensor = base .. "router.weight", shape = { "num_local_experts", "hidden_size" } },
    {
      tensor = base .. "experts.gate_up_proj", shape = { "hidden_size", "2 * intermediate_size" },
      experts = "num_local_experts",
    },
    {
      tensor = base .. "shared_expert.gate_proj.weight",
      shape = { "intermediate_size", "hidden_size" },
    },
    { tensor = "model.layers.{i}.self_attn.q_proj.bias", when = "attention_bias" },
  }
  return keys.renamed(keys.joined { keys.frame(), keys.attention(), own }, renamed)
end

local function sizes(c)
  local m = blocks.heads(c)
  m.expert_inner = c.count("intermediate_size")
  m.inner = c.count("intermediate_size_mlp", 16384)
  m.mlp_base = "model.layers.{i}.feed_forward."
  m.rope = blocks.rope(c, m.head_dim, m.context)
  m.rope.interleaved = 1
  m.qkv_bias = c.boolean("attention_bias", false)
  m.o_bias = m.qkv_bias
  m.qk_norm = c.boolean("use_qk_norm", true) and "plain" or nil
  m.norm_behind = true
  m.experts = c.count("num_local_experts")
  m.chosen = c.count("num_experts_per_tok")
  c.expect("hidden_act", "silu")
  c.ignore("for_llm_compressor", "router_jitter_noise", "layer_types", "cache_implementation")
  return m
end

return {
  name = "llama4",
  architectures = { "Llama4ForConditionalGeneration" },
  model_types = { "llama4" },
  config_root = "text_config",
  keys = keys.decoder {
    attention_bias = keys.flag(), num_local_experts = keys.count(),
    num_experts_per_tok = keys.count { max = "num_local_experts" },
    intermediate_size_mlp = keys.count { max = 16777216, absent = "fine", default = 16384 },
    interleave_moe_layer_step = keys.count { absent = "fine", default = 1 },
    attention_chunk_size = keys.count { absent = "fine" },
    use_qk_norm = keys.flag { default = 1 }, rope_theta = keys.theta(500000.0, 500000),
  },
  evidence = evidence(),
  build = function(b, c)
    local t = c.section("text_config")
    local m = sizes(t)
    local own, sparse = attention_of(t, m), sparse_layers(t, m)
    b.format = formats.read(c.has("quantization_config") and c or t)
    b.renamed = renamed
    c.ignore("vision_config", "boi_token_index", "eoi_token_index", "image_token_index",
      "tie_word_embeddings")
    host.ignore("vision_model.*")
    host.ignore("multi_modal_projector.*")
    blocks.decoder(b, m, function(_, i, x)
      return moe.layer(b, m, blocks.attention(b, m, x, own[i]), sparse[i], mixer)
    end)
  end,
}
