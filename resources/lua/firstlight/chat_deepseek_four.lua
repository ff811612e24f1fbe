-- SPDX-License-Identifier: Apache-2.0
-- How DeepSeek-V4 is prompted: the rules of its own script, since it ships no template.
local chat = require "firstlight.chat"
local dsml = require "firstlight.chat_dsml"

local kTools = [[
## Tools

You have access to a set of tools to help answer the user's question. You can invoke tools by writing a "<｜DSML｜tool_calls>" block like the following:

<｜DSML｜tool_calls>
<｜DSML｜invoke name="$TOOL_NAME">
<｜DSML｜parameter name="$PARAMETER_NAME" string="true|false">$PARAMETER_VALUE</｜DSML｜parameter>
...
</｜DSML｜invoke>
<｜DSML｜invoke name="$TOOL_NAME2">
...
</｜DSML｜invoke>
</｜DSML｜tool_calls>

String parameters should be specified as is and set `string="true"`. For all other types (numbers, booleans, arrays, objects), pass the value in JSON format and set `string="false"`.

If thinking_mode is enabled (triggered by <think>), you MUST output your complete reasoning inside <think>...</think> BEFORE any tool calls or final response.

Otherwise, output directly after </think> with tool calls or final response.

### Available Tool Schemas

]]
local kToolsEnd = [[
You MUST strictly follow the above defined tool name and parameter schemas to invoke tool calls.
]]
local kEffort = [[
Reasoning Effort: Absolute maximum with no shortcuts permitted.
You MUST be very thorough in your thinking and comprehensively decompose the problem to resolve the root cause, rigorously stress-testing your logic against all potential paths, edge cases, and adversarial scenarios.
Explicitly write out your entire deliberation process, documenting every intermediate step, considered alternative, and rejected hypothesis to ensure absolutely no assumption is left unchecked.

]]
local kTasks = {
  action = "<｜action｜>", query = "<｜query｜>", authority = "<｜authority｜>",
  domain = "<｜domain｜>", title = "<｜title｜>", read_url = "<｜read_url｜>",
}

-- Results of tools become user text, and user messages in a row one turn.
local function merged(list)
  local out = {}
  for _, message in ipairs(chat.items(list)) do
    local role = chat.get_text(message, "role")
    local last = out[#out]
    local open = last and last.blocks
    if role == "tool" then
      local block = {
        result = true, id = chat.get_text(message, "tool_call_id"),
        content = chat.get(message, "content"),
      }
      if not open then
        last = { role = "user", blocks = {} }
        out[#out + 1] = last
      end
      last.blocks[#last.blocks + 1] = block
    elseif role == "user" then
      local block = { content = chat.get(message, "content") }
      if not open or last.task then
        last = {
          role = "user", blocks = {}, task = chat.get(message, "task"),
          wo_eos = chat.flag(message, "wo_eos", false),
        }
        out[#out + 1] = last
      end
      last.blocks[#last.blocks + 1] = block
    else
      out[#out + 1] = {
        role = role, message = message, task = chat.get(message, "task"),
        wo_eos = chat.flag(message, "wo_eos", false),
      }
    end
  end
  return out
end

-- Results stand in the order of their calls.
local function ordered(messages)
  local places = {}
  for _, message in ipairs(messages) do
    local calls = message.role == "assistant" and chat.items(chat.get(message.message, "tool_calls"))
    if calls and #calls > 0 then
      places = {}
      for i, call in ipairs(calls) do
        local id = chat.get_text(call, "id")
        if id ~= "" then places[id] = i end
      end
    elseif message.blocks and next(places) ~= nil then
      local results, at = {}, {}
      for i, block in ipairs(message.blocks) do
        if block.result then
          results[#results + 1] = { block = block, place = places[block.id] or 1, number = i }
          at[#at + 1] = i
        end
      end
      if #results > 1 then
        table.sort(results, function(a, b)
          if a.place ~= b.place then return a.place < b.place end
          return a.number < b.number
        end)
        for i, place in ipairs(at) do message.blocks[place] = results[i].block end
      end
    end
  end
  return messages
end

local kKept = {
  user = true, system = true, tool = true, latest_reminder = true, direct_search_results = true,
}

local function dropped(messages)
  local last = dsml.last_user(messages)
  local out = {}
  for i, message in ipairs(messages) do
    if i >= last or kKept[message.role] then
      out[#out + 1] = message
    elseif message.role == "assistant" then
      out[#out + 1] = {
        role = "assistant", message = message.message, task = message.task,
        wo_eos = message.wo_eos, silent = true,
      }
    end
  end
  return out
end

local function sections(message)
  local out = ""
  local tools = chat.get(message, "tools")
  if chat.size(tools) > 0 then
    out = "\n\n" .. kTools .. dsml.schemas(tools) .. "\n\n" .. kToolsEnd
  end
  return out .. dsml.response_format(message)
end

local function result_text(content)
  if chat.kind(content) ~= "array" then return chat.text(content) end
  local parts = {}
  for i, part in ipairs(chat.items(content)) do
    local kind = chat.get_text(part, "type")
    parts[i] = kind == "text" and chat.get_text(part, "text") or "[Unsupported " .. kind .. "]"
  end
  return chat.join(parts, "\n\n")
end

local function user_text(message)
  local parts = {}
  for i, block in ipairs(message.blocks) do
    parts[i] = block.result and "<tool_result>" .. result_text(block.content) .. "</tool_result>"
      or chat.text(block.content)
  end
  return dsml.user .. chat.join(parts, "\n\n")
end

local function assistant_text(c, index)
  local entry = c.messages[index]
  local before = c.messages[index - 1]
  local reasoning = ""
  if c.thinking and not (before and before.task) and (not c.drop or index > c.last) then
    reasoning = (entry.silent and "" or chat.get_text(entry.message, "reasoning_content")) .. "</think>"
  end
  return reasoning .. chat.get_text(entry.message, "content") ..
    dsml.calls(entry.message, "tool_calls", false) .. (entry.wo_eos and "" or dsml.eos)
end

local function body(c, index)
  local entry = c.messages[index]
  if entry.role == "user" then return user_text(entry) end
  if entry.role == "assistant" then return assistant_text(c, index) end
  local content = chat.get_text(entry.message, "content")
  if entry.role == "system" then return content .. sections(entry.message) end
  if entry.role == "latest_reminder" then return "<｜latest_reminder｜>" .. content end
  if entry.role ~= "developer" then error("unknown role '" .. entry.role .. "'") end
  if content == "" then error("a developer message needs content") end
  return dsml.user .. content .. sections(entry.message)
end

local function turn_end(c, index)
  local entry = c.messages[index]
  local after = c.messages[index + 1]
  if after and after.role ~= "assistant" and after.role ~= "latest_reminder" then return "" end
  if entry.task then
    local task = kTasks[chat.text(entry.task)]
    if not task then error("unknown task '" .. chat.text(entry.task) .. "'") end
    if chat.text(entry.task) ~= "action" then return task end
    return dsml.assistant .. (c.thinking and "<think>" or "</think>") .. task
  end
  if entry.role ~= "user" and entry.role ~= "developer" then return "" end
  local opens = c.thinking and (not c.drop or index >= c.last)
  return dsml.assistant .. (opens and "<think>" or "</think>")
end

local function effort(c, options)
  local given = chat.get(options, "reasoning_effort")
  local name = given and chat.text(given) or ""
  if name ~= "" and name ~= "high" and name ~= "max" then
    error("reasoning_effort '" .. name .. "' is not one of high, max")
  end
  return name == "max" and c.thinking and kEffort or ""
end

local function carries_tools(messages)
  for _, entry in ipairs(messages) do
    if entry.message and chat.size(chat.get(entry.message, "tools")) > 0 then return true end
  end
  return false
end

local function render(input)
  local options = input.options
  local context = ordered(merged(chat.get(options, "context")))
  local messages = ordered(merged(input.messages))
  local all = {}
  for _, entry in ipairs(context) do all[#all + 1] = entry end
  for _, entry in ipairs(messages) do all[#all + 1] = entry end
  local c = { thinking = dsml.mode(options), messages = all }
  c.drop = chat.flag(options, "drop_thinking", true) and not carries_tools(all)
  local first = #context + 1
  if c.thinking and c.drop then
    c.messages = dropped(all)
    first = #dropped(context) + 1
  end
  c.last = dsml.last_user(c.messages)
  local out = {}
  if #context == 0 and chat.flag(options, "add_default_bos_token", true) then out[1] = dsml.bos end
  local strength = effort(c, options)
  for i = first, #c.messages do
    if i == 1 then out[#out + 1] = strength end
    out[#out + 1] = body(c, i)
    out[#out + 1] = turn_end(c, i)
  end
  return { { text = chat.join(out), control = true } }
end

return {
  render = render,
  reply = "deepseek-v4",
  tools = "message",
  options = {
    dsml.common_options[1],
    { name = "reasoning_effort", kind = "text", values = { "high", "max" } },
    dsml.common_options[2], dsml.common_options[3], dsml.common_options[4],
  },
}
