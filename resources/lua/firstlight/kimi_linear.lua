-- SPDX-License-Identifier: Apache-2.0
-- Decoders of the Kimi Linear form (arXiv 2510.26692): most layers keep a matrix for each head
-- (Kimi delta attention), the others are latent attention without positions. Kimi K3 adds attention
-- over residuals and experts in a narrower space.
local blocks = require "firstlight.blocks"
local keys = require "firstlight.keys"
local mla = require "firstlight.mla"
local moe = require "firstlight.moe"
local M = {}

-- What such a configuration may hold.
function M.keys()
  return keys.decoder {
    num_key_value_heads = keys.count {
      equals = "num_attention_heads", absent = "fine", default = "num_attention_heads",
    },
    head_dim = keys.count { absent = "fine" },
    max_position_embeddings = keys.count { max = 1073741824, instead = "model_max_length" },
    q_lora_rank = keys.count { absent = "fine" },
    kv_lora_rank = keys.count(),
    qk_nope_head_dim = keys.count(),
    qk_rope_head_dim = keys.count(),
    v_head_dim = keys.count(),
    num_experts = keys.count(),
    num_experts_per_token = keys.count { max = "num_experts" },
    moe_intermediate_size = keys.count(),
    num_shared_experts = keys.count { min = 0, absent = "fine", default = 0 },
    num_expert_group = keys.count { divides = "num_experts", absent = "fine", default = 1 },
    topk_group = keys.count { max = "num_expert_group", absent = "fine", default = 1 },
    first_k_dense_replace = keys.count {
      min = 0, max = "num_hidden_layers", absent = "fine", default = 0,
    },
    routed_scaling_factor = {
      type = "real", above = 0, usual_max = 100, absent = "fine", default = 1,
      usual = { 1.0, 2.446 },
    },
    linear_attn_config = { type = "object" },
    rope_theta = { type = "real", above = 0, absent = "fine" },
    hidden_act = { type = "text", absent = "fine" },
    mla_use_nope = keys.flag { default = 1 },
    mla_use_output_gate = keys.flag(),
    moe_renormalize = keys.flag { default = 1 },
  }
end

-- Which tensors prove those numbers. Queries have one name in both kinds of layers.
function M.evidence()
  local layer = "model.layers.{i}."
  local attn, moe_base = layer .. "self_attn.", layer .. "block_sparse_moe."
  local expert = moe_base .. "experts.{}."
  local inner = { "moe_intermediate_size", "hidden_size" }
  local dense = { "intermediate_size", "hidden_size" }
  return keys.joined { keys.frame(), {
    {
      tensor = attn .. "kv_a_proj_with_mqa.weight",
      shape = { "kv_lora_rank + qk_rope_head_dim", "hidden_size" },
    },
    { tensor = attn .. "kv_a_layernorm.weight", shape = { "kv_lora_rank" } },
    {
      tensor = attn .. "kv_b_proj.weight",
      shape = { "num_attention_heads * (qk_nope_head_dim + v_head_dim)", "kv_lora_rank" },
    },
    { tensor = attn .. "q_a_layernorm.weight", shape = { "q_lora_rank" } },
    -- Dense layers have the experts' name in some checkpoints.
    { tensor = layer .. "mlp.gate_proj.weight", shape = dense, optional = true },
    { tensor = moe_base .. "gate_proj.weight", shape = dense, optional = true },
    {
      tensor = moe_base .. "gate.weight", shape = { "num_experts", "hidden_size" },
      count = "num_hidden_layers - first_k_dense_replace",
    },
    { tensor = moe_base .. "gate.e_score_correction_bias", shape = { "num_experts" } },
    { tensor = expert .. "w1.weight", shape = inner, experts = "num_experts" },
    { tensor = expert .. "w1.weight_packed", experts = "num_experts", optional = true },
    {
      tensor = moe_base .. "shared_experts.gate_proj.weight",
      shape = { "num_shared_experts * moe_intermediate_size", "hidden_size" },
    },
  } }
end

-- Adds kda: which layers are Kimi delta attention, and its sizes.
local function linear_sizes(c, m)
  local t = c.object("linear_attn_config")
  if not t then
    c.problem("linear_attn_config", "an object", "nothing", "config-key-missing")
    m.kda = { layers = {}, heads = 1, dim = 1, taps = 2 }
    return
  end
  m.kda = {
    layers = {}, heads = t.count("num_heads"), dim = t.count("head_dim"),
    taps = t.count("short_conv_kernel_size", 4, 2), bound = t.real("gate_lower_bound", 0.0),
    full_gate = t.boolean("use_full_rank_gate", false),
  }
  local known = {}
  for _, key in ipairs { "kda_layers", "full_attn_layers" } do
    for _, i in ipairs(t.list(key)) do
      known[i] = key
      m.kda.layers[i] = key == "kda_layers"
    end
  end
  for i = 1, m.layers do
    if not known[i] then
      t.problem("kda_layers", "every layer there or in full_attn_layers", "no layer " .. i)
      return
    end
  end
end

function M.sizes(c)
  local m = blocks.common(c, "model_max_length")
  m.inner = c.count("intermediate_size")
  linear_sizes(c, m)
  mla.sizes(c, m, true)
  c.expect("mla_use_nope", true)
  m.mla_gate = c.boolean("mla_use_output_gate", false)
  m.experts = c.count("num_experts")
  m.chosen = c.count("num_experts_per_token")
  m.expert_inner = c.count("moe_intermediate_size")
  m.shared_inner = m.expert_inner * c.count("num_shared_experts", 0, 0)
  m.normalise = c.boolean("moe_renormalize", true)
  m.route_scale = c.real("routed_scaling_factor", 1.0)
  m.score = c.choice("moe_router_activation_func", "sigmoid", { "sigmoid", "softmax" })
  m.first_dense = c.count("first_k_dense_replace", 0, 0)
  c.expect("topk_method", "noaux_tc")
  c.expect("moe_layer_freq", 1)
  c.expect("num_nextn_predict_layers", 0)
  c.expect("num_key_value_heads", m.heads)
  c.ignore("use_grouped_topk", "head_dim")
  moe.groups(c, m, "num_expert_group")
  m.moe = {
    base = "model.layers.{i}.block_sparse_moe.", names = { "w1", "w3", "w2" },
    activation = m.activation,
  }
  return m
end

-- A_log may have more rows than there are heads: the checkpoint's own shape counts.
local function log_shape(b, m, name)
  local found = b.shape(name)
  local count = 1
  for _, dim in ipairs(found or {}) do
    count = count * dim
  end
  return found and count >= m.kda.heads and found or { m.kda.heads }
end

local kda_base = "model.layers.{i}.self_attn."

local function linear(b, m, x, name, out, split, as)
  return b.linear(x, {
    tensor = kda_base .. name, out = out, split = split, kind = "attention",
    heads = split == "head" and m.kda.heads or nil, as = as, site = "attn",
  })
end

-- The rows that gate what the heads say.
local function output_gate(b, m, y, inner)
  local t = m.kda
  if t.full_gate then
    return linear(b, m, y, "g_proj", inner, "head", "layer.{i}.gate")
  end
  local narrow = linear(b, m, y, "g_a_proj", t.dim, "replicate", "layer.{i}.gate_in")
  return linear(b, m, narrow, "g_b_proj", inner, "head", "layer.{i}.gate")
end

-- Kimi delta attention on normalised rows, without residual.
function M.delta_mixer(b, m, y)
  local t = m.kda
  local base = kda_base
  local inner = t.heads * t.dim
  local mixed = {}
  for i, name in ipairs { "q", "k", "v" } do
    local x = linear(b, m, y, name .. "_proj", inner, "head", "layer.{i}." .. name)
    mixed[i] = b.short_convolution(x, {
      tensor = base .. name .. "_conv1d.weight", taps = t.taps, heads = t.heads,
      state = name .. "_conv", as = "layer.{i}." .. name .. "_mixed", site = "attn",
    })
  end
  local narrow = linear(b, m, y, "f_a_proj", t.dim, "replicate", "layer.{i}.decay_in")
  local decay = linear(b, m, narrow, "f_b_proj", inner, "head", "layer.{i}.decay")
  local beta = linear(b, m, y, "b_proj", t.heads, "head", "layer.{i}.beta")
  local out = b.delta_rule(mixed[1], mixed[2], mixed[3], decay, beta, {
    key_heads = t.heads, value_heads = t.heads, key_dim = t.dim, value_dim = t.dim,
    decay = "channel", bound = t.bound, as = "layer.{i}.delta", site = "attn",
    log = { tensor = base .. "A_log", shape = log_shape(b, m, base .. "A_log"), split = "replicate" },
    bias = { tensor = base .. "dt_bias", shape = { inner }, split = "head", heads = t.heads },
  })
  out = b.gated_norm(out, output_gate(b, m, y, inner), {
    tensor = base .. "o_norm.weight", groups = t.heads, epsilon = m.epsilon, gate = "sigmoid",
    as = "layer.{i}.gated", site = "attn",
  })
  return b.linear(out, {
    tensor = base .. "o_proj", out = m.hidden, split = "row", kind = "attention", heads = t.heads,
    as = "layer.{i}.attn", site = "attn", tap = "layer.{i}.attn",
  })
end

-- Layer i's token mixer, without residual.
function M.mixer(b, m, i, y)
  if m.kda.layers[i + 1] then
    return M.delta_mixer(b, m, y)
  end
  return mla.mixer(b, m, y)
end

return M
