-- SPDX-License-Identifier: Apache-2.0
-- Mixtures of experts of the DeepSeek-V3 form: routed experts chosen by a score with a bias for
-- selection, and experts that every token passes.
local blocks = require "firstlight.blocks"
local M = {}

-- Adds experts, chosen, expert_inner, shared_inner, groups, top_groups, normalise, route_scale,
-- score, first_dense to the sizes.
function M.sizes(c, m)
  m.experts = c.count("n_routed_experts")
  m.chosen = c.count("num_experts_per_tok")
  m.expert_inner = c.count("moe_intermediate_size")
  m.shared_inner = m.expert_inner * c.count("n_shared_experts", 0, 0)
  m.groups = c.count("n_group", 1)
  m.top_groups = c.count("topk_group", 1)
  m.normalise = c.boolean("norm_topk_prob", true)
  m.route_scale = c.real("routed_scaling_factor", 1.0)
  m.score = c.choice("scoring_func", "sigmoid", { "sigmoid", "softmax" })
  m.first_dense = c.count("first_k_dense_replace", 0, 0)
  c.expect("topk_method", "noaux_tc")
  c.expect("moe_layer_freq", 1)
  c.ignore("ep_size", "aux_loss_alpha", "seq_aux")
  if m.experts % m.groups ~= 0 then
    c.problem("n_group", "a divisor of n_routed_experts " .. m.experts, tostring(m.groups))
    m.groups = 1
  end
  if m.top_groups > m.groups then
    c.problem("topk_group", "at most n_group " .. m.groups, tostring(m.top_groups))
    m.top_groups = m.groups
  end
  if m.chosen > m.experts // m.groups * m.top_groups then
    c.problem("num_experts_per_tok", "at most the experts of topk_group groups", tostring(m.chosen))
    m.chosen = 1
  end
end

-- Experts and shared experts on normalised rows y, without residual.
function M.mixer(b, m, y)
  local base = "model.layers.{i}.mlp."
  local logits = b.linear(y, {
    tensor = base .. "gate", out = m.experts, split = "replicate", kind = "router", plain = true,
    as = "layer.{i}.router", site = "router",
  })
  local ids, shares = b.router_select(logits, {
    experts = m.experts, k = m.chosen, score = m.score, groups = m.groups,
    top_groups = m.top_groups, normalise = m.normalise, scale = m.route_scale, choice = "bias",
    tensor = base .. "gate.e_score_correction_bias", as = "layer.{i}.chosen",
  })
  local shared = m.shared_inner > 0 and blocks.swiglu(b, m, y, {
    base = base .. "shared_experts.", inner = m.shared_inner, kind = "shared_experts",
    as = "layer.{i}.shared",
  })
  local tap = "layer.{i}.mlp"
  local out = b.moe_experts(y, ids, shares, {
    tensor = base .. "experts.{}", experts = m.experts, k = m.chosen, inner = m.expert_inner,
    as = shared and "layer.{i}.routed" or tap, tap = not shared and tap or nil,
  })
  return shared and b.add(out, shared, { as = tap, site = "mlp", tap = tap }) or out
end

-- Pre-norm, with residual; dense in the first layers.
function M.mlp(b, m, i, x)
  if i < m.first_dense then
    return blocks.gated_mlp(b, m, x)
  end
  local out = M.mixer(b, m, blocks.mlp_norm(b, m, x))
  return b.add(x, out, { as = "layer.{i}", site = "mlp", tap = "layer.{i}" })
end

return M
