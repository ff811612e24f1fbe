-- SPDX-License-Identifier: Apache-2.0
-- Decoders whose layers attend in two ways: most over a window, some over everything.
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

-- Which layers have experts, from mlp_layer_types or from how many dense ones come first.
function M.sparse(c, m, key, default)
  local types = c.list("mlp_layer_types")
  if #types > 0 and #types ~= m.layers then
    c.problem("mlp_layer_types", m.layers .. " types", #types .. " items")
    types = {}
  end
  local first = c.count(key, default, 0)
  local sparse = {}
  for i = 0, m.layers - 1 do
    local kind = types[i + 1]
    sparse[i] = kind == "sparse" or (kind == nil and i >= first)
  end
  return sparse
end

return M
