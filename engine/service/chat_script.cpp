// SPDX-License-Identifier: Apache-2.0
#include "engine/service/chat_script.h"

#include <deque>
#include <utility>

#include "engine/recipe/lua_state.h"
#include "engine/recipe/recipe_set.h"
#include "engine/tokenizer/python_text.h"

namespace fl::service {

namespace {

// Runs in front of the module, so that it is called with handles and its table with functions in it
// never has to cross the border.
constexpr const char* kDriver = R"(
local driver = {}
function driver.facts(name)
  local module = require(name)
  return { reply = module.reply, options = module.options }
end
function driver.render(input)
  local module = require(input.module)
  return module.render {
    messages = module.tools == "message" and input.with_tools or input.messages,
    tools = input.tools, options = input.options,
    generate = input.generate,
  }
end
return driver
)";

// Values that a script looks at by handles, from 1; they live as long as the rendering.
class Values {
public:
    int add(Json value) {
        own_.push_back(std::move(value));
        return show(own_.back());
    }

    void bindTo(recipe::LuaState& state) {
        using Host = Result<Json> (Values::*)(const Json&);
        constexpr std::pair<const char*, Host> kFunctions[] = {
            {"get", &Values::get},     {"kind", &Values::kind},  {"text", &Values::text},
            {"size", &Values::size},   {"keys", &Values::keys},  {"json", &Values::json},
            {"parse", &Values::parse}, {"strip", &Values::strip}};
        for (const auto& [name, function] : kFunctions)
            state.bind(name, [this, function = function](const Json& argument) {
                return (this->*function)(argument);
            });
    }

private:
    Result<const Json*> at(const Json& handle) const {
        const std::int64_t number = handle.integer(0);
        if (number < 1 || number > static_cast<std::int64_t>(values_.size()))
            return Error{ErrorCode::InvalidArgument, "there is no value with that handle"};
        return values_[static_cast<std::size_t>(number - 1)];
    }

    int show(const Json& value) {
        values_.push_back(&value);
        return static_cast<int>(values_.size());
    }

    Result<Json> get(const Json& argument) {
        if (argument.items().size() != 2)
            return Error{ErrorCode::InvalidArgument, "get takes a value and a key"};
        FL_TRY(const Json* value, at(argument.items()[0]));
        const Json& key = argument.items()[1];
        const Json* found = nullptr;
        if (key.isString() && value->isObject())
            found = value->find(key.string());
        else if (key.isInteger() && value->isArray() && key.integer() >= 1 &&
                 key.integer() <= static_cast<std::int64_t>(value->size()))
            found = &value->items()[static_cast<std::size_t>(key.integer() - 1)];
        if (found == nullptr)
            return Json();
        return Json(std::int64_t{show(*found)});
    }

    Result<Json> kind(const Json& handle) {
        FL_TRY(const Json* value, at(handle));
        return Json(value->isString()   ? "string"
                    : value->isBool()   ? "boolean"
                    : value->isObject() ? "object"
                    : value->isArray()  ? "array"
                    : value->isNull()   ? "null"
                                        : "number");
    }

    Result<Json> text(const Json& handle) {
        FL_TRY(const Json* value, at(handle));
        return Json(tokenizer::pythonText(*value));
    }

    Result<Json> size(const Json& handle) {
        FL_TRY(const Json* value, at(handle));
        return Json(
            static_cast<std::int64_t>(value->isArray() || value->isObject() ? value->size() : 0));
    }

    Result<Json> keys(const Json& handle) {
        FL_TRY(const Json* value, at(handle));
        Json out = Json::array();
        for (const auto& [key, member] : value->members())
            out.push(key);
        return out;
    }

    Result<Json> json(const Json& argument) {
        if (argument.items().size() != 2)
            return Error{ErrorCode::InvalidArgument, "json takes a value and a flag"};
        FL_TRY(const Json* value, at(argument.items()[0]));
        FL_TRY(std::string text, tokenizer::pythonJson(*value, argument.items()[1].boolean()));
        return Json(std::move(text));
    }

    Result<Json> parse(const Json& text) {
        auto parsed = Json::parse(text.string());
        if (!parsed)
            return Json();
        return Json(std::int64_t{add(*std::move(parsed))});
    }

    Result<Json> strip(const Json& text) { return Json(tokenizer::pythonStrip(text.string())); }

    std::deque<Json> own_;             // adding moves none
    std::vector<const Json*> values_;  // those and what lies in them
};

Result<recipe::LuaState> openState(const std::string& resources, const CancelToken& cancel) {
    recipe::LuaLimits limits;
    limits.cancel = cancel;
    auto modules = recipe::moduleSource(resources, "");
    return recipe::LuaState::create(
        limits, [modules](const std::string& name) -> Result<recipe::LuaSource> {
            if (name == "driver")
                return recipe::LuaSource{"chat driver", kDriver};
            return modules(name);
        });
}

protocol::TemplateOption optionOf(const Json& described) {
    protocol::TemplateOption out;
    out.name = described["name"].string();
    out.kind = described["kind"].string();
    out.fallback = described["default"];
    for (const Json& value : described["values"].items())
        out.values.push_back(value.string());
    return out;
}

// Scripts that know tools by a message find them in the first one, which is the system's.
Json withTools(const Json& messages, const Json& tools) {
    Json out = Json::array();
    const bool hasSystem = messages.item(0)["role"].string() == "system";
    if (!hasSystem)
        out.push(Json::object().set("role", "system").set("content", "").set("tools", tools));
    for (const Json& each : messages.items()) {
        Json message = each;
        if (out.size() == 0)
            message.set("tools", tools);
        out.push(std::move(message));
    }
    return out;
}

}  // namespace

Result<ScriptFacts> scriptFacts(const std::string& resources, const std::string& module) {
    FL_TRY(auto state, openState(resources, {}));
    Values values;
    values.bindTo(state);
    FL_TRY(const Json said, state.call("driver", "facts", Json(module)));
    ScriptFacts out;
    out.reply = said["reply"].string();
    for (const Json& option : said["options"].items())
        out.options.push_back(optionOf(option));
    return out;
}

Result<std::vector<PromptPart>> runChatScript(const std::string& resources,
                                              const std::string& module,
                                              const ScriptInput& input,
                                              const CancelToken& cancel) {
    FL_TRY(auto state, openState(resources, cancel));
    Values values;
    values.bindTo(state);
    Json options = Json::object();
    if (!input.options.isNull())
        options = input.options;
    Json given = Json::object();
    given.set("module", module);
    given.set("messages", values.add(input.messages));
    if (input.tools.size() > 0)
        given.set("with_tools", values.add(withTools(input.messages, input.tools)));
    if (!input.tools.isNull())
        given.set("tools", values.add(input.tools));
    given.set("options", values.add(std::move(options)));
    given.set("generate", input.generate);
    FL_TRY(const Json parts, state.call("driver", "render", given));
    std::vector<PromptPart> out;
    for (const Json& part : parts.items())
        out.push_back({part["text"].string(), part["control"].boolean()});
    return out;
}

}  // namespace fl::service
