-- SPDX-License-Identifier: Apache-2.0
-- Decoders of the DeepSeek-V3 form, with the layers that draft further tokens behind the others.
local blocks = require "firstlight.blocks"
local keys = require "firstlight.keys"
local mla = require "firstlight.mla"
local moe = require "firstlight.moe"
local M = {}

-- A library that finds none takes 2.5.
function M.scaling(usual)
  return {
    type = "real", above = 0, usual_max = 100, absent = "warning", default = 2.5, usual = usual,
  }
end

-- What such a configuration may hold.
function M.keys(extra)
  local t = keys.grouped_experts("n_routed_experts", {
    num_key_value_heads = keys.count {
      equals = "num_attention_heads", absent = "fine", default = "num_attention_heads",
    },
    head_dim = keys.count { absent = "fine" },
    q_lora_rank = keys.count(),
    kv_lora_rank = keys.count(),
    qk_nope_head_dim = keys.count(),
    qk_rope_head_dim = keys.count { multiple_of = 2 },
    v_head_dim = keys.count(),
    n_shared_experts = keys.count { min = 0, absent = "fine", default = 0 },
    qk_head_dim = keys.count { equals = "qk_nope_head_dim + qk_rope_head_dim", absent = "fine" },
    -- Without them a library takes the numbers of another model.
    n_group = keys.count { divides = "n_routed_experts", default = 1 },
    topk_group = keys.count { max = "n_group", default = 1 },
    first_k_dense_replace = keys.count {
      min = 0, max = "num_hidden_layers", absent = "fine", default = 0,
    },
    moe_layer_freq = keys.count { absent = "fine", default = 1, usual = 1 },
    num_nextn_predict_layers = keys.count { min = 0, absent = "fine", default = 0 },
    routed_scaling_factor = M.scaling(2.5),
    norm_topk_prob = keys.flag { default = 1 },
    scoring_func = { type = "text", values = { "sigmoid", "softmax" }, absent = "fine" },
    topk_method = {
      type = "text", values = { "noaux_tc", "greedy", "group_limited_greedy" }, absent = "fine",
    },
    attention_bias = keys.flag(),
  })
  return keys.decoder(t, extra)
end

-- Which tensors prove those numbers. Draft layers are counted behind the others.
function M.evidence()
  local layer = "model.layers.{i}."
  local attn, mlp = layer .. "self_attn.", layer .. "mlp."
  local all = "num_hidden_layers + num_nextn_predict_layers"
  local turned = "num_attention_heads * (qk_nope_head_dim + qk_rope_head_dim)"
  local expanded = "num_attention_heads * (qk_nope_head_dim + v_head_dim)"
  local own = {
    { tensor = layer .. "input_layernorm.weight", shape = { "hidden_size" }, layers = all },
    { tensor = layer .. "post_attention_layernorm.weight", shape = { "hidden_size" }, layers = all },
    { tensor = layer .. "eh_proj.weight", count = "num_nextn_predict_layers" },
    { tensor = attn .. "q_a_proj.weight", shape = { "q_lora_rank", "hidden_size" } },
    { tensor = attn .. "q_a_layernorm.weight", shape = { "q_lora_rank" } },
    { tensor = attn .. "q_b_proj.weight", shape = { turned, "q_lora_rank" } },
    {
      tensor = attn .. "kv_a_proj_with_mqa.weight",
      shape = { "kv_lora_rank + qk_rope_head_dim", "hidden_size" },
    },
    { tensor = attn .. "kv_a_layernorm.weight", shape = { "kv_lora_rank" } },
    { tensor = attn .. "kv_b_proj.weight", shape = { expanded, "kv_lora_rank" } },
    { tensor = attn .. "o_proj.weight", shape = { "hidden_size", "num_attention_heads * v_head_dim" } },
    {
      tensor = mlp .. "gate_proj.weight", shape = { "intermediate_size", "hidden_size" },
      count = "first_k_dense_replace",
    },
    { tensor = mlp .. "down_proj.weight", shape = { "hidden_size", "intermediate_size" } },
    {
      tensor = mlp .. "gate.e_score_correction_bias", shape = { "n_routed_experts" },
      says = { topk_method = "noaux_tc", scoring_func = "sigmoid" },
    },
    keys.shared_experts("n_shared_experts"),
  }
  return keys.joined { keys.outer(), own, keys.experts("n_routed_experts", "moe_intermediate_size") }
end

-- What a GGUF says in its own way: the width of a key with both its parts, the latent as the one key
-- head that is cached, the router's function as a number, and YaRN's logarithm.
local gating = { [1] = "softmax", [2] = "sigmoid" }

local function gguf_sizes(c, m)
  local score = gating[c.integer("gguf.gating")]
  if score ~= m.score then
    c.unsupported("gguf.gating", "2", tostring(score))
  end
  c.expect("gguf.latent_key", m.kv_latent + m.rotary)
  c.expect("gguf.latent_value", m.kv_latent)
  c.expect("gguf.latent_heads", 1)
  if not c.boolean("gguf.one_kv_b", false) then
    local base = "model.layers.{i}.self_attn."
    m.kv_halves = { base .. "k_b.weight", base .. "v_b.weight" }
  end
end

-- Everything that config.json says of such a decoder but its format.
function M.sizes(c)
  local m = blocks.common(c)
  m.inner = c.count("intermediate_size")
  c.expect("hidden_act", "silu")
  c.expect("attention_bias", false)
  c.expect("mlp_bias", false)
  c.expect("num_key_value_heads", m.heads)
  mla.sizes(c, m)
  c.ignore("qk_head_dim")
  moe.sizes(c, m)
  if c.has("gguf.gating") then
    gguf_sizes(c, m)
  end
  m.drafts = c.count("num_nextn_predict_layers", 0, 0)
  return m
end

-- One layer with residuals; m.layer takes its place where a model has other attention.
function M.layer(b, m, i, x)
  if m.layer then
    return m.layer(b, m, i, x)
  end
  return moe.mlp(b, m, i, mla.attention(b, m, x))
end

-- One draft layer: a decoder layer between a joined input and a head of its own. Some checkpoints
-- repeat embedding and head in it.
local function draft(b, m, i)
  local base = "model.layers.{i}."
  local function norm(name, width)
    return b.rms_norm(b.stand_in(width), { tensor = base .. name .. ".weight", epsilon = m.epsilon })
  end
  norm("enorm", m.hidden)
  norm("hnorm", m.hidden)
  b.linear(b.stand_in(2 * m.hidden), {
    tensor = base .. "eh_proj", out = m.hidden, split = "replicate", plain = true,
  })
  M.layer(b, m, i, b.stand_in(m.hidden))
  norm("shared_head.norm", m.hidden)
  for _, name in ipairs { "embed_tokens", "shared_head.head" } do
    if b.has(base .. name .. ".weight") then
      b.weight {
        tensor = base .. name .. ".weight", shape = { m.vocab, m.hidden }, split = "vocab",
      }
    end
  end
end

function M.decoder(b, m)
  blocks.decoder(b, m, function(_, i, x)
    return M.layer(b, m, i, x)
  end)
  for i = m.layers, m.layers + m.drafts - 1 do
    b.layer(i)
    b.declare("mtp", function()
      draft(b, m, i)
    end)
  end
end

return M
