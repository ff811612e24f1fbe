-- SPDX-License-Identifier: Apache-2.0
-- Vision towers, before the first layer: patches in, rows of the text model's width out. Names and
-- sizes: transformers, modular_kimi_k25.py and modular_qwen3_vl.py.
local M = {}

-- One block of attention and MLP, pre-norm. t: base, norms (names), qkv, proj, fc1, fc2 (names),
-- heads, head_dim, inner, bias, norm (a function of x, name, as), activation, as.
local function block(b, x, t)
  local function linear(y, name, out, as)
    return b.linear(y, {
      tensor = t.base .. name, out = out, split = "replicate", kind = "vision", bias = t.bias,
      plain = true, as = t.as .. as, site = "vision",
    })
  end
  local wide = t.heads * t.head_dim
  local y = t.norm(x, t.base .. t.norms[1], t.as .. ".attn_norm")
  y = b.image_attention(linear(y, t.qkv, 3 * wide, ".qkv"), {
    heads = t.heads, head_dim = t.head_dim, as = t.as .. ".mixed", site = "vision",
  })
  x = b.add(x, linear(y, t.proj, b.width(x), ".attn"), { as = t.as .. ".mid", site = "vision" })
  y = t.norm(x, t.base .. t.norms[2], t.as .. ".mlp_norm")
  y = b.activation(linear(y, t.fc1, t.inner, ".up"), {
    kind = t.activation, as = t.as .. ".inner", site = "vision",
  })
  return b.add(x, linear(y, t.fc2, b.width(x), ".mlp"), { as = t.as, site = "vision" })
end

local function pairs_of(c, key)
  local list = c.list(key)
  if #list ~= 2 or list[1] ~= list[2] or math.type(list[1]) ~= "integer" or list[1] < 1 then
    c.problem(key, "two equal sizes", #list .. " items")
    return 1
  end
  return list[1]
end

-- MoonViT with its projector. c: the reader of vision_config; t: bias, rms (norms without mean),
-- norm_last (the projector's norm stands behind it), resample. Returns the rows for image tokens.
function M.moonvit(b, c, t)
  local hidden = c.count("vt_hidden_size")
  local heads = c.count("vt_num_attention_heads")
  local wide = c.count("qkv_hidden_size", hidden)
  local inner = c.count("vt_intermediate_size")
  local blocks = c.count("vt_num_hidden_layers")
  local patch = c.count("patch_size")
  local height, width = c.count("init_pos_emb_height"), c.count("init_pos_emb_width")
  local side = pairs_of(c, "merge_kernel_size")
  local merged = c.count("mm_hidden_size", hidden)
  local out = c.count("text_hidden_size")
  local epsilon = c.real("projector_ln_eps", 1e-5)
  c.expect("merge_type", "sd2_tpool")
  c.expect("pos_emb_type", "divided_fixed")
  c.expect("projector_hidden_act", "gelu")
  c.expect("activation_func", "gelu_pytorch_tanh")
  c.expect("mlp_type", "mlp2")
  c.expect("norm_type", t.rms and "rmsnorm" or "layernorm")
  c.expect("mm_projector_type", t.norm_last and "patchmergerv2" or "patchmerger")
  c.expect("pos_emb_interpolation_mode", t.resample)
  for _, key in ipairs { "attn_bias", "linear_bias", "patch_embed_proj_bias" } do
    c.expect(key, t.bias or false)
  end
  c.expect("mm_hidden_size", hidden)
  c.ignore("init_pos_emb_time", "video_attn_type", "model_type")
  if wide % heads ~= 0 then
    c.problem("vt_num_attention_heads", "a divisor of " .. wide, tostring(heads))
    heads = 1
  end
  local function norm(x, name, as, kind)
    if t.rms then
      return b.rms_norm(x, {
        tensor = name .. ".weight", epsilon = 1e-5, as = as, site = "vision", kind = kind or "vision",
      })
    end
    return b.layer_norm(x, {
      tensor = name, epsilon = 1e-5, bias = true, as = as, site = "vision", kind = kind or "vision",
    })
  end
  local x = b.patch_embed {
    tensor = "vision_tower.patch_embed.proj", shape = { hidden, 3, patch, patch }, bias = t.bias,
    kind = "vision", as = "vision.patches", site = "vision",
  }
  x = b.position_grid(x, {
    tensor = "vision_tower.patch_embed.pos_emb.weight", shape = { height, width, hidden },
    kind = "vision", resample = t.resample, as = "vision.placed", site = "vision",
  })
  for i = 0, blocks - 1 do
    x = block(b, x, {
      base = "vision_tower.encoder.blocks." .. i .. ".", norms = { "norm0", "norm1" }, qkv = "wqkv",
      proj = "wo", fc1 = "mlp.fc0", fc2 = "mlp.fc1", heads = heads, head_dim = wide // heads,
      inner = inner, bias = t.bias, norm = norm, activation = "gelu_tanh", as = "vision." .. i,
    })
  end
  x = norm(x, "vision_tower.encoder.final_layernorm", "vision.normed")
  local function projector(y, name, columns, as)
    return b.linear(y, {
      tensor = "mm_projector." .. name, out = columns, split = "replicate", kind = "projector",
      bias = t.bias, plain = true, as = as, site = "vision",
    })
  end
  if not t.norm_last then
    x = b.layer_norm(x, {
      tensor = "mm_projector.pre_norm", epsilon = epsilon, bias = true, kind = "projector",
      as = "vision.pre", site = "vision",
    })
  end
  x = b.patch_merge(x, { side = side, as = "vision.merged", site = "vision" })
  x = projector(x, "proj.0", side * side * merged, "vision.up")
  x = b.activation(x, { kind = "gelu", as = "vision.inner", site = "vision" })
  x = projector(x, "proj.2", out, "vision.features")
  if t.norm_last then
    x = norm(x, "mm_projector.post_norm", "vision.post", "projector")
  end
  return x
end

-- The Qwen3-VL tower. Returns the rows for image tokens, and those that are added behind the first
-- layers (deepstack), a list.
function M.qwen(b, c)
  local hidden = c.count("hidden_size")
  local heads = c.count("num_heads")
  local inner = c.count("intermediate_size")
  local depth = c.count("depth")
  local patch = c.count("patch_size")
  local times = c.count("temporal_patch_size", 2)
  local side = c.count("spatial_merge_size", 2)
  local channels = c.count("in_channels", 3)
  local positions = c.count("num_position_embeddings")
  local out = c.count("out_hidden_size")
  c.expect("hidden_act", "gelu_pytorch_tanh")
  c.ignore("model_type", "initializer_range")
  local deep = {}
  for _, at in ipairs(c.list("deepstack_visual_indexes")) do
    deep[at] = true
  end
  local root = "model.visual."
  local function norm(x, name, as, kind)
    return b.layer_norm(x, {
      tensor = name, epsilon = 1e-6, bias = true, as = as, site = "vision", kind = kind or "vision",
    })
  end
  local function merger(x, base, kind, as, norm_last)
    if not norm_last then
      x = norm(x, base .. "norm", as .. ".normed", kind)
    end
    x = b.patch_merge(x, { side = side, as = as .. ".merged", site = "vision" })
    if norm_last then
      x = norm(x, base .. "norm", as .. ".normed", kind)
    end
    local function linear(y, name, columns, to)
      return b.linear(y, {
        tensor = base .. name, out = columns, split = "replicate", kind = kind, bias = true,
        plain = true, as = to, site = "vision",
      })
    end
    x = linear(x, "linear_fc1", side * side * hidden, as .. ".up")
    x = b.activation(x, { kind = "gelu", as = as .. ".inner", site = "vision" })
    return linear(x, "linear_fc2", out, as)
  end
  local x = b.patch_embed {
    tensor = root .. "patch_embed.proj", shape = { hidden, channels, times, patch, patch },
    bias = true, kind = "vision", as = "vision.patches", site = "vision",
  }
  x = b.position_grid(x, {
    tensor = root .. "pos_embed.weight", shape = { positions, hidden }, kind = "vision",
    resample = "bilinear", as = "vision.placed", site = "vision",
  })
  local added = {}
  for i = 0, depth - 1 do
    x = block(b, x, {
      base = root .. "blocks." .. i .. ".", norms = { "norm1", "norm2" }, qkv = "attn.qkv",
      proj = "attn.proj", fc1 = "mlp.linear_fc1", fc2 = "mlp.linear_fc2", heads = heads,
      head_dim = math.max(1, hidden // heads), inner = inner, bias = true, norm = norm,
      activation = "gelu_tanh", as = "vision." .. i,
    })
    if deep[i] then
      local at = #added
      added[at + 1] = merger(x, root .. "deepstack_merger_list." .. at .. ".", "vision",
        "vision.deep" .. at, true)
    end
  end
  return merger(x, root .. "merger.", "projector", "vision.features"), added
end

return M
