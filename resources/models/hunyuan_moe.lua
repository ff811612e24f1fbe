-- SPDX-License-Identifier: Apache-2.0
-- Hunyuan with a mixture of experts (A13B): Llama's attention with norms of every head behind the
-- rotation, experts chosen by softmax and one that every token passes (transformers,
-- modeling_hunyuan_v1_moe.py).
local blocks = require "firstlight.blocks"
local formats = require "firstlight.formats"
local keys = require "firstlight.keys"
local moe = require "firstlight.moe"

-- Its "dynamic" scaling with alpha does not depend on the length: it is another base.
local function rope(c, m)
  local scaling = c.peek("rope_scaling")
  if type(scaling) ~= "table" or scaling.alpha == nil then
    return blocks.rope(c, m.head_dim, m.context)
  end
  local inner = c.object("rope_scaling")
  inner.ignore("type", "rope_type", "factor", "beta_fast", "beta_slow", "mscale", "mscale_all_dim")
  local theta = c.real("rope_theta", 10000.0)
  return {
    head_dim = m.head_dim, rotary = m.head_dim, type = "default", interleaved = 0,
    theta = theta * inner.real("alpha") ^ (m.head_dim / (m.head_dim - 2)),
  }
end

local function attention(b, m, x)
  local base = "model.layers.{i}.self_attn."
  local y = blocks.attn_norm(b, m, x)
  local function heads(name, count, shareable)
    return b.linear(y, {
      tensor = base .. name .. "_proj", out = count * m.head_dim, split = "head", kind = "attention",
      heads = count, shareable = shareable, bias = m.bias, as = "layer.{i}." .. name, site = "attn",
    })
  end
  local function turned(z, norm, count, as)
    z = b.rope(z, { attributes = blocks.rope_for(m, count), site = "attn" })
    if not m.qk_norm then
      return z
    end
    return b.rms_norm(z, {
      tensor = base .. norm .. ".weight", epsilon = m.epsilon, groups = count,
      as = "layer.{i}." .. as .. "_normed", site = "attn",
    })
  end
  local q = turned(heads("q", m.heads), "query_layernorm", m.heads, "q")
  local k = turned(heads("k", m.kv_heads, true), "key_layernorm", m.kv_heads, "k")
  local mixed = b.attention(q, k, heads("v", m.kv_heads, true), {
    heads = m.heads, kv_heads = m.kv_heads, head_dim = m.head_dim,
    scale = 1 / math.sqrt(m.head_dim), as = "layer.{i}.mixed", site = "attn",
  })
  local out = b.linear(mixed, {
    tensor = base .. "o_proj", out = m.hidden, split = "row", kind = "attention", heads = m.heads,
    bias = m.bias, as = "layer.{i}.attn", site = "attn", tap = "layer.{i}.attn",
  })
  return b.add(x, out, { as = "layer.{i}.mid", site = "attn" })
end

local function experts(b, m, x)
  local base = "model.layers.{i}.mlp."
  local y = blocks.mlp_norm(b, m, x)
  local ids, shares = b.router_topk(moe.logits(b, m, y, base .. "gate.wg"), {
    experts = m.experts, k = m.chosen, normalise = true, as = "layer.{i}.chosen",
  })
  local out = b.moe_experts(y, ids, shares, {
    tensor = base .. "experts.{}", experts = m.experts, k = m.chosen, inner = m.expert_inner,
    as = "layer.{i}.routed",
  })
  local shared = blocks.swiglu(b, m, y, {
    base = base .. "shared_mlp.", inner = m.shared_inner, kind = "shared_experts",
    as = "layer.{i}.shared",
  })
  out = b.add(out, shared, { as = "layer.{i}.mlp", site = "mlp", tap = "layer.{i}.mlp" })
  return b.add(x, out, { as = "layer.{i}", site = "mlp", tap = "layer.{i}" })
end

local function evidence()
  local mlp = "model.layers.{i}.mlp."
  local expert = mlp .. "experts.{}."
  return keys.joined { keys.frame(), keys.projections(), {
    { tensor = mlp .. "gate.wg.weight", shape = { "num_experts", "hidden_size" } },
    {
      tensor = expert .. "gate_proj.weight", shape = { "intermediate_size", "hidden_size" },
      experts = "num_experts",
    },
    { tensor = "model.layers.{i}.self_attn.query_layernorm.weight", shape = { "head_dim" } },
    { tensor = "model.layers.{i}.self_attn.q_proj.bias", when = "attention_bias" },
  } }
end

return {
  name = "hunyuan_moe",
  architectures = { "HunYuanMoEV1ForCausalLM" },
  model_types = { "hunyuan_v1_moe" },
  keys = keys.decoder {
    num_experts = keys.count(), attention_bias = keys.flag(), use_qk_norm = keys.flag { default = 1 },
  },
  evidence = evidence(),
  build = function(b, c)
    local m = blocks.heads(c)
    m.rope = rope(c, m)
    m.inner = c.count("intermediate_size")
    m.experts = c.count("num_experts")
    m.chosen = c.alike("moe_topk", 1)
    m.expert_inner = c.alike("moe_intermediate_size", m.inner)
    m.shared_inner = m.inner * c.alike("num_shared_expert", 1)
    m.bias = c.boolean("attention_bias", false)
    m.qk_norm = c.boolean("use_qk_norm", true)
    if m.chosen > m.experts then
      c.problem("moe_topk", "at most num_experts " .. m.experts, tostring(m.chosen))
      m.chosen = m.experts
    end
    c.expect("hidden_act", "silu")
    c.expect("mlp_bias", false)
    c.expect("use_cla", false)
    c.expect("use_mla", false)
    c.ignore("use_mixed_mlp_moe", "moe_layer_num_skipped", "moe_random_routing_dropped_token",
      "moe_drop_tokens", "norm_topk_prob", "capacity_factor", "group_limited_greedy",
      "cla_share_factor", "attention_head_dim", "routed_scaling_factor", "add_classification_head",
      "class_num", "pool_type", "num_media_embeds", "position_embedding_xdrope", "mask_init_id",
      "n_group", "topk_group", "q_lora_rank", "kv_lora_rank", "qk_nope_head_dim",
      "qk_rope_head_dim", "v_head_dim", "rope_type")
    b.format = formats.read(c)
    blocks.decoder(b, m, function(_, _, x)
      return experts(b, m, attention(b, m, x))
    end)
  end,
}
