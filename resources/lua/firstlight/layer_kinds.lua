-- SPDX-License-Identifier: Apache-2.0
-- Decoders whose layers differ: most attend over a window, some over everything; some have experts,
-- some do not turn. And the layer of those that normalise behind attention and MLP.
local blocks = require "firstlight.blocks"
local M = {}

-- What blocks.gqa takes of each layer i (from 0): { window = … } or {}. The kinds stand in
-- layer_types; without it every `every`-th layer sees everything, and without `every` all do.
-- `usual`: the window of a model whose configuration has no sliding_window; without it there is
-- none, and then no layer may have one.
function M.windows(c, m, every, usual)
  local types = c.list("layer_types")
  if #types > 0 and #types ~= m.layers then
    c.problem("layer_types", m.layers .. " types", #types .. " items")
    types = {}
  end
  local window = (usual or c.has("sliding_window")) and c.count("sliding_window", usual) or nil
  local own, lacking = {}, false
  for i = 0, m.layers - 1 do
    local otherwise = every and (i + 1) % every ~= 0 and "sliding_attention" or "full_attention"
    local kind = types[i + 1] or otherwise
    if kind ~= "sliding_attention" and kind ~= "full_attention" then
      c.unsupported("layer_types", "sliding_attention or full_attention", "'" .. kind .. "'")
    end
    lacking = lacking or (kind == "sliding_attention" and not window)
    own[i] = kind == "sliding_attention" and window and { window = window } or {}
  end
  if lacking then
    c.problem("sliding_window", "a window, layer_types has some", "nothing", "config-key-missing")
  end
  return own
end

-- Positions of both kinds of layers: sets m.rope and, in own[i].rotation, that of layers with a
-- window. Either rope_parameters holds an object for each kind, or the windows' rotation is plain,
-- with a base of its own under `base_key` or the same one.
function M.rotations(c, m, own, base_key, base)
  local both = c.peek("rope_parameters")
  local windowed
  if type(both) == "table" and type(both.full_attention) == "table" then
    local inner = c.object("rope_parameters")
    m.rope = blocks.rope_of(inner.object("full_attention"), c, m.head_dim, m.context)
    windowed = blocks.rope_of(inner.object("sliding_attention"), c, m.head_dim, m.context)
    c.ignore("rope_theta", "rope_scaling", "partial_rotary_factor")
  else
    m.rope = blocks.rope(c, m.head_dim, m.context)
    windowed = blocks.rope_of(nil, c, m.head_dim, m.context)
    windowed.theta = m.rope.theta
  end
  if base_key and c.has(base_key) then
    windowed.theta = c.real(base_key)
  elseif base and not (type(both) == "table" and both.sliding_attention) then
    windowed.theta = base
  end
  for i = 0, m.layers - 1 do
    own[i].rotation = own[i].window and windowed or nil
  end
end

-- Which layers have experts, from mlp_layer_types or from how many dense ones come first (one).
function M.sparse(c, m)
  local types = c.list("mlp_layer_types")
  if #types > 0 and #types ~= m.layers then
    c.problem("mlp_layer_types", m.layers .. " types", #types .. " items")
    types = {}
  end
  local first = c.count("first_k_dense_replace", 1, 0)
  local sparse = {}
  for i = 0, m.layers - 1 do
    local kind = types[i + 1]
    sparse[i] = kind == "sparse" or (kind == nil and i >= first)
  end
  return sparse
end

-- Which layers turn queries and keys: those for which no_rope_layers says 1; without it all but every
-- no_rope_layer_interval-th (4).
function M.turning(c, m)
  local turns, every = c.list("no_rope_layers"), c.count("no_rope_layer_interval", 4)
  local turning = {}
  for i = 0, m.layers - 1 do
    turning[i] = (turns[i + 1] or ((i + 1) % every ~= 0 and 1 or 0)) ~= 0
  end
  return turning
end

-- A layer with norms behind attention and MLP, with residuals. own: what blocks.gqa takes of it;
-- before: norms stand before both too.
function M.normed_behind(b, m, x, own, before)
  local y = before and blocks.attn_norm(b, m, x) or x
  local out = blocks.gqa(b, m, y, own)
  out = blocks.norm(b, m, out, "post_attention_layernorm", "attn_normed", "attn")
  x = b.add(x, out, { as = "layer.{i}.mid", site = "attn" })
  y = before and blocks.norm(b, m, x, "pre_feedforward_layernorm", "mlp_norm", "mlp") or x
  out = blocks.swiglu(b, m, y, {
    base = "model.layers.{i}.mlp.", inner = m.inner, kind = "dense_mlp", activation = m.activation,
    as = "layer.{i}.mlp", tap = "layer.{i}.mlp",
  })
  out = blocks.norm(b, m, out, "post_feedforward_layernorm", "mlp_normed", "mlp")
  return b.add(x, out, { as = "layer.{i}", site = "mlp", tap = "layer.{i}" })
end

return M
