-- SPDX-License-Identifier: Apache-2.0
-- DeepSeek-V4: four residual streams; attention to a window and to a pool of compressed blocks, with
-- one head of keys that are the values too; first layers choose experts by token.
local blocks = require "firstlight.blocks"
local formats = require "firstlight.formats"
local keys = require "firstlight.keys"
local moe = require "firstlight.moe"

-- How many tokens are pooled into one in each layer; 0: a window alone.
local function ratios(c, m)
  local by_type = c.object("compress_rates")
  local types = c.list("layer_types")
  local list = c.list("compress_ratios")
  local out = {}
  for i = 0, m.layers - 1 do
    local ratio = list[i + 1]
    if by_type and types[i + 1] then
      ratio = types[i + 1] == "sliding_attention" and 0 or by_type.count(types[i + 1])
    end
    if math.type(ratio) ~= "integer" or ratio < 0 or ratio == 1 then
      c.problem("compress_ratios", "0, or from 2 on, for each of " .. m.layers .. " layers",
        "none for layer " .. i)
      ratio = 0
    end
    out[i] = ratio
  end
  return out
end

local function attention_sizes(c, m)
  m.head_dim = c.count("head_dim")
  m.q_latent = c.count("q_lora_rank")
  m.rotary = c.count("qk_rope_head_dim")
  m.o_groups = c.count("o_groups")
  m.o_latent = c.count("o_lora_rank")
  m.window = c.count("sliding_window")
  m.index_heads = c.count("index_n_heads")
  m.index_dim = c.count("index_head_dim")
  m.top_k = c.count("index_topk")
  m.ratios = ratios(c, m)
  m.rope = {
    head_dim = m.head_dim, rotary = m.rotary, offset = m.head_dim - m.rotary, interleaved = 1,
    type = "default", theta = c.real("rope_theta", 10000.0),
  }
  m.index_rope = { head_dim = m.index_dim, offset = m.index_dim - m.rotary }
  -- Only positions of blocks are stretched.
  m.pool_theta = c.real("compress_rope_theta", 160000.0)
  local scaling = c.object("rope_scaling")
  if scaling then
    scaling.expect("type", "yarn")
    scaling.ignore("rope_type", "factor", "beta_fast", "beta_slow",
      "original_max_position_embeddings")
  end
  if m.heads % m.o_groups ~= 0 then
    c.problem("o_groups", "a divisor of num_attention_heads " .. m.heads, tostring(m.o_groups))
    m.o_groups = 1
  end
end

local function sizes(c)
  local m = blocks.common(c)
  attention_sizes(c, m)
  moe.experts(c, m)
  m.groups, m.top_groups, m.score = 1, 1, "sqrt_softplus"
  m.hashed = c.count("num_hash_layers", 0, 0)
  m.activation = { kind = "silu", limit = c.real("swiglu_limit", 0.0) }
  m.streams = c.count("hc_mult")
  m.iterations = c.count("hc_sinkhorn_iters", 20, 0)
  m.hyper_epsilon = c.real("hc_eps", 1e-6)
  m.drafts = c.count("num_nextn_predict_layers", 0, 0)
  c.expect("num_key_value_heads", 1)
  c.expect("hidden_act", "silu")
  c.expect("scoring_func", "sqrtsoftplus")
  c.expect("topk_method", "noaux_tc")
  c.expect("attention_bias", false)
  return m
end

local function plain(b, x, stem, out, as, site)
  return b.linear(x, {
    tensor = stem, out = out, split = "replicate", kind = "attention", plain = true, as = as,
    site = site,
  })
end

-- The newest row of a pool of `width` columns. Blocks of 4 share tokens with their neighbours.
local function pooled(b, m, y, t)
  local wide = t.width * (t.ratio == 4 and 2 or 1)
  return b.compress(plain(b, y, t.base .. "wkv", wide, t.as .. ".values", t.site),
    plain(b, y, t.base .. "wgate", wide, t.as .. ".scores", t.site), {
      base = t.base, ratio = t.ratio, width = t.width, epsilon = m.epsilon, state = t.state,
      as = t.as, site = t.site,
    })
end

local function choose(b, m, y, q_latent, ratio)
  local base = "layers.{i}.attn.indexer."
  -- Some checkpoints leave it as it is.
  local as_is = b.has(base .. "wq_b.weight") and not b.has(base .. "wq_b.scale")
  local q = b.linear(q_latent, {
    tensor = base .. "wq_b", out = m.index_heads * m.index_dim, split = "replicate",
    kind = "attention", plain = as_is, as = "layer.{i}.index.q", site = "indexer",
  })
  q = b.rope(q, {
    attributes = blocks.rope_for(m, m.index_heads, m.index_rope), site = "indexer",
  })
  local key = pooled(b, m, y, {
    base = base .. "compressor.", ratio = ratio, width = m.index_dim, state = "index_wait",
    as = "layer.{i}.index.key", site = "indexer",
  })
  local weights = plain(b, y, base .. "weights_proj", m.index_heads, "layer.{i}.index.weights",
    "indexer")
  return b.sparse_index(q, key, weights, {
    heads = m.index_heads, dim = m.index_dim, top_k = m.top_k, ratio = ratio,
    as = "layer.{i}.index.ids", site = "indexer",
  })
end

local function attention(b, m, y, ratio)
  local base = "layers.{i}.attn."
  local function linear(x, name, out, split, as)
    return b.linear(x, {
      tensor = base .. name, out = out, split = split, kind = "attention",
      heads = split == "head" and m.heads or split == "row" and m.o_groups or nil, as = as,
      site = "attn", tap = split == "row" and "layer.{i}.attn" or nil,
    })
  end
  local function norm(x, name, as)
    return b.rms_norm(x, {
      tensor = base .. name .. ".weight", epsilon = m.epsilon, as = as, site = "attn",
    })
  end
  local q_latent = norm(linear(y, "wq_a", m.q_latent, "replicate", "layer.{i}.q_latent"), "q_norm",
    "layer.{i}.q_latent_normed")
  local q = linear(q_latent, "wq_b", m.heads * m.head_dim, "head", "layer.{i}.q")
  q = b.rms_norm(q, {
    groups = m.heads, epsilon = m.epsilon, as = "layer.{i}.q_normed", site = "attn",
  })
  q = b.rope(q, { attributes = blocks.rope_for(m, m.heads), site = "attn" })
  local kv = norm(linear(y, "wkv", m.head_dim, "replicate", "layer.{i}.kv"), "kv_norm",
    "layer.{i}.kv_normed")
  kv = b.rope(kv, { attributes = blocks.rope_for(m, 1), site = "attn" })
  local pool, ids
  if ratio > 0 then
    pool = pooled(b, m, y, {
      base = base .. "compressor.", ratio = ratio, width = m.head_dim, state = "wait",
      as = "layer.{i}.block", site = "attn",
    })
    pool = b.pool_cache(pool, { ratio = ratio, as = "layer.{i}.pool", site = "attn" })
  end
  if ratio == 4 then
    ids = choose(b, m, y, q_latent, ratio)
  end
  local mixed = b.pool_attention(q, kv, pool, ids, {
    heads = m.heads, head_dim = m.head_dim, window = m.window, ratio = ratio, top_k = m.top_k,
    scale = 1 / math.sqrt(m.head_dim), sinks = base .. "attn_sink", as = "layer.{i}.mixed",
    site = "attn",
  })
  mixed = b.grouped_linear(mixed, {
    tensor = base .. "wo_a", out = m.o_groups * m.o_latent, groups = m.o_groups,
    kind = "attention", as = "layer.{i}.grouped", site = "attn",
  })
  return linear(mixed, "wo_b", m.hidden, "row", "layer.{i}.attn")
end

-- Runs one part of a layer between collapse and expansion of the streams.
local function site(b, m, x, name, part)
  local y, mixes = b.hyper_collapse(x, {
    base = "layers.{i}.hc_" .. name .. "_", streams = m.streams, iterations = m.iterations,
    epsilon = m.hyper_epsilon, as = "layer.{i}." .. name .. "_in", site = name,
  })
  y = b.rms_norm(y, {
    tensor = "layers.{i}." .. name .. "_norm.weight", epsilon = m.epsilon,
    as = "layer.{i}." .. name .. "_norm", site = name,
  })
  local out = name == "attn" and "layer.{i}.mid" or "layer.{i}"
  return b.hyper_expand(x, part(y), mixes, {
    streams = m.streams, as = out, site = name, tap = name == "ffn" and out or nil,
  })
end

local function layer(b, m, x, ratio, hashed)
  x = site(b, m, x, "attn", function(y)
    return attention(b, m, y, ratio)
  end)
  m.moe = {
    base = "layers.{i}.ffn.", names = { "w1", "w3", "w2" }, shared_names = { "w1", "w3", "w2" },
    activation = m.activation, choice = hashed and "token" or "bias", table = "gate.tid2eid",
    bias = "gate.bias", format = m.expert_format,
  }
  return site(b, m, x, "ffn", function(y)
    return moe.mixer(b, m, y)
  end)
end

-- Streams into one row, behind the last layer.
local function head(b, m, x)
  return b.hyper_collapse(x, {
    base = "hc_head_", streams = m.streams, iterations = 0, epsilon = m.hyper_epsilon, last = true,
    as = "collapsed", site = "head",
  })
end

-- A draft layer sees a window alone and has a head of streams of its own.
local function draft(b, m, i)
  b.layer(m.layers)
  b.declare("mtp", function()
    b.renamed = { { "layers.{i}.", "mtp." .. i .. "." }, { "hc_head_", "mtp." .. i .. ".hc_head_" } }
    local streams = b.stand_in(m.streams * m.hidden)
    layer(b, m, streams, 0, false)
    head(b, m, streams)
    for _, name in ipairs { "e_proj", "h_proj" } do
      b.linear(b.stand_in(m.hidden), {
        tensor = "layers.{i}." .. name, out = m.hidden, split = "replicate",
      })
    end
    for _, name in ipairs { "enorm", "hnorm", "norm" } do
      b.rms_norm(b.stand_in(m.hidden), {
        tensor = "layers.{i}." .. name .. ".weight", epsilon = m.epsilon,
      })
    end
  end)
end

local function evidence()
  local attn, ffn = "layers.{i}.attn.", "layers.{i}.ffn."
  return {
    { tensor = "embed.weight", shape = { "vocab_size", "hidden_size" } },
    { tensor = "head.weight", shape = { "vocab_size", "hidden_size" } },
    { tensor = "norm.weight", shape = { "hidden_size" } },
    {
      tensor = "layers.{i}.attn_norm.weight", shape = { "hidden_size" },
      layers = "num_hidden_layers",
    },
    {
      tensor = "layers.{i}.ffn_norm.weight", shape = { "hidden_size" }, layers = "num_hidden_layers",
    },
    { tensor = "mtp.{i}.enorm.weight", shape = { "hidden_size" }, layers = "num_nextn_predict_layers" },
    { tensor = attn .. "wq_a.weight", shape = { "q_lora_rank", "hidden_size" } },
    { tensor = attn .. "q_norm.weight", shape = { "q_lora_rank" } },
    { tensor = attn .. "wq_b.weight", shape = { "num_attention_heads * head_dim", "q_lora_rank" } },
    { tensor = attn .. "wkv.weight", shape = { "head_dim", "hidden_size" } },
    { tensor = attn .. "kv_norm.weight", shape = { "head_dim" } },
    { tensor = attn .. "attn_sink", shape = { "num_attention_heads" } },
    { tensor = attn .. "wo_b.weight", shape = { "hidden_size", "o_groups * o_lora_rank" } },
    {
      tensor = attn .. "indexer.wq_b.weight", shape = { "index_n_heads * index_head_dim", "q_lora_rank" },
    },
    { tensor = attn .. "indexer.weights_proj.weight", shape = { "index_n_heads", "hidden_size" } },
    { tensor = ffn .. "gate.weight", shape = { "n_routed_experts", "hidden_size" } },
    { tensor = ffn .. "gate.tid2eid", count = "num_hash_layers" },
    { tensor = ffn .. "experts.{}.w1.weight", experts = "n_routed_experts" },
    {
      tensor = ffn .. "shared_experts.w1.weight",
      shape = { "n_shared_experts * moe_intermediate_size", "hidden_size" },
    },
  }
end

return {
  name = "deepseek_v4",
  architectures = { "DeepseekV4ForCausalLM" },
  chat = "firstlight.chat_deepseek_four",
  model_types = { "deepseek_v4" },
  keys = keys.decoder {
    intermediate_size = keys.count { max = 16777216, absent = "fine" },
    num_key_value_heads = keys.count { equals = 1, absent = "fine", default = 1 },
    head_dim = keys.count(), q_lora_rank = keys.count(),
    qk_rope_head_dim = keys.count { multiple_of = 2, max = "head_dim" },
    o_groups = keys.count { divides = "num_attention_heads" }, o_lora_rank = keys.count(),
    index_n_heads = keys.count(), index_head_dim = keys.count(), index_topk = keys.count { usual = { 512, 1024 } },
    sliding_window = keys.count { usual = 128 }, hc_mult = keys.count { max = 64, usual = 4 },
    n_routed_experts = keys.count(), moe_intermediate_size = keys.count(),
    num_experts_per_tok = keys.count { max = "n_routed_experts" },
    n_shared_experts = keys.count { min = 0, absent = "fine", default = 0 },
    num_hash_layers = keys.count { min = 0, absent = "fine", default = 0 },
    num_nextn_predict_layers = keys.count { min = 0, absent = "fine", default = 0 },
    compress_ratios = { type = "list", min = 0, absent = "fine" },
    layer_types = { type = "list", absent = "fine" },
    swiglu_limit = { type = "real", min = 0, absent = "fine", usual = 10.0 },
    routed_scaling_factor = {
      type = "real", above = 0, usual_max = 100, absent = "warning", default = 1, usual = { 1.5, 2.5 },
    },
    hc_eps = { type = "real", above = 0, below = 1, absent = "fine", usual = 1e-6 },
    hc_sinkhorn_iters = {
      type = "integer", min = 0, max = 10000, absent = "fine", default = 20, usual = 20,
    },
    compress_rope_theta = {
      type = "real", above = 0, max = 1e15, absent = "fine", default = 160000, usual = 160000.0,
    },
  },
  evidence = evidence(),
  build = function(b, c)
    local m = sizes(c)
    b.format = formats.read(c, { suffix = ".scale", dtypes = { "F8_E8M0" } })
    local packed = c.has("quantization_config")
    local fp4 = c.choice("expert_dtype", "fp8", { "fp8", "fp4" }) == "fp4"
    m.expert_format = packed and fp4 and formats.fp4(32) or nil
    b.renamed = {
      { "model.embed_tokens.", "embed." }, { "model.norm.", "norm." }, { "lm_head", "head" },
    }
    m.last = function(x)
      return head(b, m, x)
    end
    blocks.decoder(b, m, function(_, i, x)
      if i == 0 then
        x = b.repeat_streams(x, { streams = m.streams, as = "streams", site = "embed" })
      end
      return layer(b, m, x, m.ratios[i], i < m.hashed)
    end)
    for i = 0, m.drafts - 1 do
      draft(b, m, i)
    end
  end,
}
