-- SPDX-License-Identifier: Apache-2.0
-- Qwen decoders with a softmax router: experts apart or in one tensor, and beside them one that
-- every token passes behind a gate.
local blocks = require "firstlight.blocks"
local delta_net = require "firstlight.delta_net"
local keys = require "firstlight.keys"
local moe = require "firstlight.moe"
local M = {}

-- What such a configuration may hold; hybrid: most layers are gated DeltaNet. `extra`: see
-- keys.decoder().
function M.keys(hybrid, extra)
  local t = {
    num_experts = keys.count(), num_experts_per_tok = keys.count { max = "num_experts" },
    moe_intermediate_size = keys.count(),
    shared_expert_intermediate_size = keys.count { min = 0, absent = "fine", default = 0 },
    norm_topk_prob = keys.flag(), attention_bias = keys.flag(), use_sliding_window = keys.flag(),
    decoder_sparse_step = keys.count { absent = "fine", default = 1 },
    mlp_only_layers = { type = "list", min = 0, max = "num_hidden_layers - 1", absent = "fine" },
  }
  if hybrid then
    t.intermediate_size = keys.count { max = 16777216, absent = "fine" }
    t.linear_num_key_heads = keys.count()
    t.linear_num_value_heads = keys.count { multiple_of = "linear_num_key_heads" }
    t.linear_key_head_dim = keys.count()
    t.linear_value_head_dim = keys.count()
    t.linear_conv_kernel_dim = keys.count { min = 2, absent = "fine", default = 4 }
    t.full_attention_interval = keys.count { absent = "fine", default = 4, usual = 4 }
    t.partial_rotary_factor = {
      type = "real", above = 0, max = 1, absent = "fine", default = 0.25, usual = 0.25,
    }
    t.rope_theta = keys.theta(10000000.0, 10000000)
  end
  return keys.decoder(t, extra)
end

-- Which tensors prove those numbers, but for the attention.
function M.evidence()
  local mlp = "model.layers.{i}.mlp."
  local fused = { tensor = mlp .. "experts.gate_up_proj", experts = "num_experts", optional = true }
  return keys.joined { keys.frame(), keys.experts("num_experts", "moe_intermediate_size"), {
    fused,
    {
      tensor = mlp .. "shared_expert.gate_proj.weight",
      shape = { "shared_expert_intermediate_size", "hidden_size" },
    },
  } }
end

-- The same of hybrid decoders. fused: queries, keys, values and gate in one matrix.
function M.hybrid_evidence(fused)
  local base = "model.layers.{i}.linear_attn."
  local inner = "linear_num_key_heads * linear_key_head_dim"
  local values = "linear_num_value_heads * linear_value_head_dim"
  local mixed = "2 * " .. inner .. " + " .. values
  local own = {
    { tensor = base .. "conv1d.weight", shape = { mixed, "1", "linear_conv_kernel_dim" } },
    { tensor = base .. "A_log", shape = { "linear_num_value_heads" } },
    { tensor = base .. "dt_bias", shape = { "linear_num_value_heads" } },
    { tensor = base .. "norm.weight", shape = { "linear_value_head_dim" } },
    { tensor = base .. "out_proj.weight", shape = { "hidden_size", values } },
  }
  if fused then
    own[#own + 1] = {
      tensor = base .. "in_proj_qkvz.weight", shape = { mixed .. " + " .. values, "hidden_size" },
    }
  else
    own[#own + 1] = { tensor = base .. "in_proj_qkv.weight", shape = { mixed, "hidden_size" } }
    own[#own + 1] = { tensor = base .. "in_proj_z.weight", shape = { values, "hidden_size" } }
  end
  return keys.joined { M.evidence(), keys.projections(true), own }
end

-- Adds experts, chosen, expert_inner, shared_inner (0: none), normalise.
function M.sizes(c, m)
  m.experts = c.count("num_experts")
  m.chosen = c.count("num_experts_per_tok")
  m.expert_inner = c.count("moe_intermediate_size")
  m.shared_inner = c.count("shared_expert_intermediate_size", 0, 0)
  m.normalise = c.boolean("norm_topk_prob", true)
  if m.chosen > m.experts then
    c.problem("num_experts_per_tok", "at most num_experts " .. m.experts, tostring(m.chosen))
    m.chosen = m.experts
  end
end

-- Whether all experts of layer 0 are one tensor; without a checkpoint: `fused`.
function M.layout(b, m, fused)
  b.layer(0)
  local base = "model.layers.{i}.mlp.experts."
  if b.has(base .. "gate_up_proj") then
    m.fused = true
  elseif b.has(base .. "0.gate_proj.weight") then
    m.fused = false
  else
    m.fused = fused
  end
end

-- On normalised rows, without residual. transposed: fused matrices are [in, out].
function M.mixer(b, m, y, transposed)
  local base = "model.layers.{i}.mlp."
  local ids, shares = b.router_topk(moe.logits(b, m, y, base .. "gate"), {
    experts = m.experts, k = m.chosen, normalise = m.normalise, as = "layer.{i}.chosen",
  })
  local tap = "layer.{i}.mlp"
  local lonely = m.shared_inner == 0
  local out = b.moe_experts(y, ids, shares, {
    tensor = base .. (m.fused and "experts" or "experts.{}"), experts = m.experts, k = m.chosen,
    inner = m.expert_inner, fused = m.fused and "halves" or nil,
    transposed = m.fused and transposed or nil, as = lonely and tap or "layer.{i}.routed",
    tap = lonely and tap or nil,
  })
  if lonely then
    return out
  end
  local shared = moe.gated_shared(b, m, y, { base = base, inner = m.shared_inner })
  return b.add(out, shared, { as = tap, site = "mlp", tap = tap })
end

-- Layers in which every fourth attends and the others keep a matrix (Qwen3-Next, Qwen3.5): true
-- where layer i (from 0) attends.
function M.full_layers(c, m)
  local types = c.list("layer_types")
  local every = c.count("full_attention_interval", 4)
  if #types > 0 and #types ~= m.layers then
    c.problem("layer_types", m.layers .. " types", #types .. " items")
    types = {}
  end
  local full = {}
  for i = 0, m.layers - 1 do
    local kind = types[i + 1]
    full[i] = kind == "full_attention" or (kind == nil and (i + 1) % every == 0)
    if kind and kind ~= "full_attention" and kind ~= "linear_attention" then
      c.unsupported("layer_types", "full_attention or linear_attention", "'" .. kind .. "'")
    end
  end
  return full
end

-- Sizes of the hybrid decoders.
function M.hybrid_sizes(c, sections)
  local m = blocks.heads(c)
  m.rope = blocks.rope(c, m.head_dim, m.context, { partial = 0.25, sections = sections })
  m.qk_norm, m.norm_shift = true, 1
  m.output_gate = c.boolean("attn_output_gate", true)
  m.full = M.full_layers(c, m)
  c.expect("hidden_act", "silu")
  c.expect("attention_bias", false)
  delta_net.sizes(c, m)
  M.sizes(c, m)
  return m
end

-- One hybrid layer with residuals. full: it attends.
function M.hybrid_layer(b, m, x, full)
  local y = blocks.attn_norm(b, m, x)
  local out = full and blocks.gqa(b, m, y) or delta_net.mixer(b, m, y)
  x = b.add(x, out, { as = "layer.{i}.mid", site = "attn" })
  return moe.layer(b, m, x, true, M.mixer)
end

return M
