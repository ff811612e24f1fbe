-- SPDX-License-Identifier: Apache-2.0
-- Mixtures of experts: routed experts chosen by a score, often with a bias for selection, and
-- experts that every token passes.
local blocks = require "firstlight.blocks"
local M = {}

-- Adds groups and top_groups; the experts and how many are chosen are known.
function M.groups(c, m, group_key)
  m.groups = c.count(group_key, 1)
  m.top_groups = c.count("topk_group", 1)
  if m.experts % m.groups ~= 0 then
    c.problem(group_key, "a divisor of the " .. m.experts .. " experts", tostring(m.groups))
    m.groups = 1
  end
  if m.top_groups > m.groups then
    c.problem("topk_group", "at most " .. m.groups .. " groups", tostring(m.top_groups))
    m.top_groups = m.groups
  end
  if m.chosen > m.experts // m.groups * m.top_groups then
    c.problem("num_experts_per_tok", "at most the experts of topk_group groups", tostring(m.chosen))
    m.chosen = 1
  end
end

-- Adds experts, chosen, expert_inner, shared_inner, normalise, route_scale to the sizes.
function M.experts(c, m)
  m.experts = c.count("n_routed_experts")
  m.chosen = c.count("num_experts_per_tok")
  m.expert_inner = c.count("moe_intermediate_size")
  m.shared_inner = m.expert_inner * c.count("n_shared_experts", 0, 0)
  m.normalise = c.boolean("norm_topk_prob", true)
  m.route_scale = c.real("routed_scaling_factor", 1.0)
end

-- The same and groups, top_groups, score, first_dense.
function M.sizes(c, m)
  M.experts(c, m)
  m.score = c.choice("scoring_func", "sigmoid", { "sigmoid", "softmax" })
  m.first_dense = c.count("first_k_dense_replace", 0, 0)
  c.expect("topk_method", "noaux_tc")
  c.expect("moe_layer_freq", 1)
  c.ignore("ep_size", "aux_loss_alpha", "seq_aux")
  M.groups(c, m, "n_group")
end

-- Logits of the router on normalised rows.
function M.logits(b, m, y, stem, bias)
  return b.linear(y, {
    tensor = stem, out = m.experts, split = "replicate", kind = "router", plain = true,
    bias = bias, as = "layer.{i}.router", site = "router",
  })
end

-- Experts and shared experts on normalised rows y, without residual. m.moe (optional): base (names
-- before gate and experts), bias (name behind base), flat (the shape in which a checkpoint has it),
-- names, shared_names, latent, activation, choice and table (name behind base) for one layer.
-- m.mlp_bias: of the shared experts.
function M.mixer(b, m, y)
  local t = m.moe or {}
  local base = t.base or "model.layers.{i}.mlp."
  local logits = M.logits(b, m, y, base .. "gate")
  local choice = t.choice or "bias"
  local ids, shares = b.router_select(logits, {
    experts = m.experts, k = m.chosen, score = m.score, groups = m.groups,
    top_groups = m.top_groups, normalise = m.normalise, scale = m.route_scale, choice = choice,
    vocab = m.vocab, flat = t.flat,
    tensor = base .. (choice == "token" and t.table or t.bias or "gate.e_score_correction_bias"),
    as = "layer.{i}.chosen",
  })
  local shared = m.shared_inner > 0 and blocks.swiglu(b, m, y, {
    base = base .. "shared_experts.", inner = m.shared_inner, kind = "shared_experts",
    names = t.shared_names, activation = t.activation, bias = m.mlp_bias, as = "layer.{i}.shared",
  })
  local tap = "layer.{i}.mlp"
  local last = shared and "layer.{i}.routed" or tap
  local x = t.latent and M.into_latent(b, m, y, base) or y
  local out = b.moe_experts(x, ids, shares, {
    tensor = base .. "experts.{}", experts = m.experts, k = m.chosen, inner = m.expert_inner,
    names = t.names, activation = t.activation, format = t.format,
    as = t.latent and "layer.{i}.latent_out" or last,
    tap = not shared and not t.latent and tap or nil,
  })
  if t.latent then
    out = M.out_of_latent(b, m, out, base, last)
  end
  return shared and b.add(out, shared, { as = tap, site = "mlp", tap = tap }) or out
end

-- Experts that work in a narrower space: m.latent columns.
function M.into_latent(b, m, y, base)
  return b.linear(y, {
    tensor = base .. "routed_expert_down_proj", out = m.latent, split = "replicate",
    kind = "latent_projections", plain = true, as = "layer.{i}.latent_in", site = "experts",
  })
end

function M.out_of_latent(b, m, x, base, as)
  if m.latent_norm then
    x = b.rms_norm(x, {
      tensor = base .. "routed_expert_norm.weight", epsilon = m.epsilon,
      kind = "latent_projections", as = "layer.{i}.latent_normed", site = "experts",
    })
  end
  return b.linear(x, {
    tensor = base .. "routed_expert_up_proj", out = m.hidden, split = "replicate",
    kind = "latent_projections", plain = true, as = as, site = "experts",
  })
end

-- What follows a layer's attention, pre-norm, with residual. sparse: it has experts; mixer: instead
-- of M.mixer.
function M.layer(b, m, x, sparse, mixer)
  if not sparse then
    return blocks.gated_mlp(b, m, x)
  end
  local out = (mixer or M.mixer)(b, m, blocks.mlp_norm(b, m, x))
  return b.add(x, out, { as = "layer.{i}", site = "mlp", tap = "layer.{i}" })
end

-- The same of layer i, dense in the first layers.
function M.mlp(b, m, i, x)
  return M.layer(b, m, x, i >= m.first_dense)
end

-- One expert that every token passes, behind a gate of one value (Qwen). t: base, inner.
function M.gated_shared(b, m, y, t)
  local shared = blocks.swiglu(b, m, y, {
    base = t.base .. "shared_expert.", inner = t.inner, kind = "shared_experts",
    as = "layer.{i}.shared",
  })
  local gate = b.linear(y, {
    tensor = t.base .. "shared_expert_gate", out = 1, split = "replicate", kind = "router",
    plain = true, as = "layer.{i}.shared_gate", site = "mlp",
  })
  return b.sigmoid_gate(shared, gate, { as = "layer.{i}.shared_gated", site = "mlp" })
end

return M
