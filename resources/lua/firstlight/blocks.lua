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
-- `may` lists what this model's positions may have besides: partial (a part of each head turns),
-- sections (positions in time, height and width).
function M.rope(c, head_dim, context, may)
  may = may or {}
  local scaling = c.object("rope_scaling")
  local parameters = c.object("rope_parameters")
  local theta = c.real("rope_theta", 10000.0)
  local a = {
    head_dim = head_dim, rotary = head_dim, theta = theta, type = "default",
    interleaved = c.boolean("gguf.rope_interleaved", false) and 1 or 0,
  }
  local part = may.partial and c.real("partial_rotary_factor", may.partial) or 1.0
  c.expect("partial_rotary_factor", part)
  c.expect("gguf.rope_dimensions", head_dim)
  a.rotary = math.tointeger(head_dim * part) or head_dim
  -- Converters of GGUF write llama3 scaling as one divisor for each frequency and leave its
  -- numbers out (llama.cpp, convert_hf_to_gguf.py, generate_extra_tensors).
  local factors = c.list("gguf.rope_factors")
  if #factors > 0 then
    a.frequency_factors = factors
    host.ignore("rope_freqs.weight")
  end
  local p = scaling or parameters
  return p and M.described(p, c, a, context, may, part) or a
end

-- The same of a description that stands for some layers only, an object of rope_parameters.
function M.rope_of(p, c, head_dim, context)
  local a = {
    head_dim = head_dim, rotary = head_dim, theta = 10000.0, type = "default", interleaved = 0,
  }
  return p and M.described(p, c, a, context, {}, 1.0) or a
end

-- Attributes `a`, completed by the description p.
function M.described(p, c, a, context, may, part)
  a.theta = p.real("rope_theta", a.theta)
  a.type = p.text("rope_type", p.text("type", "default"))
  if may.partial and p.has("partial_rotary_factor") then
    a.rotary = math.tointeger(a.head_dim * p.real("partial_rotary_factor")) or a.head_dim
  else
    p.expect("partial_rotary_factor", part)
  end
  if may.sections then
    local sections = p.list("mrope_section")
    p.ignore("mrope_interleaved", "type")
    a.sections = #sections > 0 and table.concat(sections, " ") or nil
  end
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

-- Sizes that every decoder has. `context_key`: another name of the longest context.
function M.common(c, context_key)
  local m = {}
  m.layers = c.count("num_hidden_layers")
  m.hidden = c.count("hidden_size")
  m.vocab = c.count("vocab_size")
  local other = context_key and c.has(context_key) and not c.has("max_position_embeddings")
  m.context = c.count(other and context_key or "max_position_embeddings")
  m.heads = c.count("num_attention_heads")
  m.epsilon = c.real("rms_norm_eps", 1e-6)
  m.tied = c.boolean("tie_word_embeddings", false)
  return m
end

-- Those, and the sizes of grouped-query attention. `head_dim`: what an absent one means, where that is
-- a number of its own.
function M.heads(c, head_dim)
  local m = M.common(c)
  m.kv_heads = c.count("num_key_value_heads", m.heads)
  m.head_dim = c.count("head_dim", head_dim or math.max(1, m.hidden // m.heads))
  return m
end

-- Those, and what nearly every such decoder has: one inner width, one rotation, SiLU. `may`: see
-- M.rope.
function M.grouped(c, may)
  local m = M.heads(c)
  m.inner = c.count("intermediate_size")
  m.rope = M.rope(c, m.head_dim, m.context, may)
  c.expect("hidden_act", "silu")
  return m
end

-- Sizes that all decoders of Llama's form have. `may`: see M.rope.
function M.sizes(c, may)
  local m = M.grouped(c, may)
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

-- A norm of the layer: of what stands before or behind attention or MLP.
function M.norm(b, m, x, name, as, site)
  return b.rms_norm(x, {
    tensor = "model.layers.{i}." .. name .. ".weight", epsilon = m.epsilon, shift = m.norm_shift,
    as = "layer.{i}." .. as, site = site,
  })
end

-- The norm before a layer's token mixer.
function M.attn_norm(b, m, x)
  return M.norm(b, m, x, "input_layernorm", "attn_norm", "attn")
end

-- The norm of queries or keys, where there is one; m.qk_norm: true (of every head), "row" (over all of
-- them together) or "plain" (of every head, without weights).
local function head_norm(b, m, z, name, count)
  local whole = m.qk_norm == "row"
  return b.rms_norm(z, {
    tensor = m.qk_norm ~= "plain"
      and "model.layers.{i}.self_attn." .. name .. "_norm.weight" or nil,
    epsilon = m.epsilon, groups = whole and 1 or count, across = whole and count or nil,
    shareable = name == "k", shift = m.norm_shift, as = "layer.{i}." .. name .. "_normed",
    site = "attn",
  })
end

-- Grouped-query attention on normalised rows, without residual. Switches: m.qkv_bias, m.o_bias,
-- m.qk_norm, m.norm_behind (behind the rotation), m.output_gate (queries and a gate side by side in
-- each head), m.gate (the name of a gate's own projection), m.sinks. `own` may say for one layer:
-- window, chunk, no_rope, rope (attributes that differ), rotation (all of them), no_norm,
-- temperature, floor.
function M.gqa(b, m, y, own)
  own = own or {}
  local base = "model.layers.{i}.self_attn."
  local function heads(name, count, shareable, wide)
    return b.linear(y, {
      tensor = base .. name .. "_proj", out = count * m.head_dim * (wide or 1), split = "head",
      kind = "attention", heads = count, shareable = shareable, bias = m.qkv_bias,
      as = "layer.{i}." .. name, site = "attn",
    })
  end
  local q = heads("q", m.heads, nil, m.output_gate and 2)
  local k = heads("k", m.kv_heads, true)
  local v = heads("v", m.kv_heads, true)
  local gate
  if m.output_gate then
    local function half(at, as)
      return b.columns(q, {
        groups = m.heads, first = at * m.head_dim, last = (at + 1) * m.head_dim, as = as,
        site = "attn",
      })
    end
    q, gate = half(0, "layer.{i}.query"), half(1, "layer.{i}.gate")
  end
  if m.gate then
    gate = heads(m.gate, m.heads)
  end
  local function norms()
    if m.qk_norm and not own.no_norm then
      q = head_norm(b, m, q, "q", m.heads)
      k = head_norm(b, m, k, "k", m.kv_heads)
    end
  end
  if not m.norm_behind then
    norms()
  end
  if not own.no_rope then
    local turned = own.rotation and { rope = own.rotation } or m
    q = b.rope(q, { attributes = M.rope_for(turned, m.heads, own.rope), site = "attn" })
    k = b.rope(k, { attributes = M.rope_for(turned, m.kv_heads, own.rope), site = "attn" })
  end
  if m.norm_behind then
    norms()
  end
  local mixed = b.attention(q, k, v, {
    heads = m.heads, kv_heads = m.kv_heads, head_dim = m.head_dim,
    scale = m.scale or 1 / math.sqrt(m.head_dim), window = own.window, chunk = own.chunk,
    temperature = own.temperature, floor = own.floor,
    sinks = m.sinks and base .. m.sinks, as = "layer.{i}.mixed", site = "attn",
  })
  if gate then
    mixed = b.sigmoid_gate(mixed, gate, { as = "layer.{i}.gated", site = "attn" })
  end
  return b.linear(mixed, {
    tensor = base .. "o_proj", out = m.hidden, split = "row", kind = "attention",
    heads = m.heads, bias = m.o_bias, as = "layer.{i}.attn", site = "attn",
    tap = "layer.{i}.attn",
  })
end

-- Pre-norm, with residual.
function M.attention(b, m, x, own)
  local out = M.gqa(b, m, M.attn_norm(b, m, x), own)
  return b.add(x, out, { as = "layer.{i}.mid", site = "attn" })
end

function M.mlp_norm(b, m, x)
  return M.norm(b, m, x, "post_attention_layernorm", "mlp_norm", "mlp")
end

-- SwiGLU without norm and residual. t: base (names before gate_proj, up_proj, down_proj), inner,
-- kind, as, tap; optional: names, bias, activation (attributes of another gated activation).
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
  local into = { as = t.as .. ".inner", site = "mlp" }
  local inner = t.activation and b.gated_activation(gate, up, into, t.activation)
    or b.silu_mul(gate, up, into)
  return b.linear(inner, {
    tensor = t.base .. down_name, out = b.width(y), split = "row", kind = t.kind, bias = t.bias,
    as = t.as, site = "mlp", tap = t.tap,
  })
end

-- Pre-norm SwiGLU with residual. Switch: m.mlp_bias.
function M.gated_mlp(b, m, x)
  local out = M.swiglu(b, m, M.mlp_norm(b, m, x), {
    base = m.mlp_base or "model.layers.{i}.mlp.", inner = m.inner, kind = "dense_mlp",
    bias = m.mlp_bias, activation = m.activation, as = "layer.{i}.mlp", tap = "layer.{i}.mlp",
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

-- Embedding, the layers that `layer(b, i, x)` stamps, final norm and head. m.images(b) gives rows
-- that stand for images; m.embed_scale and m.logit_scale are multipliers; m.last(x) is what happens between the last layer and the final norm.
function M.decoder(b, m, layer)
  host.model {
    layers = m.layers, hidden = m.hidden, vocab = m.vocab, context = m.context,
    image_patches = m.image_patches,
  }
  host.ignore("*.rotary_emb.inv_freq")
  b.layer(-1)
  local x = b.embedding {
    tensor = "model.embed_tokens.weight", rows = m.vocab, width = m.hidden,
    as = m.images and "tokens" or "embed", tap = not m.images and "embed" or nil,
  }
  if m.embed_scale then
    x = b.scale(x, { factor = m.embed_scale, as = "scaled", site = "embed" })
  end
  if m.images then
    x = b.place_images(x, m.images(b), { as = "embed", site = "embed", tap = "embed" })
  end
  for i = 0, m.layers - 1 do
    b.layer(i)
    x = layer(b, i, x)
  end
  b.layer(m.layers)
  if m.last then
    x = m.last(x)
  end
  x = b.rms_norm(x, {
    tensor = "model.norm.weight", epsilon = m.epsilon, shift = m.norm_shift, as = "final_norm",
    site = "head", tap = "final_norm",
  })
  x = b.gather_rows(x, { as = "answer_rows", site = "head" })
  if m.logit_scale then  -- the head is linear: before it there are fewer values
    x = b.scale(x, { factor = m.logit_scale, as = "answer_scaled", site = "head" })
  end
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
