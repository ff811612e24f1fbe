-- SPDX-License-Identifier: Apache-2.0
-- One function per operator, on top of the engine's `host` functions. Values and weights are
-- numbers that the host gave out; "{i}" in a name stands for the current layer.
local M = {}

-- `names` turns a tensor name of the hub's layout into the checkpoint's own (GGUF), or is nil.
function M.new(names)
  local b = { index = -1 }
  local widths = {}

  -- What follows belongs to layer i: −1 before the first, the layer count behind the last.
  function b.layer(i)
    b.index = i
  end

  function b.width(x)
    return widths[x]
  end

  local function value(t)
    t.layer = b.index
    local id = host.value(t)
    widths[id] = t.width
    return id
  end

  local function own_name(name)
    if not names then
      return name
    end
    return names[name] or error("this recipe has no GGUF name for tensor " .. name)
  end

  -- Declares a weight; the same name gives the same weight again (tied embeddings).
  function b.weight(t)
    t.tensor = own_name(t.tensor)
    t.layer = b.index
    return host.weight(t)
  end

  local function node(t)
    t.layer = b.index
    host.node(t)
  end

  function b.embedding(t)
    local table = b.weight {
      tensor = t.tensor, shape = { t.rows, t.width }, split = "vocab", kind = "embedding",
    }
    local y = value { name = t.as, width = t.width, tap = t.tap }
    node { op = "embedding", inputs = {}, outputs = { y }, weights = { table }, site = "embed" }
    return y
  end

  -- groups > 1: one norm per head, all with the same weight.
  function b.rms_norm(x, t)
    local groups = t.groups or 1
    local scale = b.weight {
      tensor = t.tensor, shape = { widths[x] // groups }, split = "replicate", kind = "norm",
    }
    local y = value { name = t.as, width = widths[x], tap = t.tap }
    node {
      op = "rms_norm", inputs = { x }, outputs = { y }, weights = { scale }, site = t.site,
      attributes = { groups = groups, epsilon = t.epsilon },
    }
    return y
  end

  -- tensor: name without ".weight". A bias is cut as the weight's rows are; behind a row split it
  -- stays whole, and one rank adds it.
  function b.linear(x, t)
    local used = {
      b.weight {
        tensor = t.tensor .. ".weight", shape = { t.out, widths[x] }, split = t.split,
        kind = t.kind, heads = t.heads, shareable = t.shareable,
      },
    }
    if t.bias then
      local split = t.split == "row" and "replicate" or t.split
      used[2] = b.weight {
        tensor = t.tensor .. ".bias", shape = { t.out }, split = split, kind = t.kind,
        heads = split ~= "replicate" and t.heads or nil, shareable = t.shareable,
      }
    end
    local y = value { name = t.as, width = t.out, tap = t.tap, rows = t.rows }
    node { op = "linear", inputs = { x }, outputs = { y }, weights = used, site = t.site }
    return y
  end

  function b.rope(x, t)
    node {
      op = "rope", inputs = { x }, outputs = { x }, weights = {}, site = t.site,
      attributes = t.attributes,
    }
    return x
  end

  function b.attention(q, k, v, t)
    local state = host.state {
      name = "layer.{i}.kv", kind = "paged", elements = 2 * t.kv_heads * t.head_dim,
      layer = b.index,
    }
    local y = value { name = t.as, width = t.heads * t.head_dim }
    node {
      op = "attention", inputs = { q, k, v }, outputs = { y }, weights = {}, state = state,
      site = t.site,
      attributes = {
        heads = t.heads, kv_heads = t.kv_heads, head_dim = t.head_dim, scale = t.scale,
      },
    }
    return y
  end

  local function pair(op, x, y, t)
    local z = value { name = t.as, width = widths[x], tap = t.tap }
    node { op = op, inputs = { x, y }, outputs = { z }, weights = {}, site = t.site }
    return z
  end

  function b.silu_mul(gate, up, t)
    return pair("silu_mul", gate, up, t)
  end

  function b.add(x, y, t)
    return pair("add", x, y, t)
  end

  -- Keeps the rows whose logits somebody wants.
  function b.gather_rows(x, t)
    local y = value { name = t.as, width = widths[x], rows = "sequences" }
    node { op = "gather_rows", inputs = { x }, outputs = { y }, weights = {}, site = t.site }
    return y
  end

  function b.router_topk(logits, t)
    local ids = value { name = t.as .. ".ids", width = t.k, dtype = "I32" }
    local shares = value { name = t.as .. ".weights", width = t.k }
    node {
      op = "router_topk", inputs = { logits }, outputs = { ids, shares }, weights = {},
      site = "router",
      attributes = { experts = t.experts, k = t.k, normalise = t.normalise and 1 or 0 },
    }
    return ids, shares
  end

  -- tensor: a family name in which "{}" stands for the expert; gate, up and down follow it.
  function b.moe_experts(x, ids, shares, t)
    local hidden = widths[x]
    local function family(name, shape, each)
      return b.weight {
        tensor = t.tensor .. "." .. name .. ".weight", shape = shape, split = "expert",
        kind = "expert", experts = t.experts, each = each,
      }
    end
    local used = {
      family("gate_proj", { t.inner, hidden }, "column"),
      family("up_proj", { t.inner, hidden }, "column"),
      family("down_proj", { hidden, t.inner }, "row"),
    }
    local y = value { name = t.as, width = hidden, tap = t.tap }
    node {
      op = "moe_experts", inputs = { x, ids, shares }, outputs = { y }, weights = used,
      site = "experts", attributes = { experts = t.experts, k = t.k },
    }
    return y
  end

  return b
end

return M
