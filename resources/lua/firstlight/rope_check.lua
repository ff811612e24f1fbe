-- SPDX-License-Identifier: Apache-2.0
-- Whether a configuration's description of rotary positions can be right, for every recipe before
-- it builds: known type, what the type needs, both spellings agreeing (transformers,
-- modeling_rope_utils.py). What a recipe does not compute is its own to say.
local M = {}

-- What each type needs besides itself.
local needs = {
  default = {}, mrope = {}, proportional = {},
  linear = { "factor" }, dynamic = { "factor" },
  yarn = { "factor", "original_max_position_embeddings" },
  llama3 = {
    "factor", "low_freq_factor", "high_freq_factor", "original_max_position_embeddings",
  },
  longrope = { "short_factor", "long_factor" }, su = { "short_factor", "long_factor" },
}
local at_least_one = { yarn = true }
local positive = {
  "original_max_position_embeddings", "attention_factor", "beta_fast", "beta_slow",
  "low_freq_factor", "high_freq_factor", "rope_theta", "partial_rotary_factor",
}

local function kind(v)
  if type(v) == "table" then
    return #v > 0 and "list" or "object"
  end
  return type(v)
end

local function said(v)
  return type(v) == "string" and "'" .. v .. "'" or type(v) == "table" and kind(v) or tostring(v)
end

-- A reporter of faults of the object called `name`. A member that is at fault is named, and the
-- object as a further place.
local function reporter(name, prefix)
  local path = prefix .. name
  return function(member, expected, found, severity)
    host.problem {
      code = "config-value", key = member and path .. "." .. member or path, expected = expected,
      found = found, severity = severity, places = member and { path } or nil,
    }
  end
end

local function check_positive(p, report)
  local ok = true
  local function one(key, least)
    local v = p[key]
    if v == nil then
      return
    end
    if type(v) ~= "number" then
      report(key, "a number", key .. " is a " .. kind(v))
      ok = false
    elseif v <= 0 or v < least or v == math.huge then
      report(key, least > 0 and ">= " .. least or "above 0", key .. " " .. tostring(v))
      ok = false
    end
  end
  one("factor", at_least_one[p.rope_type or p.type] and 1 or 0)
  for _, key in ipairs(positive) do
    one(key, 0)
  end
  return ok
end

local function check_factors(p, half, report)
  for _, key in ipairs { "short_factor", "long_factor" } do
    local list = p[key]
    if type(list) == "table" and half and #list ~= half then
      report(key, half .. " factors", #list .. (#list == 1 and " factor" or " factors") .. " for "
        .. half)
    end
  end
end

local function check_order(p, report)
  local function ordered(low, high)
    local a, b = p[low], p[high]
    if type(a) == "number" and type(b) == "number" and a >= b then
      report(high, high .. " above " .. low, high .. " " .. b .. " against " .. low .. " " .. a)
    end
  end
  ordered("beta_slow", "beta_fast")
  ordered("low_freq_factor", "high_freq_factor")
end

local function type_of(p, report, required)
  local new, old = p.rope_type, p.type
  if new ~= nil and old ~= nil and new ~= old and old ~= "mrope" then
    report(nil, "one type", "two types: " .. said(new) .. " and " .. said(old))
    return nil
  end
  local name = new or old
  if name == nil then
    if required then
      report(nil, "a rope_type", "no type")
    end
    return required and nil or "default"
  end
  if type(name) ~= "string" or not needs[name] then
    local known = {}
    for each in pairs(needs) do
      known[#known + 1] = each
    end
    table.sort(known)
    report(new ~= nil and "rope_type" or "type", "one of " .. table.concat(known, ", "), said(name))
    return nil
  end
  return name
end

local function check_object(config, key, size, gguf, prefix)
  local p = config[key]
  local report = reporter(key, prefix)
  local ok = check_positive(p, report)
  local name = type_of(p, report, key == "rope_scaling" and not gguf and not p.mrope_section)
  if not name then
    return
  end
  for _, need in ipairs(needs[name]) do
    local elsewhere = need == "original_max_position_embeddings" and (gguf or config[need] ~= nil)
    if p[need] == nil and not elsewhere and not (gguf and need ~= "factor") then
      report(need, "present for " .. name, "no " .. need)
    end
  end
  check_order(p, report)
  if name == "longrope" or name == "su" then
    check_factors(p, size, report)
  end
  if ok and p.mscale ~= nil and p.mscale_all_dim == nil and name == "yarn" then
    report("mscale_all_dim", tostring(p.mscale), "absent", "warning")
  end
end

local function check_both(config, report)
  local scaling, parameters = config.rope_scaling, config.rope_parameters
  local theta = config.rope_theta
  if parameters.rope_theta ~= nil and theta ~= nil and parameters.rope_theta ~= theta then
    report("rope_theta", tostring(theta), tostring(parameters.rope_theta))
  end
  if type(scaling) ~= "table" then
    return
  end
  local function name(p)
    return p.rope_type or p.type or "default"
  end
  if name(scaling) ~= name(parameters) or scaling.factor ~= parameters.factor then
    report(nil, "agrees with rope_scaling",
      "contradicts: " .. said(name(parameters)) .. " against " .. said(name(scaling)))
  end
end

-- Pairs of columns that are turned, or nil.
local function half_of(config)
  local dim = config.qk_rope_head_dim or config.head_dim
  local hidden, heads = config.hidden_size, config.num_attention_heads
  if dim == nil and math.type(hidden) == "integer" and math.type(heads) == "integer" and heads > 0 then
    dim = hidden // heads
  end
  if math.type(dim) ~= "integer" then
    return nil
  end
  local part = config.partial_rotary_factor
  return (type(part) == "number" and math.floor(dim * part) or dim) // 2
end

-- Holds one object per kind of layer, in the place of a description.
local function per_kind_of_layer(p)
  for _, v in pairs(p) do
    if kind(v) ~= "object" then
      return false
    end
  end
  return next(p) ~= nil
end

-- prefix: "" or "text_config.", where `config` is in the file.
function M.check(config, gguf, prefix)
  for _, key in ipairs { "rope_scaling", "rope_parameters" } do
    local p = config[key]
    if kind(p) == "object" and not per_kind_of_layer(p) then
      check_object(config, key, half_of(config), gguf, prefix)
    end
  end
  if kind(config.rope_parameters) == "object" then
    check_both(config, reporter("rope_parameters", prefix))
  end
end

return M
