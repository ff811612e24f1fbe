-- SPDX-License-Identifier: Apache-2.0
-- How DeepSeek-V3.2 is prompted: the rules of its own script, since it ships no template.
local chat = require "firstlight.chat"
local dsml = require "firstlight.chat_dsml"

local kTools = [[
## Tools
You have access to a set of tools you can use to answer the user's question.
You can invoke functions by writing a "<｜DSML｜function_calls>" block like the following as part of your reply to the user:
<｜DSML｜function_calls>
<｜DSML｜invoke name="$FUNCTION_NAME">
<｜DSML｜parameter name="$PARAMETER_NAME" string="true|false">$PARAMETER_VALUE</｜DSML｜parameter>
...
</｜DSML｜invoke>
<｜DSML｜invoke name="$FUNCTION_NAME2">
...
</｜DSML｜invoke>
</｜DSML｜function_calls>
String and scalar parameters should be specified as is without any escaping or quotes, while lists and objects should use JSON format. The "string" attribute should be set to "true" for string type parameters and "false" for other types (numbers, booleans, arrays, objects).
If the thinking_mode is enabled, then after function results you should strongly consider outputting a thinking block. Here is an example:
<｜DSML｜function_calls>
...
</｜DSML｜function_calls>
<function_results>
...
</function_results>
<think>...thinking about results</think>
Here are the functions available in JSONSchema format:
<functions>
]]
local kToolsEnd = "\n</functions>\n"

local function read(list, out)
  for _, message in ipairs(chat.items(list)) do
    out[#out + 1] = { role = chat.get_text(message, "role"), message = message }
  end
  return out
end

local kKept = { user = true, system = true, tool = true }

local function dropped(messages)
  local last = dsml.last_user(messages)
  local out = {}
  for i, entry in ipairs(messages) do
    if i >= last or kKept[entry.role] then
      out[#out + 1] = entry
    elseif entry.role == "assistant" then
      out[#out + 1] = { role = "assistant", message = entry.message, silent = true }
    end
  end
  return out
end

local function tools_section(message)
  local tools = chat.get(message, "tools")
  if chat.size(tools) == 0 then return "" end
  return "\n\n" .. kTools .. dsml.schemas(tools) .. kToolsEnd
end

local function user_turn(c, index, text)
  return dsml.user .. text .. dsml.assistant ..
    (index == c.last and c.thinking and "<think>" or "</think>")
end

local function developer_turn(c, index, message)
  local content = chat.get_text(message, "content")
  if content == "" then error("a developer message needs content") end
  return user_turn(c, index, tools_section(message) .. dsml.response_format(message) ..
    "\n\n# The user's message is: " .. content)
end

local function tool_turn(c, index)
  local before = index - 1
  while before >= 1 and c.messages[before].role == "tool" do before = before - 1 end
  local caller = c.messages[before]
  local place = index - before
  local calls = caller and caller.role == "assistant" and
    chat.size(chat.get(caller.message, "tool_calls")) or 0
  if place > calls then error("message " .. index .. " is the result of no call") end
  local out = place == 1 and "\n\n<function_results>" or ""
  local content = host.get { c.messages[index].message, "content" }
  out = out .. "\n<result>" .. (content and host.text(content) or "None") .. "</result>"
  if place < calls then return out end
  return out .. "\n</function_results>" ..
    (c.thinking and index >= c.last and "\n\n<think>" or "\n\n</think>")
end

local function assistant_turn(c, index)
  local entry = c.messages[index]
  local message = entry.message
  local calls = dsml.calls(message, "function_calls", true)
  local reasoning = ""
  if c.thinking and index > c.last then
    local text = entry.silent and "" or chat.get_text(message, "reasoning_content")
    if text == "" and calls == "" then
      error("message " .. index .. " has neither reasoning nor calls, after the last user message")
    end
    reasoning = text .. "</think>"
  end
  return reasoning .. chat.get_text(message, "content") .. calls .. dsml.eos
end

local function turn(c, index)
  local entry = c.messages[index]
  if not entry then error("message " .. index .. " was dropped, but is to be written") end
  local message = entry.message
  if entry.role == "system" then
    return chat.get_text(message, "content") .. tools_section(message) ..
      dsml.response_format(message)
  end
  if entry.role == "user" then
    return user_turn(c, index, chat.get_text(message, "content"))
  end
  if entry.role == "developer" then return developer_turn(c, index, message) end
  if entry.role == "tool" then return tool_turn(c, index) end
  if entry.role == "assistant" then return assistant_turn(c, index) end
  error("unknown role '" .. entry.role .. "'")
end

local function render(input)
  local options = input.options
  local context = chat.get(options, "context")
  local all = read(input.messages, read(context, {}))
  local c = { thinking = dsml.mode(options), messages = all }
  local count = #all
  if c.thinking and chat.flag(options, "drop_thinking", true) then c.messages = dropped(all) end
  c.last = dsml.last_user(c.messages)
  local first = chat.size(context) + 1
  local out = {}
  if first == 1 and chat.flag(options, "add_default_bos_token", true) then out[1] = dsml.bos end
  for i = first, count do out[#out + 1] = turn(c, i) end
  return { { text = chat.join(out), control = true } }
end

return {
  render = render, reply = "deepseek-v3.2", tools = "message", options = dsml.common_options,
}
