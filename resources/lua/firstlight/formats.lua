-- SPDX-License-Identifier: Apache-2.0
-- How checkpoints pack the matrices of linear layers, by the configuration's quantization_config.
-- A format is a function (t, stem) that completes a weight's table: stored tensor, companions with
-- scales, blocks. t.shape is that of the values, [rows, columns].
-- Sources: DeepSeek-V3 README_WEIGHTS.md; compressed-tensors, pack_quantized and mxfp4_pack_quantized
-- compressors; transformers, quantizer_finegrained_fp8.py.
local M = {}

local function blocks(extent, block)
  return (extent + block - 1) // block
end

local function plain(t, stem)
  t.tensor = stem .. ".weight"
end
M.plain = plain

-- One fp8 value per weight and one scale per block. `scale`: suffix of the scales' name.
function M.fp8(rows, columns, scale, scale_dtypes)
  return function(t, stem)
    t.tensor = stem .. ".weight"
    t.packing = "fp8 e4m3 in blocks of " .. rows .. " × " .. columns
    t.dtypes = { "F8_E4M3" }
    t.block_rows, t.block_columns = rows, columns
    t.companions = {
      {
        tensor = stem .. scale, dtypes = scale_dtypes,
        shape = { blocks(t.shape[1], rows), blocks(t.shape[2], columns) },
      },
    }
  end
end

-- `each` values in one stored element, one scale per `group` columns.
local function grouped(packing, suffixes, dtype, each, group, scale_dtypes)
  return function(t, stem)
    local rows, columns = t.shape[1], t.shape[2]
    t.tensor = stem .. suffixes[1]
    t.packing = packing .. ", groups of " .. group
    t.dtypes = { dtype }
    t.stored = { rows, blocks(columns, each) }
    t.per_element = each
    t.block_rows, t.block_columns = 1, group
    t.companions = {
      { tensor = stem .. suffixes[2], shape = { rows, blocks(columns, group) }, dtypes = scale_dtypes },
    }
  end
end

function M.int4(group)
  local pack = grouped("int4", { ".weight_packed", ".weight_scale" }, "I32", 8, group,
    { "BF16", "F16", "F32" })
  return function(t, stem)
    pack(t, stem)
    t.companions[2] = { tensor = stem .. ".weight_shape", shape = { 2 }, dtypes = { "I32", "I64" } }
  end
end

function M.mxfp4(group)
  return grouped("mxfp4", { ".weight_packed", ".weight_scale" }, "U8", 2, group, { "U8" })
end

-- DeepSeek-V4's experts: e2m1 pairs in int8 beside e8m0 scales.
function M.fp4(group)
  return grouped("fp4 e2m1", { ".weight", ".scale" }, "I8", 2, group, { "F8_E8M0" })
end

-- gpt-oss: pairs of e2m1 in 16 bytes for each 32 columns, all experts of a layer in one tensor.
function M.mxfp4_blocks(t, stem)
  local rows, groups = t.shape[1], blocks(t.shape[2], 32)
  t.tensor = stem .. "_blocks"
  t.packing = "mxfp4, groups of 32"
  t.dtypes = { "U8" }
  t.stored = { rows, groups, 16 }
  t.per_element = 2
  t.block_rows, t.block_columns = 1, 32
  t.companions = { { tensor = stem .. "_scales", shape = { rows, groups }, dtypes = { "U8" } } }
end

-- Patterns of `ignore`: an exact name, or "re:" and of regular expressions this much: ".*", "\\.",
-- alternatives in parentheses, and characters that mean themselves. They match a name's beginning.
local special = "^$[]{}?+"

-- "a(b|c)d" → "abd", "acd"; nil if it is more than the above.
local function expand(pattern)
  local open = nil
  for i = 1, #pattern do
    local letter = string.sub(pattern, i, i)
    for j = 1, #special do
      if letter == string.sub(special, j, j) then
        return nil
      end
    end
    if letter == "*" and string.sub(pattern, i - 1, i - 1) ~= "." then
      return nil
    end
    if letter == "(" then
      open = i
    elseif letter == ")" then
      if not open then
        return nil
      end
      local out, from = {}, open + 1
      for k = open + 1, i do
        local mark = string.sub(pattern, k, k)
        if mark == "|" or k == i then
          local rest = expand(string.sub(pattern, 1, open - 1) .. string.sub(pattern, from, k - 1) ..
            string.sub(pattern, i + 1))
          for _, each in ipairs(rest or {}) do
            out[#out + 1] = each
          end
          from = k + 1
        end
      end
      return #out > 0 and out or nil
    end
  end
  return { pattern }
end

local function matches(pattern, name)
  if pattern == "" then
    return true
  end
  if string.sub(pattern, 1, 2) == ".*" then
    for from = 1, #name + 1 do
      if matches(string.sub(pattern, 3), string.sub(name, from)) then
        return true
      end
    end
    return false
  end
  local length, letter = 1, string.sub(pattern, 1, 1)
  if letter == "\\" then
    length, letter = 2, string.sub(pattern, 2, 2)
  elseif letter == "." and name ~= "" then
    letter = string.sub(name, 1, 1)
  end
  return string.sub(name, 1, 1) == letter and
    matches(string.sub(pattern, length + 1), string.sub(name, 2))
end

-- Which modules stay as they are, as a function of a name.
local function exemption(q, key)
  local names, patterns = {}, {}
  for _, entry in ipairs(q.list(key)) do
    local expression = string.sub(entry, 1, 3) == "re:" and string.sub(entry, 4)
    if not expression then
      names[entry] = true
    else
      local expanded = expand(expression)
      if not expanded then
        q.unsupported(key, "names, and expressions of .*, \\. and alternatives", "'" .. entry .. "'")
      end
      for _, each in ipairs(expanded or {}) do
        patterns[#patterns + 1] = each
      end
    end
  end
  return function(name)
    if names[name] then
      return true
    end
    for _, pattern in ipairs(patterns) do
      if matches(pattern, name) then
        return true
      end
    end
    return false
  end
end

local function fp8_blocks(q, scale_names)
  q.expect("fmt", "e4m3")
  q.expect("activation_scheme", "dynamic")
  q.ignore("scale_fmt")
  local size = q.list("weight_block_size")
  if #size ~= 2 or math.type(size[1]) ~= "integer" or math.type(size[2]) ~= "integer" or
    size[1] < 1 or size[2] < 1 then
    q.problem("weight_block_size", "two sizes", #size .. " items")
    size = { 128, 128 }
  end
  local own = scale_names or { suffix = ".weight_scale_inv", dtypes = { "F32", "BF16" } }
  return M.fp8(size[1], size[2], own.suffix, own.dtypes)
end

local compressed = {
  ["pack-quantized"] = { num_bits = 4, type = "int", make = M.int4 },
  ["mxfp4-pack-quantized"] = { num_bits = 4, type = "float", make = M.mxfp4 },
}

local function compressed_tensors(q)
  local name = q.text("format")
  local known = compressed[name]
  local groups = q.object("config_groups")
  q.ignore("quantization_status", "global_compression_ratio", "kv_cache_scheme", "version",
    "sparsity_config", "transform_config")
  if not known or not groups then
    q.unsupported("format", "pack-quantized or mxfp4-pack-quantized", "'" .. name .. "'")
    return plain
  end
  local group = groups.object("group_0")
  local weights = group and group.object("weights")
  if not weights then
    groups.problem("group_0.weights", "an object", "nothing")
    return plain
  end
  group.ignore("format", "input_activations", "output_activations", "targets")
  weights.expect("num_bits", known.num_bits)
  weights.expect("type", known.type)
  weights.expect("symmetric", true)
  weights.expect("strategy", "group")
  weights.ignore("actorder", "block_structure", "dynamic", "observer", "observer_kwargs",
    "scale_dtype", "zp_dtype")
  return known.make(weights.count("group_size"))
end

-- The format of a model's linear layers: a function (t, stem, name), where `name` is what the
-- configuration calls the module. Without quantization_config all are plain.
function M.read(c, scale_names)
  local q = c.object("quantization_config")
  if not q then
    return plain
  end
  local method = q.text("quant_method")
  local pack, exempt = plain, nil
  if method == "fp8" then
    pack = fp8_blocks(q, scale_names)
    exempt = exemption(q, "modules_to_not_convert")
  elseif method == "compressed-tensors" then
    pack = compressed_tensors(q)
    exempt = exemption(q, "ignore")
  else
    q.unsupported("quant_method", "fp8 or compressed-tensors", "'" .. method .. "'")
    q.ignore_all()
  end
  return function(t, stem, name)
    if exempt and exempt(name) then
      return plain(t, stem)
    end
    return pack(t, stem)
  end
end

return M
