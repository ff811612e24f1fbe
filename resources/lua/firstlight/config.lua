-- SPDX-License-Identifier: Apache-2.0
-- Reads a model's configuration. Every key must be read, declared without effect, or empty: a key
-- nobody knows might change the arithmetic, so it is a problem and never overlooked. Problems are
-- collected, and reading goes on, so that all of them are seen at once.
local M = {}

-- Keys that never change what a forward pass computes.
local harmless = {
  "architectures", "model_type", "torch_dtype", "dtype", "transformers_version", "auto_map",
  "bos_token_id", "eos_token_id", "pad_token_id", "unk_token_id", "sep_token_id",
  "decoder_start_token_id", "use_cache", "initializer_range", "attention_dropout",
  "hidden_dropout", "resid_pdrop", "embd_pdrop", "output_attentions", "output_hidden_states",
  "output_router_logits", "router_aux_loss_coef", "return_dict", "use_return_dict",
  "pretraining_tp", "name_or_path", "is_llama_config", "transformers.js_config", "id2label",
  "label2id", "problem_type", "task_specific_params", "torchscript", "chunk_size_feed_forward",
  "is_encoder_decoder", "is_decoder", "language", "license", "unsloth_version", "unsloth_fixed",
}

local function shown(v)
  if type(v) == "table" then
    return #v > 0 and "a list" or "an object"
  end
  return type(v) == "string" and "'" .. v .. "'" or tostring(v)
end

local function reader(config, path, all)
  local c = {}
  local read = {}

  -- A value that is wrong for every reader.
  local function problem(key, expected, found, code)
    host.problem {
      code = code or "config-value", key = path .. key, expected = expected, found = found,
    }
  end
  c.problem = problem
  -- A value that may be right, but that this recipe does not compute.
  function c.unsupported(key, expected, found)
    problem(key, expected, found, "config-unsupported")
  end

  -- `stand_in` lets the build go on behind a problem.
  local function typed(key, default, wanted, fits, stand_in)
    read[key] = true
    local v = config[key]
    if v == nil then
      if default == nil then
        problem(key, wanted, "nothing", "config-key-missing")
        return stand_in
      end
      return default
    end
    if not fits(v) then
      problem(key, wanted, shown(v))
      return stand_in
    end
    return v
  end

  -- Without a default the key must be there.
  function c.integer(key, default)
    return typed(key, default, "a whole number", function(v)
      return math.type(v) == "integer"
    end, 1)
  end
  function c.real(key, default)
    return typed(key, default, "a number", function(v)
      return type(v) == "number"
    end, 1.0)
  end
  function c.boolean(key, default)
    return typed(key, default, "true or false", function(v)
      return type(v) == "boolean"
    end, false)
  end
  function c.text(key, default)
    return typed(key, default, "a text", function(v)
      return type(v) == "string"
    end, "")
  end
  function c.list(key)
    return typed(key, {}, "a list", function(v)
      return type(v) == "table"
    end, {})
  end

  -- A count: at least `least` (1).
  function c.count(key, default, least)
    local v = c.integer(key, default)
    if v < (least or 1) then
      problem(key, "at least " .. (least or 1), shown(v))
      return least or 1
    end
    return v
  end

  function c.has(key)
    return config[key] ~= nil
  end

  -- What the key holds, whatever that is. It does not count as read.
  function c.peek(key)
    return config[key]
  end

  -- A count, or a list with the same one for every layer.
  function c.alike(key, default, least)
    local list = config[key]
    if type(list) ~= "table" then
      return c.count(key, default, least)
    end
    read[key] = true
    for _, item in ipairs(list) do
      if item ~= list[1] then
        c.unsupported(key, "the same number for every layer", "a list of several")
        break
      end
    end
    if math.type(list[1]) ~= "integer" or list[1] < (least or 1) then
      problem(key, "whole numbers from " .. (least or 1), shown(list[1]))
      return least or 1
    end
    return list[1]
  end

  -- The recipe computes this one value only; absent means the same.
  function c.expect(key, value)
    read[key] = true
    if config[key] ~= nil and config[key] ~= value then
      c.unsupported(key, shown(value), shown(config[key]))
    end
  end

  -- Every item of a list, if there is one, is `value`.
  function c.expect_all(key, value)
    for _, item in ipairs(c.list(key)) do
      if item ~= value then
        c.unsupported(key, "only " .. shown(value), shown(item))
        return
      end
    end
  end

  -- Without effect under the conditions the recipe checks elsewhere.
  function c.ignore(...)
    for _, key in ipairs { ... } do
      read[key] = true
    end
  end

  -- Behind a problem that makes the rest meaningless.
  function c.ignore_all()
    for key in pairs(config) do
      read[key] = true
    end
  end

  -- One of a few texts.
  function c.choice(key, default, words)
    local v = c.text(key, default)
    for _, word in ipairs(words) do
      if v == word then
        return v
      end
    end
    c.unsupported(key, table.concat(words, " or "), shown(v))
    return words[1]
  end

  -- A nested object as a reader of its own; nil where there is none.
  function c.object(key)
    read[key] = true
    if type(config[key]) ~= "table" then
      if config[key] ~= nil then
        problem(key, "an object", shown(config[key]))
      end
      return nil
    end
    return reader(config[key], path .. key .. ".", all)
  end

  -- A part of the model with a configuration of its own; `c` itself where there is none.
  function c.section(key)
    local inner = c.object(key)
    if not inner then
      problem(key, "an object", "nothing", "config-key-missing")
      return c
    end
    inner.ignore(table.unpack(harmless))
    return inner
  end

  function c.finish()
    local keys = {}
    for key, v in pairs(config) do
      local private = string.sub(key, 1, 1) == "_"
      if not read[key] and v ~= false and not private then
        keys[#keys + 1] = key
      end
    end
    table.sort(keys)
    for _, key in ipairs(keys) do
      -- How weights are stored is nothing that a recipe may overlook.
      if key == "quantization_config" then
        c.unsupported(key, "no quantisation", shown(config[key]))
      end
      host.problem {
        code = "config-key-unknown", key = path .. key, expected = "a key this recipe knows",
        found = #key > 200 and "key of " .. #key .. " bytes" or shown(config[key]),
        severity = string.sub(path .. key, 1, 5) ~= "gguf." and "warning" or nil,
      }
    end
  end
  all[#all + 1] = c
  return c
end

-- `finish` of what comes back reports the keys that nobody read, nested ones too.
function M.reader(config)
  local all = {}
  local c = reader(config, "", all)
  c.ignore(table.unpack(harmless))
  return c, function()
    for _, each in ipairs(all) do
      each.finish()
    end
  end
end

return M
