-- SPDX-License-Identifier: Apache-2.0
-- What configuration keys may hold, and which tensors prove them. The engine holds every
-- configuration against these tables before a recipe reads it (engine/recipe/config_rules.h); a
-- recipe adds its own keys. Fields of a key:
--   type       integer, real, boolean, text, list, object, ids (an id or a list of them)
--   min max above below equals divides multiple_of length (of a list)
--              a number, or a formula over other keys: "num_attention_heads * head_dim"; or a list
--              of them
--   usual_min usual_max   beyond them a value is a warning
--   values     the only ones (of a list: its items)
--   usual      what published models have, a number or several: said where a value is wrong
--   absent     error (default), warning or fine;  null: the same for an explicit null
--   default    what an absent key means: a number or a formula
--   instead    another key whose presence makes up for this one's absence
--   wrong      warning: a wrong value does no harm
local M = {}

local function merged(t, extra)
  for key, v in pairs(extra or {}) do
    t[key] = v or nil
  end
  return t
end

-- A number of things: layers, heads, experts, columns.
function M.count(extra)
  return merged({ type = "integer", min = 1, max = 1048576 }, extra)
end
function M.flag(extra)
  return merged({ type = "boolean", absent = "fine", default = 0 }, extra)
end
function M.id(extra)
  return merged({ type = "ids", min = 0, below = "vocab_size", absent = "fine" }, extra)
end

local dtypes = {
  "float64", "float32", "float16", "bfloat16", "float8_e4m3fn", "float8_e5m2", "int8", "uint8",
  "auto",
}
local activations = {
  "silu", "swish", "gelu", "gelu_new", "gelu_fast", "gelu_python", "gelu_pytorch_tanh",
  "quick_gelu", "relu", "relu2", "relu6", "sigmoid", "tanh", "mish", "laplace", "swiglu",
}
local layer_types = {
  "full_attention", "sliding_attention", "chunked_attention", "linear_attention",
  "compressed_sparse_attention", "heavily_compressed_attention", "attention", "mamba",
}

local function dtype()
  return {
    type = "text", values = dtypes, absent = "fine", null = "warning", wrong = "warning",
  }
end

-- The rotation's base: what published models of the family have, and what an absent key means.
function M.theta(usual, default)
  return {
    type = "real", above = 0, max = 1e15, usual_max = 1e10, absent = "warning", default = default,
    instead = "rope_parameters", usual = usual,
  }
end

-- Keys of every decoder. `extra`, and then `more`, add or replace; false takes one away.
function M.decoder(extra, more)
  return merged(merged({
    hidden_size = M.count(),
    intermediate_size = M.count { max = 16777216 },
    num_hidden_layers = M.count { max = 10000 },
    num_attention_heads = M.count { max = 65536 },
    num_key_value_heads = M.count {
      max = "num_attention_heads", divides = "num_attention_heads", absent = "fine",
      default = "num_attention_heads",
    },
    head_dim = M.count {
      max = 65536, multiple_of = 2, absent = "fine", default = "hidden_size / num_attention_heads",
    },
    vocab_size = M.count { max = 1073741824 },
    max_position_embeddings = {
      type = "integer", min = 1, max = 1099511627776, usual_max = 1000000000,
      absent = "warning", default = 2048,
    },
    rms_norm_eps = {
      type = "real", above = 0, below = 1, usual_min = 1e-10, absent = "warning", default = 1e-6,
      usual = { 1e-6, 1e-5 },
    },
    rope_theta = M.theta({ 10000.0, 500000.0, 1000000.0 }, 10000),
    partial_rotary_factor = { type = "real", above = 0, max = 1, absent = "fine", default = 1 },
    rope_scaling = { type = "object", absent = "fine" },
    rope_parameters = { type = "object", absent = "fine" },
    tie_word_embeddings = M.flag(),
    hidden_act = { type = "text", values = activations, absent = "fine", null = "error" },
    layer_types = {
      type = "list", values = layer_types, length = "num_hidden_layers", absent = "fine",
    },
    sliding_window = { type = "integer", min = 1, absent = "fine" },
    bos_token_id = M.id(),
    -- null says that there is none; where the key is absent, libraries assume one.
    eos_token_id = M.id { absent = "warning", null = "fine" },
    pad_token_id = M.id { min = false },
    initializer_range = { type = "real", min = 0, absent = "fine", usual = 0.02 },
    pretraining_tp = { type = "integer", min = 1, usual_max = 1, absent = "fine" },
    torch_dtype = dtype(),
    dtype = dtype(),
    use_cache = M.flag { wrong = "warning" },
    quantization_config = { type = "object", absent = "fine" },
  }, extra), more)
end

-- Keys of experts that are chosen from groups, as in DeepSeek-V3, for M.decoder: `experts` is the key
-- of their number. `extra` adds or replaces.
function M.grouped_experts(experts, extra)
  return merged({
    [experts] = M.count(),
    num_experts_per_tok = M.count { max = { experts, "topk_group * " .. experts .. " / n_group" } },
    n_group = M.count { divides = experts, absent = "fine", default = 1 },
    topk_group = M.count { max = "n_group", absent = "fine", default = 1 },
    moe_intermediate_size = M.count(),
  }, extra)
end

local function joined(lists)
  local out = {}
  for _, list in ipairs(lists) do
    for _, each in ipairs(list) do
      out[#out + 1] = each
    end
  end
  return out
end
M.joined = joined

-- Grouped-query attention with q, k, v and o apart. `wide`: queries carry a gate beside them; `row`:
-- queries and keys are normalised over all heads together.
function M.projections(wide, row)
  local base = "model.layers.{i}.self_attn."
  local q = "num_attention_heads * head_dim"
  local kv = "num_key_value_heads * head_dim"
  return {
    { tensor = base .. "q_proj.weight", shape = { wide and "2 * " .. q or q, "hidden_size" } },
    { tensor = base .. "k_proj.weight", shape = { kv, "hidden_size" } },
    { tensor = base .. "v_proj.weight", shape = { kv, "hidden_size" } },
    { tensor = base .. "o_proj.weight", shape = { "hidden_size", q } },
    { tensor = base .. "q_norm.weight", shape = { row and q or "head_dim" } },
    { tensor = base .. "k_norm.weight", shape = { row and kv or "head_dim" } },
  }
end

-- The same in every layer.
local function attention()
  return joined { M.projections(), {
    { tensor = "model.layers.{i}.self_attn.o_proj.weight", layers = "num_hidden_layers" },
  } }
end

-- Tensors around the layers.
function M.outer()
  return {
    { tensor = "model.embed_tokens.weight", shape = { "vocab_size", "hidden_size" } },
    { tensor = "lm_head.weight", shape = { "vocab_size", "hidden_size" } },
    { tensor = "model.norm.weight", shape = { "hidden_size" } },
  }
end

-- Those, and both norms of each layer.
local function frame()
  return joined { M.outer(), {
    {
      tensor = "model.layers.{i}.input_layernorm.weight", shape = { "hidden_size" },
      layers = "num_hidden_layers",
    },
    {
      tensor = "model.layers.{i}.post_attention_layernorm.weight", shape = { "hidden_size" },
      layers = "num_hidden_layers",
    },
  } }
end

-- optional: other layers have experts, at times all of them.
local function gated_mlp(optional)
  local base = "model.layers.{i}.mlp."
  local inner = { "intermediate_size", "hidden_size" }
  return {
    { tensor = base .. "gate_proj.weight", shape = inner, optional = optional },
    { tensor = base .. "up_proj.weight", shape = inner, optional = optional },
    {
      tensor = base .. "down_proj.weight", shape = { "hidden_size", "intermediate_size" },
      optional = optional,
    },
  }
end

-- A router and experts named model.layers.{i}.mlp.experts.{}: `experts` and `width` are the keys
-- of their number and of their inner width.
function M.experts(experts, width)
  local base = "model.layers.{i}.mlp."
  local expert = base .. "experts.{}."
  return {
    { tensor = base .. "gate.weight", shape = { experts, "hidden_size" } },
    { tensor = expert .. "gate_proj.weight", shape = { width, "hidden_size" }, experts = experts },
    { tensor = expert .. "gate_proj.weight_packed", experts = experts, optional = true },
    { tensor = expert .. "up_proj.weight", shape = { width, "hidden_size" }, experts = experts },
    { tensor = expert .. "down_proj.weight", shape = { "hidden_size", width }, experts = experts },
  }
end

-- Experts that every token passes, in one matrix: `count` is the key of their number, `name`
-- (shared_experts) what they are called.
function M.shared_experts(count, name)
  return {
    tensor = "model.layers.{i}.mlp." .. (name or "shared_experts") .. ".gate_proj.weight",
    shape = { count .. " * moe_intermediate_size", "hidden_size" },
  }
end

-- Evidence of a decoder with the frame and a gated MLP; further lists (`M.attention()`,
-- `M.experts(…)`, the recipe's own) follow.
function M.evidence(...)
  return joined { frame(), gated_mlp(), ... }
end

-- The same of a checkpoint that writes the beginnings of names otherwise: { { from, to }, … }.
function M.renamed(list, pairs)
  local out = {}
  for i, each in ipairs(list) do
    out[i] = merged({}, each)
    for _, pair in ipairs(pairs) do
      if each.tensor and string.sub(each.tensor, 1, #pair[1]) == pair[1] then
        out[i].tensor = pair[2] .. string.sub(each.tensor, #pair[1] + 1)
        break
      end
    end
  end
  return out
end

M.attention, M.frame, M.gated_mlp = attention, frame, gated_mlp

return M
