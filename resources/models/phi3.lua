-- SPDX-License-Identifier: Apache-2.0
-- Phi-3, Phi-3.5 and Phi-4 without experts: Llama's form with queries, keys and values in one matrix,
-- gate and up in another (transformers, modeling_phi3.py).
local blocks = require "firstlight.blocks"
local formats = require "firstlight.formats"
local keys = require "firstlight.keys"

local function attention(b, m, x)
  local base = "model.layers.{i}.self_attn."
  local q_width, kv_width = m.heads * m.head_dim, m.kv_heads * m.head_dim
  local y = blocks.attn_norm(b, m, x)
  local all = b.linear(y, {
    tensor = base .. "qkv_proj", out = q_width + 2 * kv_width, split = "head", kind = "attention",
    heads = m.kv_heads, segments = { q_width, kv_width, kv_width }, as = "layer.{i}.qkv",
    site = "attn",
  })
  local function part(first, width, as)
    return b.columns(all, {
      first = first, last = first + width, cut = true, as = "layer.{i}." .. as, site = "attn",
    })
  end
  local q, k = part(0, q_width, "q"), part(q_width, kv_width, "k")
  local v = part(q_width + kv_width, kv_width, "v")
  q = b.rope(q, { attributes = blocks.rope_for(m, m.heads), site = "attn" })
  k = b.rope(k, { attributes = blocks.rope_for(m, m.kv_heads), site = "attn" })
  local mixed = b.attention(q, k, v, {
    heads = m.heads, kv_heads = m.kv_heads, head_dim = m.head_dim, window = m.window,
    scale = 1 / math.sqrt(m.head_dim), as = "layer.{i}.mixed", site = "attn",
  })
  local out = b.linear(mixed, {
    tensor = base .. "o_proj", out = m.hidden, split = "row", kind = "attention", heads = m.heads,
    as = "layer.{i}.attn", site = "attn", tap = "layer.{i}.attn",
  })
  return b.add(x, out, { as = "layer.{i}.mid", site = "attn" })
end

local function mlp(b, m, x)
  local base = "model.layers.{i}.mlp."
  local both = b.linear(blocks.mlp_norm(b, m, x), {
    tensor = base .. "gate_up_proj", out = 2 * m.inner, split = "column", kind = "dense_mlp",
    segments = { m.inner, m.inner }, as = "layer.{i}.mlp.both", site = "mlp",
  })
  local function half(at, as)
    return b.columns(both, {
      first = at * m.inner, last = (at + 1) * m.inner, cut = true, as = "layer.{i}.mlp." .. as,
      site = "mlp",
    })
  end
  local inner = b.silu_mul(half(0, "gate"), half(1, "up"), { as = "layer.{i}.mlp.inner", site = "mlp" })
  local out = b.linear(inner, {
    tensor = base .. "down_proj", out = m.hidden, split = "row", kind = "dense_mlp",
    as = "layer.{i}.mlp", site = "mlp", tap = "layer.{i}.mlp",
  })
  return b.add(x, out, { as = "layer.{i}", site = "mlp", tap = "layer.{i}" })
end

local function evidence()
  local layer = "model.layers.{i}."
  local q, kv = "num_attention_heads * head_dim", "num_key_value_heads * head_dim"
  return keys.joined { keys.frame(), {
    {
      tensor = layer .. "self_attn.qkv_proj.weight", shape = { q .. " + 2 * " .. kv, "hidden_size" },
    },
    { tensor = layer .. "self_attn.o_proj.weight", shape = { "hidden_size", q } },
    { tensor = layer .. "mlp.gate_up_proj.weight", shape = { "2 * intermediate_size", "hidden_size" } },
    { tensor = layer .. "mlp.down_proj.weight", shape = { "hidden_size", "intermediate_size" } },
  } }
end

return {
  name = "phi3",
  architectures = { "Phi3ForCausalLM" },
  model_types = { "phi3" },
  keys = keys.decoder {
    original_max_position_embeddings = { type = "integer", min = 1, absent = "fine" },
    attention_bias = keys.flag(), sliding_window = keys.count { absent = "fine" },
  },
  evidence = evidence(),
  build = function(b, c)
    local m = blocks.sizes(c, { partial = 1.0 })
    m.window = c.has("sliding_window") and c.count("sliding_window") or nil
    c.expect("attention_bias", false)
    c.ignore("embd_pdrop", "resid_pdrop", "original_max_position_embeddings")
    b.format = formats.read(c)
    blocks.decoder(b, m, function(_, _, x)
      return mlp(b, m, attention(b, m, x))
    end)
  end,
}
