-- SPDX-License-Identifier: Apache-2.0
-- How Kimi-K3 is prompted (XTML): tags of control tokens, text that can never become one.
local chat = require "firstlight.chat"

local function escaped(text)
  local out = {}
  for i = 1, #text do
    local c = text:sub(i, i)
    out[i] = c == "&" and "&amp;" or c == '"' and "&quot;" or c
  end
  return chat.join(out)
end

local function control(out, text) out[#out + 1] = { text = text, control = true } end
local function plain(out, text)
  if text ~= "" then out[#out + 1] = { text = text, control = false } end
end

-- attributes: a list of { key, value }
local function open(out, tag, attributes)
  control(out, "<|open|>")
  plain(out, tag)
  for _, pair in ipairs(attributes or {}) do
    plain(out, " " .. pair[1] .. '="' .. escaped(pair[2]) .. '"')
  end
  control(out, "<|sep|>")
end

local function close(out, tag)
  control(out, "<|close|>")
  plain(out, tag)
  control(out, "<|sep|>")
end

local function end_message(out)
  close(out, "message")
  control(out, "<|end_of_msg|>")
end

local function notice(out, kind, text)
  open(out, "message", { { "role", "system" }, { "type", kind } })
  plain(out, host.strip(text))
  end_message(out)
end

local function content(out, value)
  if chat.kind(value) ~= "array" then return plain(out, chat.text(value)) end
  for _, part in ipairs(chat.items(value)) do
    local kind = chat.get_text(part, "type")
    if kind == "image" or kind == "image_url" then
      control(out, "<|kimi_image_placeholder|>")
    else
      plain(out, chat.get_text(part, "text"))
    end
  end
end

local function declare(out, tools, added)
  local head = added and "## New Tools Available\n" ..
    "The system dynamically extends the toolset via lazy-loading.\n" ..
    "You have access to all existing and extended tools.\n" ..
    "Here are the specs for the extended tools.\n\n"
    or "# Tools\nHere are the available tools, described in JSONSchema.\n\n"
  notice(out, "tool-declare", head .. "```json\n" .. chat.json(tools, true) .. "\n```")
end

local function effort(out, options)
  local given = chat.get(options, "thinking_effort")
  if not given then return end
  local name = chat.text(given)
  if name ~= "low" and name ~= "high" and name ~= "max" then
    error("thinking_effort '" .. name .. "' is not one of high, low, max")
  end
  notice(out, "thinking-effort",
    "`thinking_effort` guides on how much to think in your thinking channel (not including the " ..
    "response channel), supported values include `low`, `medium`, `high`, and `max`.\n" ..
    "Now the system is invoked with `thinking_effort=" .. name .. "`.")
end

local kTypes = {
  string = "string", number = "number", boolean = "boolean", null = "null", object = "object",
  array = "array",
}

local function arguments(out, call)
  local given = chat.get(call, "arguments")
  if given == nil then return end
  local parsed = given
  if chat.kind(given) == "string" then
    local text = chat.text(given)
    if host.strip(text) == "" then return end
    parsed = chat.parse(text)
    if parsed == nil then
      open(out, "json", { { "type", "object" } })
      plain(out, text)
      return close(out, "json")
    end
  end
  if chat.kind(parsed) ~= "object" then error("the arguments of a call must be a JSON object") end
  for _, key in ipairs(chat.keys(parsed)) do
    local value = host.get { parsed, key }
    local kind = kTypes[chat.kind(value)]
    open(out, "argument", { { "key", key }, { "type", kind } })
    plain(out, kind == "string" and chat.text(value) or chat.json(value))
    close(out, "argument")
  end
end

local function assistant(out, message, thinking)
  open(out, "message", { { "role", "assistant" } })
  if thinking then
    open(out, "think")
    local reasoning = chat.get_text(message, "reasoning_content")
    if reasoning == "" then reasoning = chat.get_text(message, "reasoning") end
    if host.strip(reasoning) ~= "" then plain(out, reasoning) end
    close(out, "think")
  end
  open(out, "response")
  content(out, chat.get(message, "content"))
  close(out, "response")
  local calls = chat.items(chat.get(message, "tool_calls"))
  if #calls > 0 then
    open(out, "tools")
    for i, item in ipairs(calls) do
      local call = chat.get(item, "function")
      open(out, "call", { { "tool", chat.get_text(call, "name") }, { "index", tostring(i) } })
      arguments(out, call)
      close(out, "call")
    end
    close(out, "tools")
  end
  end_message(out)
end

-- Where the calls of an assistant's message stand, by their ids.
local function call_table(message)
  local places, names = {}, {}
  for i, item in ipairs(chat.items(chat.get(message, "tool_calls"))) do
    local name = chat.get_text(chat.get(item, "function"), "name")
    names[i] = name
    local id = chat.get_text(item, "id")
    if id ~= "" and not places[id] then places[id] = { place = i, name = name } end
  end
  return places, names
end

-- Runs of results in the order of their calls; one unknown id leaves a run as it is.
local function matched(messages)
  local out, places, run = {}, {}, {}
  local function flush()
    local known = true
    for _, entry in ipairs(run) do known = known and entry.place ~= nil end
    if known then
      table.sort(run, function(a, b)
        if a.place ~= b.place then return a.place < b.place end
        return a.number < b.number
      end)
    end
    for _, entry in ipairs(run) do out[#out + 1] = entry end
    run = {}
  end
  for i, message in ipairs(chat.items(messages)) do
    local role = chat.get_text(message, "role")
    local entry = { role = role, message = message, number = i }
    if role == "tool" then
      local id = chat.get_text(message, "tool_call_id")
      if id == "" then id = chat.get_text(message, "id") end
      local found = places[id]
      entry.place = found and found.place
      entry.name = found and found.name
      run[#run + 1] = entry
    else
      flush()
      if role == "assistant" then
        places, entry.names = call_table(message)
      end
      out[#out + 1] = entry
    end
  end
  flush()
  return out
end

local function tool(out, entry, state)
  state.results = state.results + 1
  local name = entry.name
  if not name then name = chat.get_text(entry.message, "tool") end
  if name == "" then name = chat.get_text(entry.message, "name") end
  if name == "" then name = state.names[state.results] or "" end
  if name == "" then error("message " .. entry.number .. " is a result without the name of a tool") end
  open(out, "message", { { "role", "tool" }, { "tool", name }, { "index", tostring(state.results) } })
  content(out, chat.get(entry.message, "content"))
  end_message(out)
end

local function named(out, role, message)
  local attributes = { { "role", role } }
  local name = chat.get_text(message, "name")
  if name ~= "" then attributes[2] = { "name", name } end
  open(out, "message", attributes)
  content(out, chat.get(message, "content"))
  end_message(out)
end

local function after_messages(out, options)
  local choice = chat.get_text(options, "tool_choice")
  if choice == "required" or choice == "none" then
    notice(out, "tool-choice", "The system is invoked with `tool_choice=" .. choice .. "`.\n" ..
      (choice == "none" and "You MUST NOT call any tools in the next message."
        or "You MUST call tools in the next message."))
  end
  local format = chat.get(options, "response_format")
  local kind = chat.get_text(format, "type")
  if kind ~= "json_object" and kind ~= "json_schema" then return end
  local text = "The system is invoked with `response_format=" .. kind .. "`.\n" ..
    "Your response must be raw JSON data without markdown code blocks (```json) or any additional " ..
    "formatting."
  if kind == "json_schema" then
    text = text .. "\nThe JSON data must match the following schema:\n```json\n" ..
      chat.json(chat.get(chat.get(format, "json_schema"), "schema"), true) .. "\n```"
  end
  notice(out, "response-format", text)
end

local function render(input)
  local options = input.options
  local out = {}
  local thinking = chat.flag(options, "thinking", true)
  if chat.size(input.tools) > 0 then declare(out, input.tools, false) end
  if thinking then effort(out, options) end
  local state = { results = 0, names = {} }
  for _, entry in ipairs(matched(input.messages)) do
    local message = entry.message
    if entry.role == "assistant" then
      assistant(out, message, thinking)
      state = { results = 0, names = entry.names }
    elseif entry.role == "tool" then
      tool(out, entry, state)
    elseif entry.role == "system" and chat.size(chat.get(message, "tools")) > 0 then
      declare(out, chat.get(message, "tools"), true)
    elseif entry.role == "system" or entry.role == "user" then
      named(out, entry.role, message)
    end
  end
  after_messages(out, options)
  if input.generate then
    open(out, "message", { { "role", "assistant" } })
    open(out, thinking and "think" or "response")
  end
  return out
end

return {
  render = render,
  reply = "kimi-k3",
  tools = "argument",
  options = {
    { name = "thinking", kind = "boolean", default = true },
    { name = "thinking_effort", kind = "text", values = { "low", "high", "max" } },
    { name = "tool_choice", kind = "text", values = { "required", "none" } },
    { name = "response_format", kind = "object" },
  },
}
