-- SPDX-License-Identifier: Apache-2.0
-- Multi-head latent attention (DeepSeek-V2, arXiv 2405.04434). Queries may come through a
-- bottleneck; keys and values share one latent row, and one rotary key serves all heads.
local blocks = require "firstlight.blocks"
local M = {}

-- Softmax scale: of the head's width, times the square of what YaRN adds (transformers,
-- modeling_deepseek_v3.py).
local function scale_of(m)
  local scale = 1 / math.sqrt(m.nope + m.rotary)
  local rope = m.rope
  if rope and rope.type == "yarn" and (rope.mscale_all_dim or 0) ~= 0 and rope.factor > 1 then
    local grown = 0.1 * rope.mscale_all_dim * math.log(rope.factor) + 1
    scale = scale * grown * grown
  end
  return scale
end

-- Adds q_latent (0: no bottleneck), kv_latent, nope, rotary, value, scale to the sizes.
-- without_rope: no position is encoded at all.
function M.sizes(c, m, without_rope)
  m.q_latent = c.count("q_lora_rank", 0, 0)
  m.kv_latent = c.count("kv_lora_rank")
  m.rotary = c.count("qk_rope_head_dim")
  if c.has("gguf.key_mla") then
    m.nope = math.max(1, c.count("gguf.key_mla") - m.rotary)
  else
    m.nope = c.count("qk_nope_head_dim")
  end
  m.value = c.count("v_head_dim")
  if without_rope then
    c.ignore("rope_theta", "rope_scaling")
  else
    m.rope = blocks.rope(c, m.rotary, m.context)
    m.rope.interleaved = c.boolean("rope_interleave", true) and 1 or 0
    if c.has("gguf.yarn_log") then
      m.rope.mscale_all_dim = 10 * c.real("gguf.yarn_log")
      m.rope.mscale = m.rope.mscale_all_dim
    end
  end
  m.scale = scale_of(m)
end

-- Queries, and the normalised bottleneck they come from (nil without one).
local function queries(b, m, y, base)
  local width = m.heads * (m.nope + m.rotary)
  local function heads(x, name)
    return b.linear(x, {
      tensor = base .. name, out = width, split = "head", kind = "attention", heads = m.heads,
      as = "layer.{i}.q", site = "attn",
    })
  end
  if m.q_latent == 0 then
    return heads(y, "q_proj"), nil
  end
  local down = b.linear(y, {
    tensor = base .. "q_a_proj", out = m.q_latent, split = "replicate", kind = "attention",
    as = "layer.{i}.q_latent", site = "attn",
  })
  local latent = b.rms_norm(down, {
    tensor = base .. "q_a_layernorm.weight", epsilon = m.latent_epsilon or m.epsilon,
    as = "layer.{i}.q_latent_normed", site = "attn",
  })
  return heads(latent, "q_b_proj"), latent
end

local function latent_and_key(b, m, y, base)
  local both = b.linear(y, {
    tensor = base .. "kv_a_proj_with_mqa", out = m.kv_latent + m.rotary, split = "replicate",
    kind = "attention", as = "layer.{i}.kv", site = "attn",
  })
  local latent = b.columns(both, {
    first = 0, last = m.kv_latent, as = "layer.{i}.kv_latent", site = "attn",
  })
  latent = b.rms_norm(latent, {
    tensor = base .. "kv_a_layernorm.weight", epsilon = m.latent_epsilon or m.epsilon,
    as = "layer.{i}.kv_latent_normed", site = "attn",
  })
  local key = b.columns(both, {
    first = m.kv_latent, last = m.kv_latent + m.rotary, as = "layer.{i}.key", site = "attn",
  })
  return latent, key
end

-- Attention on normalised rows y, without residual. m.select(b, m, y, q_latent) may give the ids of
-- the m.top_k tokens that each row attends to; m.mla_gate: what the heads say passes a gate.
function M.mixer(b, m, y)
  local base = "model.layers.{i}.self_attn."
  local q, q_latent = queries(b, m, y, base)
  local latent, key = latent_and_key(b, m, y, base)
  if m.rope then
    local width = m.nope + m.rotary
    q = b.rope(q, {
      attributes = blocks.rope_for(m, m.heads, { head_dim = width, offset = m.nope }),
      site = "attn",
    })
    key = b.rope(key, { attributes = blocks.rope_for(m, 1), site = "attn" })
  end
  local ids = m.select and m.select(b, m, y, q_latent)
  local mixed = b.mla_attention(q, latent, key, ids, {
    heads = m.heads, nope = m.nope, rope = m.rotary, value = m.value, latent = m.kv_latent,
    scale = m.scale, top_k = m.top_k, tensor = base .. "kv_b_proj", halves = m.kv_halves,
    as = "layer.{i}.mixed",
  })
  if m.mla_gate then
    local gate = b.linear(y, {
      tensor = base .. "g_proj", out = m.heads * m.value, split = "head", kind = "attention",
      heads = m.heads, as = "layer.{i}.gate", site = "attn",
    })
    mixed = b.sigmoid_gate(mixed, gate, { as = "layer.{i}.gated", site = "attn" })
  end
  return b.linear(mixed, {
    tensor = base .. "o_proj", out = m.hidden, split = "row", kind = "attention",
    heads = m.heads, as = "layer.{i}.attn", site = "attn", tap = "layer.{i}.attn",
  })
end

-- Pre-norm, with residual.
function M.attention(b, m, x)
  local y = blocks.attn_norm(b, m, x)
  return b.add(x, M.mixer(b, m, y), { as = "layer.{i}.mid", site = "attn" })
end

return M
