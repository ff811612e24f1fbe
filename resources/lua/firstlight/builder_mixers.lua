-- SPDX-License-Identifier: Apache-2.0
-- Builder functions of operators beside the plain decoder's: norms and gates, linear attention,
-- sparse and pooled attention, residual streams.
local M = {}

-- Adds them to the builder b; `inside` is what firstlight.builder shares.
function M.add(b, inside)
  local value, node, state, matrix = inside.value, inside.node, inside.state, inside.matrix
  local made, vector, widths = inside.made, inside.vector, inside.widths

  -- tensor: name without ".weight".
  function b.layer_norm(x, t)
    local kind = t.kind or "norms"
    local used = { vector(t.tensor .. ".weight", widths[x], kind) }
    if t.bias then
      used[2] = vector(t.tensor .. ".bias", widths[x], kind)
    end
    return made("layer_norm", { x }, widths[x], used, t, { epsilon = t.epsilon })
  end

  function b.activation(x, t)
    return made("activation", { x }, widths[x], {}, t, { kind = t.kind })
  end

  -- Every value times t.factor.
  function b.scale(x, t)
    return made("scale", { x }, widths[x], {}, t, { factor = t.factor })
  end

  -- a: the operator's attributes (kind, limit, …).
  function b.gated_activation(gate, up, t, a)
    return made("gated_activation", { gate, up }, widths[gate], {}, t, a)
  end

  function b.sigmoid_gate(x, gate, t)
    return made("sigmoid_gate", { x, gate }, widths[x], {}, t, {})
  end

  function b.gated_norm(x, gate, t)
    local scale = vector(t.tensor, widths[x] // t.groups, "norms")
    return made("gated_norm", { x, gate }, widths[x], { scale }, t, {
      groups = t.groups, epsilon = t.epsilon, gate = t.gate,
    })
  end

  function b.short_convolution(x, t)
    local kept = state {
      name = "layer.{i}." .. t.state, kind = "fixed", elements = widths[x] * (t.taps - 1),
      dtype = "F32",
    }
    local taps = b.weight {
      tensor = t.tensor, shape = { widths[x], 1, t.taps }, split = "head", kind = "attention",
      heads = t.heads, segments = t.segments,
    }
    return made("short_convolution", { x }, widths[x], { taps }, t,
      { width = widths[x], taps = t.taps }, kept)
  end

  -- t: key_heads, value_heads, key_dim, value_dim, decay, bound; log and bias: { tensor, shape,
  -- split, heads }.
  function b.delta_rule(q, k, v, decay, beta, t)
    local kept = state {
      name = "layer.{i}.delta", kind = "fixed", dtype = "F32",
      elements = t.value_heads * t.key_dim * t.value_dim,
    }
    local used = {}
    for i, each in ipairs { t.log, t.bias } do
      each.kind = "attention"
      used[i] = b.weight(each)
    end
    return made("delta_rule", { q, k, v, decay, beta }, t.value_heads * t.value_dim, used, t, {
      key_heads = t.key_heads, value_heads = t.value_heads, key_dim = t.key_dim,
      value_dim = t.value_dim, decay = t.decay, bound = t.bound or 0.0,
    }, kept)
  end

  function b.sparse_index(q, key, head_weights, t)
    local ratio = t.ratio or 1
    local kept = state {
      name = "layer.{i}.index", kind = "paged", elements = (t.dim + ratio - 1) // ratio,
    }
    local ids = value { name = t.as, width = t.top_k, dtype = "I32" }
    node {
      op = "sparse_index", inputs = { q, key, head_weights }, outputs = { ids }, weights = {},
      site = t.site, state = kept,
      attributes = { heads = t.heads, dim = t.dim, top_k = t.top_k, ratio = ratio },
    }
    return ids
  end

  -- base: names before ape and norm.
  function b.compress(values, scores, t)
    local wide = widths[values]
    local overlap = wide // t.width - 1
    local kept = state {
      name = "layer.{i}." .. t.state, kind = "fixed", dtype = "F32",
      elements = 2 * wide * t.ratio * (1 + overlap),
    }
    local used = {
      b.weight {
        tensor = t.base .. "ape", shape = { t.ratio, wide }, split = "replicate", kind = "attention",
      },
      vector(t.base .. "norm.weight", t.width, "norms"),
    }
    return made("compress", { values, scores }, t.width, used, t,
      { ratio = t.ratio, width = t.width, overlap = overlap, epsilon = t.epsilon }, kept)
  end

  function b.pool_cache(x, t)
    local kept = state {
      name = "layer.{i}.pool", kind = "paged", elements = (widths[x] + t.ratio - 1) // t.ratio,
    }
    return made("pool_cache", { x }, widths[x], {}, t, { ratio = t.ratio, width = widths[x] }, kept)
  end

  -- pool and ids may be nil.
  function b.pool_attention(q, kv, pool, ids, t)
    local kept = state {
      name = "layer.{i}.kv", kind = "paged", elements = t.head_dim, window = t.window,
    }
    local sink = vector(t.sinks, t.heads, "attention", { split = "head", heads = t.heads })
    local inputs = { q, kv }
    inputs[#inputs + 1] = pool
    inputs[#inputs + 1] = ids
    return made("pool_attention", inputs, t.heads * t.head_dim, { sink }, t, {
      heads = t.heads, head_dim = t.head_dim, window = t.window, ratio = pool and t.ratio or 0,
      top_k = ids and t.top_k or 0, scale = t.scale,
    }, kept)
  end

  function b.grouped_linear(x, t)
    local used = {
      matrix({
        shape = { t.out, widths[x] // t.groups }, split = "head", kind = t.kind, heads = t.groups,
      }, t.tensor),
    }
    return made("grouped_linear", { x }, t.out, used, t, { groups = t.groups })
  end

  function b.repeat_streams(x, t)
    return made("repeat_streams", { x }, t.streams * widths[x], {}, t, { streams = t.streams })
  end

  -- base: names before fn, base and scale. Gives the row and the mixes, the last one the row alone.
  function b.hyper_collapse(x, t)
    local mixes = t.last and t.streams or t.streams * (2 + t.streams)
    local function weight(name, shape)
      return b.weight {
        tensor = t.base .. name, shape = shape, split = "replicate", kind = "residual",
      }
    end
    local used = {
      weight("fn", { mixes, widths[x] }), weight("base", { mixes }),
      weight("scale", { t.last and 1 or 3 }),
    }
    local y = value { name = t.as, width = widths[x] // t.streams, tap = t.tap }
    local mix = not t.last and value { name = t.as .. ".mixes", width = mixes } or nil
    node {
      op = "hyper_collapse", inputs = { x }, outputs = { y, mix }, weights = used, site = t.site,
      attributes = {
        streams = t.streams, iterations = t.iterations, epsilon = t.epsilon,
        final = t.last and 1 or 0,
      },
    }
    return y, mix
  end

  function b.hyper_expand(x, y, mixes, t)
    return made("hyper_expand", { x, y, mixes }, widths[x], {}, t, { streams = t.streams })
  end

  -- bank: a list of rows. base: names before norm.weight and proj.weight.
  function b.residual_attention(bank, t)
    local width = widths[bank[1]]
    local used = {
      vector(t.base .. "norm.weight", width, "residual"),
      b.weight {
        tensor = t.base .. "proj.weight", shape = { 1, width }, split = "replicate",
        kind = "residual",
      },
    }
    return made("residual_attention", bank, width, used, t, { epsilon = t.epsilon })
  end
end

return M
