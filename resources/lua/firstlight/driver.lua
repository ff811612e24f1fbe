-- SPDX-License-Identifier: Apache-2.0
-- What the engine calls: "recipe" is the recipe file at hand.
local M = {}

local function optional_list(recipe, key)
  local list = recipe[key] or {}
  assert(type(list) == "table", "'" .. key .. "' must be a list")
  return list
end

-- Everything about a recipe that is data.
function M.describe()
  local recipe = require "recipe"
  assert(type(recipe) == "table", "a recipe returns a table")
  assert(type(recipe.name) == "string", "a recipe has a 'name'")
  assert(type(recipe.build) == "function", "a recipe has a 'build' function")
  local gguf = recipe.gguf
  assert(recipe.keys == nil or type(recipe.keys) == "table", "'keys' must be a table")
  return {
    name = recipe.name,
    architectures = optional_list(recipe, "architectures"),
    chat = recipe.chat,
    model_types = optional_list(recipe, "model_types"),
    keys = recipe.keys,
    evidence = optional_list(recipe, "evidence"),
    config_root = recipe.config_root,
    gguf = gguf and {
      architecture = gguf.architecture, config = gguf.config, constants = gguf.constants,
      harmless = gguf.harmless, tensors = gguf.tensors, not_computed = gguf.not_computed,
    },
  }
end

-- argument: { config, gguf = true where the tensors have GGUF names }
function M.build(argument)
  local recipe = require "recipe"
  local c, finish = require("firstlight.config").reader(argument.config)
  local root = recipe.config_root and argument.config[recipe.config_root]
  local nested = type(root) == "table"
  require("firstlight.rope_check").check(
    nested and root or argument.config, argument.gguf, nested and recipe.config_root .. "." or ""
  )
  local names = argument.gguf and recipe.gguf.tensors or nil
  recipe.build(require("firstlight.builder").new(names), c)
  finish()
  return {}
end

return M
