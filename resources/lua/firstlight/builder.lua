-- SPDX-License-Identifier: Apache-2.0
-- One function per operator, on top of the engine's `host` functions. Values and weights are
-- numbers that the host gave out; "{i}" in a name stands for the current layer.
local formats = require "firstlight.formats"
local M = {}

local function replaced(text, mark, by)
  local out, from = "", 1
  for i = 1, #text do
    if i >= from and string.sub(text, i, i + #mark - 1) == mark then
      out = out .. string.sub(text, from, i - 1) .. by
      from = i + #mark
    end
  end
  return out .. string.sub(text, from)
end

local function layer_name(name, layer)
  return replaced(name, "{i}", tostring(layer))
end

local function expert_name(name, expert)
  return replaced(name, "{}", tostring(expert))
end

-- `names` turns a tensor name of the hub's layout into the checkpoint's own (GGUF), or is nil.
function M.new(names)
  local b = {
    index = -1,
    gguf = names ~= nil,
    -- Beginnings of names that this checkpoint writes otherwise: { { from, to }, … }.
    renamed = {},
    -- How linear layers are packed: a format of firstlight.formats.
    format = formats.plain,
  }
  local widths, rows = {}, {}
  local declared = nil  -- the kind of weights that are declared and not computed with
  local outside = 0

  -- What follows belongs to layer i: −1 before the first, the layer count behind the last.
  function b.layer(i)
    b.index = i
  end

  function b.width(x)
    return widths[x]
  end

  -- What `build` says of weights is declared, as this kind, and none of it is computed.
  function b.declare(kind, build)
    declared = kind
    build()
    declared = nil
  end

  -- A row that nobody made, for what is only declared.
  function b.stand_in(width)
    outside = outside - 1
    widths[outside] = width
    return outside
  end

  local function value(t)
    if declared then
      return b.stand_in(t.width)
    end
    t.layer = b.index
    t.rows = t.rows ~= "tokens" and t.rows or nil
    local id = host.value(t)
    widths[id], rows[id] = t.width, t.rows
    return id
  end

  local function own_name(name)
    if names then
      return names[name] or error("this recipe has no GGUF name for tensor " .. name)
    end
    for _, each in ipairs(b.renamed) do
      if string.sub(name, 1, #each[1]) == each[1] then
        return each[2] .. string.sub(name, #each[1] + 1)
      end
    end
    return name
  end

  -- Whether the checkpoint has this tensor of the current layer; without a checkpoint none.
  function b.has(name)
    return host.has(layer_name(own_name(name), b.index))
  end

  -- The shape that a tensor of the current layer has in the checkpoint; nil where there is none.
  function b.shape(name)
    return host.shape(layer_name(own_name(name), b.index))
  end

  -- Declares a weight; the same name gives the same weight again (tied embeddings).
  function b.weight(t)
    t.tensor = own_name(t.tensor)
    for _, companion in ipairs(t.companions or {}) do
      companion.tensor = own_name(companion.tensor)
    end
    t.layer = b.index
    if declared then
      t.declared = true
      t.kind = declared
    end
    return host.weight(t)
  end

  -- The matrix of a linear layer, packed as the checkpoint's are unless it is `plain`.
  local function matrix(t, stem, as_is, format)
    if as_is or names then
      formats.plain(t, stem)
    else
      local module = expert_name(layer_name(own_name(stem), b.index), 0)
      local pack = format or b.format
      pack(t, stem, module, function(name)
        return host.shape(expert_name(layer_name(own_name(name), b.index), 0))
      end)
    end
    return b.weight(t)
  end

  local function node(t)
    if declared then
      return
    end
    t.layer = b.index
    host.node(t)
  end

  local function state(t)
    if declared then
      return nil
    end
    t.layer = b.index
    return host.state(t)
  end

  function b.embedding(t)
    local table = b.weight {
      tensor = t.tensor, shape = { t.rows, t.width }, split = "vocab", kind = "embedding",
    }
    local y = value { name = t.as, width = t.width, tap = t.tap }
    node { op = "embedding", inputs = {}, outputs = { y }, weights = { table }, site = "embed" }
    return y
  end

  -- groups > 1: one norm per head, all with the same weight; across: one over so many heads. Without
  -- t.tensor there is no weight; shift is added to it.
  function b.rms_norm(x, t)
    local groups = t.groups or 1
    local used = {}
    if t.tensor then
      used[1] = b.weight {
        tensor = t.tensor, shape = { widths[x] // groups },
        split = t.across and "head" or "replicate", kind = t.kind or "norms", heads = t.across,
        shareable = t.across and t.shareable,
      }
    end
    local y = value { name = t.as, width = widths[x], tap = t.tap, rows = rows[x] }
    node {
      op = "rms_norm", inputs = { x }, outputs = { y }, weights = used, site = t.site,
      attributes = { groups = groups, epsilon = t.epsilon, shift = t.shift, across = t.across and 1 or nil },
    }
    return y
  end

  -- tensor: name without ".weight". A bias is cut as the weight's rows are; behind a row split it
  -- stays whole, and one rank adds it. plain: never packed.
  function b.linear(x, t)
    local used = {
      matrix({
        shape = { t.out, widths[x] }, split = t.split, kind = t.kind, heads = t.heads,
        shareable = t.shareable, segments = t.segments,
      }, t.tensor, t.plain),
    }
    if t.bias then
      local split = t.split == "row" and "replicate" or t.split
      used[2] = b.weight {
        tensor = t.tensor .. ".bias", shape = { t.out }, split = split, kind = t.kind,
        heads = split ~= "replicate" and t.heads or nil, shareable = t.shareable,
      }
    end
    local y = value { name = t.as, width = t.out, tap = t.tap, rows = t.rows or rows[x] }
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

  -- Optional: sinks (a tensor's name), window, chunk.
  function b.attention(q, k, v, t)
    local window = t.window or t.chunk or 0
    local kv = state {
      name = "layer.{i}.kv", kind = "paged", elements = 2 * t.kv_heads * t.head_dim,
      window = window,
    }
    local used = {}
    if t.sinks then
      used[1] = b.weight {
        tensor = t.sinks, shape = { t.heads }, split = "head", kind = "attention", heads = t.heads,
      }
    end
    local y = value { name = t.as, width = t.heads * t.head_dim }
    node {
      op = "attention", inputs = { q, k, v }, outputs = { y }, weights = used, state = kv,
      site = t.site,
      attributes = {
        heads = t.heads, kv_heads = t.kv_heads, head_dim = t.head_dim, scale = t.scale,
        window = t.window, chunk = t.chunk, temperature = t.temperature, floor = t.floor,
      },
    }
    return y
  end

  local function pair(op, x, y, t)
    local z = value { name = t.as, width = widths[x], tap = t.tap, rows = rows[x] }
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

  -- Scores of their own for selection: attributes of the operator, and t.tensor names the bias or
  -- the table of experts by token. t.flat: the shape in which a checkpoint has the bias.
  function b.router_select(logits, t)
    local ids = value { name = t.as .. ".ids", width = t.k, dtype = "I32" }
    local shares = value { name = t.as .. ".weights", width = t.k }
    local used = {}
    if t.choice == "bias" then
      used[1] = b.weight {
        tensor = t.tensor, shape = t.flat or { t.experts }, split = "replicate", kind = "router",
      }
    elseif t.choice == "token" then
      used[1] = b.weight {
        tensor = t.tensor, shape = { t.vocab, t.k }, split = "replicate", kind = "router",
        table = true, dtypes = { "I64", "I32" },
      }
    end
    node {
      op = "router_select", inputs = { logits }, outputs = { ids, shares }, weights = used,
      site = "router",
      attributes = {
        experts = t.experts, k = t.k, score = t.score, groups = t.groups or 1,
        top_groups = t.top_groups or 1, normalise = t.normalise and 1 or 0, scale = t.scale or 1.0,
        choice = t.choice,
      },
    }
    return ids, shares
  end

  -- tensor: a family name in which "{}" stands for the expert; t.names (gate_proj, up_proj,
  -- down_proj) follow it. With t.fused ("halves", "interleaved") tensor has no "{}" and all experts
  -- of a layer are one tensor: gate_up_proj and down_proj, [in, out] where t.transposed. t.bias:
  -- suffix of the biases' names. t.activation: attributes of another activation than SiLU's.
  function b.moe_experts(x, ids, shares, t)
    local hidden = widths[x]
    local function family(stem, shape, each, segments)
      if t.transposed then
        shape = { shape[2], shape[1] }
        each = each == "column" and "row" or "column"
      end
      local w = {
        shape = shape, split = "expert", kind = "routed_experts", experts = t.experts, each = each,
        segments = segments,
      }
      if t.fused and not t.format then
        w.tensor = stem
        return b.weight(w)
      end
      local format = t.format
      if t.fused == "interleaved" and each == "column" then
        -- Two rows of it belong to one column of the next matrix, whose scales span several.
        format = function(v, name, module, shape_of)
          t.format(v, name, module, shape_of)
          v.block_rows = 2 * v.block_columns
        end
      end
      return matrix(w, stem, false, format)
    end
    local function bias(stem, width, each)
      return b.weight {
        tensor = stem .. t.bias, shape = { width }, split = "expert", kind = "routed_experts",
        experts = t.experts, each = each,
      }
    end
    local used
    if t.fused then
      local first, last = t.tensor .. ".gate_up_proj", t.tensor .. ".down_proj"
      local segments = t.fused == "halves" and { t.inner, t.inner } or nil
      used = {
        family(first, { 2 * t.inner, hidden }, "column", segments),
        family(last, { hidden, t.inner }, "row"),
      }
      if t.bias then
        used[3] = bias(first, 2 * t.inner, "column")
        used[4] = bias(last, hidden, "replicate")
      end
    else
      local gate, up, down = table.unpack(t.names or { "gate_proj", "up_proj", "down_proj" })
      used = {
        family(t.tensor .. "." .. gate, { t.inner, hidden }, "column"),
        family(t.tensor .. "." .. up, { t.inner, hidden }, "column"),
        family(t.tensor .. "." .. down, { hidden, t.inner }, "row"),
      }
    end
    local attributes = { experts = t.experts, k = t.k, form = t.fused }
    attributes.transposed = t.transposed and 1 or nil
    attributes.weigh_input = t.weigh_input and 1 or nil
    for key, v in pairs(t.activation or {}) do
      attributes[key == "kind" and "activation" or key] = v
    end
    local y = value { name = t.as, width = hidden, tap = t.tap }
    node {
      op = "moe_experts", inputs = { x, ids, shares }, outputs = { y }, weights = used,
      site = "experts", attributes = attributes,
    }
    return y
  end

  -- Columns [first, last) of each of `groups` parts of a row, counted from 0; cut: the row is made
  -- of parts that ranks cut alike.
  function b.columns(x, t)
    local groups = t.groups or 1
    local y = value { name = t.as, width = groups * (t.last - t.first), rows = rows[x] }
    node {
      op = "columns", inputs = { x }, outputs = { y }, weights = {}, site = t.site,
      attributes = {
        groups = groups, begin = t.first, ["end"] = t.last, cut = t.cut and 1 or 0,
      },
    }
    return y
  end

  -- t: heads, nope, rope, value, latent, scale; tensor: the up-projection's name without
  -- ".weight", or halves: names of the two three-dimensional ones. ids: what a row attends to.
  function b.mla_attention(q, latent, key, ids, t)
    local cache = state {
      name = "layer.{i}.latent", kind = "paged", elements = t.latent + t.rope,
    }
    local function half(name, shape)
      return b.weight {
        tensor = name, shape = shape, split = "head", kind = "attention", heads = t.heads,
      }
    end
    local used = t.halves and {
      half(t.halves[1], { t.heads, t.latent, t.nope }),
      half(t.halves[2], { t.heads, t.value, t.latent }),
    } or {
      matrix({
        shape = { t.heads * (t.nope + t.value), t.latent }, split = "head", kind = "attention",
        heads = t.heads,
      }, t.tensor),
    }
    local y = value { name = t.as, width = t.heads * t.value }
    node {
      op = "mla_attention", inputs = { q, latent, key, ids }, outputs = { y }, weights = used,
      state = cache, site = "attn",
      attributes = {
        heads = t.heads, nope = t.nope, rope = t.rope, value = t.value, latent = t.latent,
        scale = t.scale, top_k = ids and t.top_k or 0,
      },
    }
    return y
  end

  -- One new value of so many columns that an operator makes; what the rows are goes on from the
  -- first input. t: as, site, tap, rows.
  local function made(op, inputs, columns, used, t, attributes, kept)
    local y = value {
      name = t.as, width = columns, tap = t.tap, rows = t.rows or rows[inputs[1]],
    }
    node {
      op = op, inputs = inputs, outputs = { y }, weights = used, site = t.site,
      attributes = attributes, state = kept,
    }
    return y
  end

  local function vector(name, width, kind, t)
    return b.weight {
      tensor = name, shape = { width }, split = t and t.split or "replicate", kind = kind,
      heads = t and t.heads,
    }
  end

  local inside = {
    value = value, node = node, state = state, matrix = matrix, made = made, vector = vector,
    widths = widths,
  }
  require("firstlight.builder_mixers").add(b, inside)
  require("firstlight.builder_images").add(b, inside)
  return b
end

return M
