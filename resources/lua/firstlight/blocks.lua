-- SPDX-License-Identifier: Apache-2.0
-- Parts that many decoder recipes share. `m` is a table of sizes and switches that
-- blocks.sizes() begins and the recipe completes.
local M = {}

local rope_types = { default = true, linear = true, llama3 = true, yarn = true }

local function yarn(p, c, a, context)
  a.original_context = p.integer("original_max_position_embeddings", context)
  if c.has("original_max_position_embeddings") then
    a.original_context = c.integer("original_max_position_embeddings")
  end
  a.factor = p.real("factor", context / a.original_context)
  a.beta_fast = p.real("beta_fast", 32)
  a.beta_slow = p.real("beta_slow", 1)
  a.truncate = p.boolean("truncate", true) and 1 or 0
  for _, key in ipairs { "attention_factor", "mscale", "mscale_all_dim" } do
    a[key] = p.has(key) and p.real(key) or nil
  end
end

local function llama3(p, a, context)
  a.factor = p.real("factor")
  a.low_freq_factor = p.real("low_freq_factor")
  a.high_freq_factor = p.real("high_freq_factor")
  a.original_context = p.integer("original_max_position_embeddings", context)
end

-- Attributes of rope nodes, from either spelling: rope_theta and rope_scaling beside each other,
-- or both inside rope_parameters. What the inner object says wins, as in transformers.
function M.rope(c, head_dim, context)
  local scaling = c.object("rope_scaling")
  local parameters = c.object("rope_parameters")
  local theta = c.real("rope_theta", 10000.0)
  local a = {
    head_dim = head_dim, rotary = head_dim, theta = theta, type = "default",
    interleaved = c.boolean("gguf.rope_interleaved", false) and 1 or 0,
  }
  c.expect("partial_rotary_factor", 1.0)
  c.expect("gguf.rope_dimensions", head_dim)
  -- Converters of GGUF write llama3 scaling as one divisor for each frequency and leave its
  -- numbers out (llama.cpp, convert_hf_to_gguf.py, generate_extra_tensors).
  local factors = c.list("gguf.rope_factors")
  if #factors > 0 then
    a.frequency_factors = factors
    host.ignore("rope_freqs.weight")
  end
  local p = scaling or parameters
  if not p then
    return a
  end
  a.theta = p.real("rope_theta", theta)
  a.type = p.text("rope_type", p.text("type", "default"))
  p.expect("partial_rotary_factor", 1.0)
  if not rope_types[a.type] then
    p.unsupported("rope_type", "default, linear, llama3 or yarn", "'" .. a.type .. "'")
    p.ignore("factor", "original_max_position_embeddings", "short_factor", "long_factor")
    a.type = "default"
  elseif a.type == "linear" then
    a.factor = p.real("factor")
  elseif a.type == "llama3" then
    llama3(p, a, context)
  elseif a.type == "yarn" then
    yarn(p, c, a, context)
  else
    p.ignore("factor", "original_max_position_embeddings")
  end
  return a
end

-- Sizes that every decoder has.
function M.common(c)
  local m = {}
  m.layers = c.count("num_hidden_layers")
  m.hidden = c.count("hidden_size")
  m.vocab = c.count("vocab_size")
  m.context = c.count("max_position_embeddings")
  m.heads = c.count("num_attention_heads")
  m.epsilon = c.real("rms_norm_eps", 1e-6)
  m.tied = c.boolean("tie_word_embeddings", false)
  return m
end

-- Sizes that all decoders of this family have.
function M.sizes(c)
  local m = M.common(c)
  m.kv_heads = c.count("num_key_value_heads", m.heads)
  m.head_dim = c.count("head_dim", math.max(1, m.hidden // m.heads))
  m.inner = c.count("intermediate_size")
  m.rope = M.rope(c, m.head_dim, m.context)
  c.expect("hidden_act", "silu")
  c.expect_all("layer_types", "full_attention")
  if m.heads % m.kv_heads ~= 0 then
    c.problem("num_key_value_heads", "a divisor of num_attention_heads " .. m.heads,
      tostring(m.kv_heads))
    m.kv_heads = m.heads
  end
  return m
end

-- Sliding windows are not computed; the other keys mean nothing while they are off.
function M.no_sliding_window(c)
  c.expect("use_sliding_window", false)
  c.ignore("sliding_window", "max_window_layers")
end

-- A rope node's attributes: the model's, for so many heads, with what `own` says instead.
function M.rope_for(m, heads, own)
  local a = {}
  for key, v in pairs(m.rope) do
    a[key] = v
  end
  for key, v in pairs(own or {}) do
    a[key] = v
  end
  a.heads = heads
  return a
end

-- Pre-norm grouped-query attention with residual. Switches: m.qkv_bias, m.o_bias, m.qk_norm.
function M.attention(b, m, x)
  local base = "model.layers.{i}.self_attn."
  local y = b.rms_norm(x, {
    tensor = "model.layers.{i}.input_layernorm.weight", epsilon = m.epsilon,
    as = "layer.{i}.attn_norm", site = "attn",
  })
  local function heads(name, count, shareable)
    return b.linear(y, {
      tensor = base .. name .. "_proj", out = count * m.head_dim, split = "head",
      kind = "attention", heads = count, shareable = shareable, bias = m.qkv_bias,
      as = "layer.{i}." .. name, site = "attn",
    })
  end
  local q = heads("q", m.heads)
  local k = heads("k", m.kv_heads, true)
  local v = heads("v", m.kv_heads, true)
  if m.qk_norm then
    local function norm(z, name, count)
      return b.rms_norm(z, {
        tensor = base .. name .. "_norm.weight", epsilon = m.epsilon, groups = count,
        as = "layer.{i}." .. name .. "_normed", site = "attn",
      })
    end
    q = norm(q, "q", m.heads)
    k = norm(k, "k", m.kv_heads)
  end
  q = b.rope(q, { attributes = M.rope_for(m, m.heads), site = "attn" })
  k = b.rope(k, { attributes = M.rope_for(m, m.kv_heads), site = "attn" })
  local mixed = b.attention(q, k, v, {
    heads = m.heads, kv_heads = m.kv_heads, head_dim = m.head_dim,
    scale = 1 / math.sqrt(m.head_dim), as = "layer.{i}.mixed", site = "attn",
  })
  local out = b.linear(mixed, {
    tensor = base .. "o_proj", out = m.hidden, split = "row", kind = "attention",
    heads = m.heads, bias = m.o_bias, as = "layer.{i}.attn", site = "attn",
    tap = "layer.{i}.attn",
  })
  return b.add(x, out, { as = "layer.{i}.mid", site = "attn" })
end

function M.mlp_norm(b, m, x)
  return b.rms_norm(x, {
    tensor = "model.layers.{i}.post_attention_layernorm.weight", epsilon = m.epsilon,
    as = "layer.{i}.mlp_norm", site = "mlp",
  })
end

-- SwiGLU without norm and residual. t: base (names before gate_proj, up_proj, down_proj), inner,
-- kind, as, tap; optional: names, bias.
function M.swiglu(b, m, y, t)
  local gate_name, up_name, down_name =
    table.unpack(t.names or { "gate_proj", "up_proj", "down_proj" })
  local function column(name, as)
    return b.linear(y, {
      tensor = t.base .. name, out = t.inner, split = "column", kind = t.kind, bias = t.bias,
      as = t.as .. as, site = "mlp",
    })
  end
  local gate = column(gate_name, ".gate")
  local up = column(up_name, ".up")
  local inner = b.silu_mul(gate, up, { as = t.as .. ".inner", site = "mlp" })
  return b.linear(inner, {
    tensor = t.base .. down_name, out = b.width(y), split = "row", kind = t.kind, bias = t.bias,
    as = t.as, site = "mlp", tap = t.tap,
  })
end

-- Pre-norm SwiGLU with residual. Switch: m.mlp_bias.
function M.gated_mlp(b, m, x)
  local out = M.swiglu(b, m, M.mlp_norm(b, m, x), {
    base = "model.layers.{i}.mlp.", inner = m.inner, kind = "dense_mlp", bias = m.mlp_bias,
    as = "layer.{i}.mlp", tap = "layer.{i}.mlp",
  })
  return b.add(x, out, { as = "layer.{i}", site = "mlp", tap = "layer.{i}" })
end

-- Pre-norm mixture of experts with residual: m.experts, m.chosen, m.expert_inner, m.normalise.
function M.sparse_mlp(b, m, x)
  local y = M.mlp_norm(b, m, x)
  local logits = b.linear(y, {
    tensor = "model.layers.{i}.mlp.gate", out = m.experts, split = "replicate", kind = "router",
    plain = true, as = "layer.{i}.router", site = "router",
  })
  local ids, shares = b.router_topk(logits, {
    experts = m.experts, k = m.chosen, normalise = m.normalise, as = "layer.{i}.chosen",
  })
  local out = b.moe_experts(y, ids, shares, {
    tensor = "model.layers.{i}.mlp.experts.{}", experts = m.experts, k = m.chosen,
    inner = m.expert_inner, as = "layer.{i}.mlp", tap = "layer.{i}.mlp",
  })
  return b.add(x, out, { as = "layer.{i}", site = "mlp", tap = "layer.{i}" })
end

-- Embedding, the layers that `layer(b, i, x)` stamps, final norm and head.
function M.decoder(b, m, layer)
  host.model {
    layers = m.layers, hidden = m.hidden, vocab = m.vocab, context = m.context,
  }
  host.ignore("*.rotary_emb.inv_freq")
  b.layer(-1)
  local x = b.embedding {
    tensor = "model.embed_tokens.weight", rows = m.vocab, width = m.hidden, as = "embed",
    tap = "embed",
  }
  for i = 0, m.layers - 1 do
    b.layer(i)
    x = layer(b, i, x)
  end
  b.layer(m.layers)
  x = b.rms_norm(x, {
    tensor = "model.norm.weight", epsilon = m.epsilon, as = "final_norm", site = "head",
    tap = "final_norm",
  })
  x = b.gather_rows(x, { as = "answer_rows", site = "head" })
  if m.tied then
    host.ignore("lm_head.weight")
  end
  local logits = b.linear(x, {
    tensor = m.tied and "model.embed_tokens" or "lm_head", out = m.vocab, split = "vocab",
    kind = "head", plain = true, as = "logits", site = "head", tap = "logits", rows = "sequences",
  })
  host.output(logits)
end

return M
