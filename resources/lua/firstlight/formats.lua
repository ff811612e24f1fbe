-- SPDX-License-Identifier: Apache-2.0
-- How a checkpoint packs the matrices of its linear layers, by the configuration's
-- quantization_config. The formats themselves are those of firstlight.packing.
local packing = require "firstlight.packing"
local M = {}

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

-- Shell patterns ("*.mixer.*", "lm_head*") as expressions.
local function of_shell(entry)
  local out = ""
  for i = 1, #entry do
    local letter = string.sub(entry, i, i)
    out = out .. (letter == "*" and ".*" or letter == "." and "\\." or letter)
  end
  return out
end

-- Which modules stay as they are, as a function of a name.
local function exemption(q, key)
  local names, patterns = {}, {}
  for _, entry in ipairs(q.list(key)) do
    local expression = string.sub(entry, 1, 3) == "re:" and string.sub(entry, 4)
    if not expression and (string.sub(entry, -1) == "*" or string.sub(entry, 1, 1) == "*") then
      expression = of_shell(entry)
    end
    if not expression then
      names[#names + 1] = entry
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
    for _, each in ipairs(names) do
      if name == each or string.sub(name, 1, #each + 1) == each .. "." then
        return true
      end
    end
    for _, pattern in ipairs(patterns) do
      if matches(pattern, name) then
        return true
      end
    end
    return false
  end
end

local function fp8(q, scale_names)
  q.expect("fmt", "e4m3")
  q.ignore("scale_fmt")
  local scheme = q.text("activation_scheme", "dynamic")
  if not q.has("weight_block_size") then
    return packing.bytes("fp8 e4m3 with whole scales", "F8_E4M3", scheme == "static")
  end
  q.expect("activation_scheme", "dynamic")
  local size = q.list("weight_block_size")
  if #size ~= 2 or math.type(size[1]) ~= "integer" or math.type(size[2]) ~= "integer" or
    size[1] < 1 or size[2] < 1 then
    q.problem("weight_block_size", "two sizes", #size .. " items")
    size = { 128, 128 }
  end
  local own = scale_names or { suffix = ".weight_scale_inv", dtypes = { "F32", "BF16" } }
  return packing.fp8(size[1], size[2], own.suffix, own.dtypes)
end

local nvfp4_names = {
  ["compressed-tensors"] = {
    weight = ".weight_packed", whole = ".weight_global_scale", input = ".input_global_scale",
  },
  modelopt = { weight = ".weight", whole = ".weight_scale_2", input = ".input_scale" },
}

-- Forms of compressed-tensors: what its description of weights must say, and the format.
local compressed = {
  ["pack-quantized"] = { num_bits = 4, type = "int", strategy = "group", make = packing.int4 },
  ["mxfp4-pack-quantized"] = {
    num_bits = 4, type = "float", strategy = "group", make = packing.mxfp4,
  },
  ["nvfp4-pack-quantized"] = {
    num_bits = 4, type = "float", make = function()
      return packing.nvfp4(nvfp4_names["compressed-tensors"])
    end,
  },
  ["float-quantized"] = {
    num_bits = 8, type = "float", make = function()
      return packing.bytes("fp8 e4m3 with whole scales", "F8_E4M3")
    end,
  },
  ["int-quantized"] = {
    num_bits = 8, type = "int", make = function()
      return packing.bytes("int8 with whole scales", "I8")
    end,
  },
}
compressed["naive-quantized"] = compressed["float-quantized"]

local function known_forms()
  local out = {}
  for name in pairs(compressed) do
    out[#out + 1] = name
  end
  table.sort(out)
  return table.concat(out, ", ")
end

local function compressed_tensors(q)
  local name = q.text("format")
  local known = compressed[name]
  local groups = q.object("config_groups")
  q.ignore("quantization_status", "global_compression_ratio", "kv_cache_scheme", "version",
    "sparsity_config", "transform_config")
  if not known or not groups then
    q.unsupported("format", "one of " .. known_forms(), "'" .. name .. "'")
    if groups then
      groups.ignore_all()
    end
    return packing.plain
  end
  local group = groups.object("group_0")
  local weights = group and group.object("weights")
  if not weights then
    groups.problem("group_0.weights", "an object", "nothing")
    return packing.plain
  end
  group.ignore("format", "input_activations", "output_activations", "targets")
  weights.expect("num_bits", known.num_bits)
  weights.expect("type", known.type)
  weights.expect("symmetric", true)
  if known.strategy then
    weights.expect("strategy", known.strategy)
  end
  weights.ignore("actorder", "block_structure", "dynamic", "observer", "observer_kwargs",
    "scale_dtype", "strategy", "zp_dtype")
  return known.make(weights.has("group_size") and weights.count("group_size") or 0)
end

-- Four or eight bits in words of 32.
local function words(q, make)
  local bits = q.integer(q.has("w_bit") and "w_bit" or "bits")
  local group = q.integer(q.has("q_group_size") and "q_group_size" or "group_size", 128)
  if bits ~= 4 and bits ~= 8 then
    q.unsupported("bits", "4 or 8", tostring(bits))
    bits = 4
  end
  q.ignore_all()
  return make(bits, group)
end

local function modelopt(q)
  local algorithm = q.text("quant_algo")
  q.ignore("quant_library", "producer", "kv_cache_scheme", "kv_cache_quant_algo", "config_groups",
    "group_size")
  host.ignore("*.k_scale")
  host.ignore("*.v_scale")
  if algorithm == "FP8" then
    return packing.bytes("fp8 e4m3 with whole scales", "F8_E4M3")
  end
  if algorithm == "NVFP4" then
    return packing.nvfp4(nvfp4_names.modelopt)
  end
  q.unsupported("quant_algo", "FP8 or NVFP4", "'" .. algorithm .. "'")
  return packing.plain
end

-- Methods: the key that names what stays as it is, and what makes the format.
local methods = {
  fp8 = { except = { "modules_to_not_convert", "ignored_layers" }, make = fp8 },
  ["compressed-tensors"] = { except = { "ignore" }, make = compressed_tensors },
  awq = {
    except = { "modules_to_not_convert" }, make = function(q)
      return words(q, packing.awq)
    end,
  },
  gptq = {
    except = { "modules_to_not_convert" }, make = function(q)
      return words(q, packing.gptq)
    end,
  },
  modelopt = { except = { "ignore", "exclude_modules" }, make = modelopt },
}
methods.modelopt_fp4 = methods.modelopt

-- The format of a model's linear layers. Without quantization_config all are plain.
function M.read(c, scale_names)
  local q = c.object("quantization_config")
  if not q then
    return packing.plain
  end
  local name = q.text("quant_method")
  local method = methods[name]
  if not method then
    q.unsupported("quant_method", "fp8, compressed-tensors, awq, gptq or modelopt", "'" .. name .. "'")
    q.ignore_all()
    return packing.plain
  end
  local except = {}
  for i, key in ipairs(method.except) do
    except[i] = exemption(q, key)
  end
  local pack = method.make(q, scale_names)
  return function(t, stem, module, shape_of)
    for _, stays in ipairs(except) do
      if stays(module) then
        return packing.plain(t, stem)
      end
    end
    return pack(t, stem, module, shape_of)
  end
end

for name, make in pairs(packing) do
  M[name] = make
end

return M
