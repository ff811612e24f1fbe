-- SPDX-License-Identifier: Apache-2.0
-- Gated DeltaNet as Qwen3-Next and Qwen3.5 have it (arXiv 2412.06464).
local M = {}

-- Adds `delta` to the sizes. Value heads are a multiple of key heads.
function M.sizes(c, m)
  local t = {
    key_heads = c.count("linear_num_key_heads"), value_heads = c.count("linear_num_value_heads"),
    key_dim = c.count("linear_key_head_dim"), value_dim = c.count("linear_value_head_dim"),
    taps = c.count("linear_conv_kernel_dim", 4, 2),
  }
  if t.value_heads % t.key_heads ~= 0 then
    c.problem("linear_num_value_heads", "a multiple of linear_num_key_heads " .. t.key_heads,
      tostring(t.value_heads))
    t.value_heads = t.key_heads
  end
  t.keys = t.key_heads * t.key_dim
  t.values = t.value_heads * t.value_dim
  m.delta = t
end

-- Queries, keys and values in one row, and the rows z, beta and decay. Qwen3-Next keeps two fused
-- matrices, Qwen3.5 four.
--
-- The fused ones lie key head by key head, and so do the rows that come of them; the convolution's
-- channels then have to be taken in that order too.
local function projections(b, m, y, base)
  local t = m.delta
  local function linear(name, out, heads, as, segments)
    return b.linear(y, {
      tensor = base .. name, out = out, split = "head", kind = "attention", heads = heads,
      segments = segments, as = as, site = "attn",
    })
  end
  local mixed = 2 * t.keys + t.values
  if m.delta_fused then
    local function part(x, first, last, as)
      return b.columns(x, {
        groups = t.key_heads, first = first // t.key_heads, last = last // t.key_heads, as = as,
        site = "attn",
      })
    end
    local both = linear("in_proj_qkvz", mixed + t.values, t.key_heads, "layer.{i}.qkvz")
    local pair = linear("in_proj_ba", 2 * t.value_heads, t.key_heads, "layer.{i}.ba")
    return part(both, 0, mixed, "layer.{i}.qkv"), part(both, mixed, mixed + t.values, "layer.{i}.z"),
      part(pair, 0, t.value_heads, "layer.{i}.beta"),
      part(pair, t.value_heads, 2 * t.value_heads, "layer.{i}.decay")
  end
  return linear("in_proj_qkv", mixed, t.key_heads, "layer.{i}.qkv", { t.keys, t.keys, t.values }),
    linear("in_proj_z", t.values, t.value_heads, "layer.{i}.z"),
    linear("in_proj_b", t.value_heads, t.value_heads, "layer.{i}.beta"),
    linear("in_proj_a", t.value_heads, t.value_heads, "layer.{i}.decay")
end

-- On normalised rows, without residual.
function M.mixer(b, m, y)
  local t = m.delta
  local base = "model.layers.{i}.linear_attn."
  local qkv, z, beta, decay = projections(b, m, y, base)
  local mixed = b.short_convolution(qkv, {
    tensor = base .. "conv1d.weight", taps = t.taps, heads = t.key_heads, state = "conv",
    segments = { t.keys, t.keys, t.values }, as = "layer.{i}.convolved", site = "attn",
  })
  local groups = m.delta_fused and t.key_heads or 1
  local function part(first, count, as)
    return b.columns(mixed, {
      groups = groups, first = first // groups, last = (first + count) // groups,
      cut = groups == 1, as = as, site = "attn",
    })
  end
  local function per_head(name)
    return {
      tensor = base .. name, shape = { t.value_heads }, split = "head", heads = t.value_heads,
    }
  end
  local out = b.delta_rule(part(0, t.keys, "layer.{i}.q"), part(t.keys, t.keys, "layer.{i}.k"),
    part(2 * t.keys, t.values, "layer.{i}.v"), decay, beta, {
      key_heads = t.key_heads, value_heads = t.value_heads, key_dim = t.key_dim,
      value_dim = t.value_dim, decay = "head", log = per_head("A_log"), bias = per_head("dt_bias"),
      as = "layer.{i}.delta", site = "attn",
    })
  out = b.gated_norm(out, z, {
    tensor = base .. "norm.weight", groups = t.value_heads, epsilon = m.epsilon, gate = "silu",
    as = "layer.{i}.gated", site = "attn",
  })
  return b.linear(out, {
    tensor = base .. "out_proj", out = m.hidden, split = "row", kind = "attention",
    heads = t.value_heads, as = "layer.{i}.attn", site = "attn", tap = "layer.{i}.attn",
  })
end

return M
