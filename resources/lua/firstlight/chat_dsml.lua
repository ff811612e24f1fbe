-- SPDX-License-Identifier: Apache-2.0
-- The markup in which DeepSeek V3.2 and V4 write calls of functions.
local chat = require "firstlight.chat"

local dsml = {
  bos = "<｜begin▁of▁sentence｜>",
  eos = "<｜end▁of▁sentence｜>",
  user = "<｜User｜>",
  assistant = "<｜Assistant｜>",
}

local function parameter(key, value)
  local text = chat.kind(value) == "string"
  return '<｜DSML｜parameter name="' .. key .. '" string="' .. (text and "true" or "false") .. '">' ..
    (text and chat.text(value) or chat.json(value)) .. "</｜DSML｜parameter>"
end

local function parameters(call, strict)
  local given = chat.get(call, "arguments")
  local parsed = nil
  if chat.kind(given) == "string" then parsed = chat.parse(chat.text(given)) end
  if strict and chat.kind(given) == "object" then parsed = given end
  if chat.kind(parsed) ~= "object" then
    if strict then error("the arguments of a call are no JSON object: " .. chat.text(given)) end
    return { parameter("arguments", given) }
  end
  local out = {}
  for _, key in ipairs(chat.keys(parsed)) do
    out[#out + 1] = parameter(key, host.get { parsed, key })
  end
  return out
end

-- "\n\n<｜DSML｜BLOCK>…"; strict: arguments that are no JSON are an error.
function dsml.calls(message, block, strict)
  local out = {}
  for i, item in ipairs(chat.items(chat.get(message, "tool_calls"))) do
    local call = chat.get(item, "function")
    out[i] = '<｜DSML｜invoke name="' .. chat.get_text(call, "name") .. '">\n' ..
      chat.join(parameters(call, strict), "\n") .. "\n</｜DSML｜invoke>"
  end
  if #out == 0 then return "" end
  return "\n\n<｜DSML｜" .. block .. ">\n" .. chat.join(out, "\n") .. "\n</｜DSML｜" .. block .. ">"
end

function dsml.schemas(tools)
  local out = {}
  for i, tool in ipairs(chat.items(tools)) do out[i] = chat.json(chat.get(tool, "function")) end
  return chat.join(out, "\n")
end

function dsml.response_format(message)
  local format = chat.get(message, "response_format")
  if format == nil or chat.size(format) == 0 then return "" end
  return "\n\n## Response Format:\n\n" ..
    "You MUST strictly adhere to the following schema to reply:\n" .. chat.json(format)
end

function dsml.mode(options)
  local mode = chat.get(options, "thinking_mode")
  local name = mode == nil and "chat" or chat.text(mode)
  if name ~= "chat" and name ~= "thinking" then
    error("thinking_mode '" .. name .. "' is not one of chat, thinking")
  end
  return name == "thinking"
end

-- The index of the last user or developer message; 0: none.
function dsml.last_user(messages)
  for i = #messages, 1, -1 do
    if messages[i].role == "user" or messages[i].role == "developer" then return i end
  end
  return 0
end

dsml.common_options = {
  { name = "thinking_mode", kind = "text", default = "chat", values = { "chat", "thinking" } },
  { name = "drop_thinking", kind = "boolean", default = true },
  { name = "add_default_bos_token", kind = "boolean", default = true },
  { name = "context", kind = "list" },
}

return dsml
