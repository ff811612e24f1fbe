-- SPDX-License-Identifier: Apache-2.0
-- What scripts that write prompts share. Messages, tools and options keep the order of their keys
-- and tell null from absent, so they stay with the engine: a script holds handles to them.
local chat = {}

-- The member `key` of an object or item of a list (from 1); nil where it is absent or null.
function chat.get(value, key)
  if value == nil then return nil end
  local found = host.get { value, key }
  if found == nil or host.kind(found) == "null" then return nil end
  return found
end

-- Whether an object has the key, if only with null.
function chat.has(value, key)
  return value ~= nil and host.get { value, key } ~= nil
end

function chat.kind(value)
  return value == nil and "null" or host.kind(value)
end

-- As Python's str(); "" for what is absent.
function chat.text(value)
  return value == nil and "" or host.text(value)
end

function chat.get_text(value, key)
  return chat.text(chat.get(value, key))
end

function chat.size(value)
  return value == nil and 0 or host.size(value)
end

function chat.items(value)
  local out = {}
  for i = 1, chat.size(value) do out[i] = host.get { value, i } end
  return out
end

function chat.keys(value)
  return value == nil and {} or host.keys(value)
end

-- Python's json.dumps(ensure_ascii=False); with `compact` without spaces and with sorted keys.
function chat.json(value, compact)
  return host.json { value, compact or false }
end

-- A handle to what a JSON text says; nil if it is none.
function chat.parse(text)
  return host.parse(text)
end

function chat.flag(options, name, default)
  local value = chat.get(options, name)
  if value == nil then return default end
  return chat.text(value) == "True"
end

function chat.join(list, between)
  return table.concat(list, between or "")
end

return chat
