// SPDX-License-Identifier: Apache-2.0
// Lua reports errors by longjmp, which skips destructors: functions that Lua calls keep their C++
// objects in LuaData, never on their own stack, while they call into Lua.
#include "engine/recipe/lua_state.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <utility>
#include <vector>

#include <fmt/core.h>
#include <lua.hpp>

#include "engine/base/text.h"

namespace fl::recipe {

struct LuaData {
    LuaLimits limits;
    LuaState::ModuleSource modules;
    std::vector<LuaState::HostFunction> functions;

    std::int64_t bytes = 0;
    std::int64_t instructions = 0;
    bool outOfInstructions = false;
    std::array<char, LUA_IDSIZE> file{};  // where the script is
    int line = 0;

    // What the functions called by Lua work on.
    LuaSource source;
    Json argument;
    Json result;
    std::string module;
    std::string function;
    std::string problem;

    std::unique_ptr<lua_State, void (*)(lua_State*)> state{nullptr, lua_close};
};

namespace {

constexpr int kHookInterval = 1000;
constexpr int kMaxDepth = 32;  // of tables that cross the border
constexpr const char* kModules = "firstlight.modules";

LuaData& dataOf(lua_State* lua) {
    void* data = nullptr;
    lua_getallocf(lua, &data);
    return *static_cast<LuaData*>(data);
}

// Lua's allocator: realloc with a budget.
void* allocate(void* context, void* block, std::size_t before, std::size_t after) {
    LuaData& data = *static_cast<LuaData*>(context);
    const auto had = block == nullptr ? 0 : static_cast<std::int64_t>(before);
    if (after == 0) {
        data.bytes -= had;
        std::free(block);  // NOLINT(cppcoreguidelines-owning-memory): Lua owns it
        return nullptr;
    }
    const std::int64_t total = data.bytes - had + static_cast<std::int64_t>(after);
    if (total > data.limits.bytes && static_cast<std::int64_t>(after) > had)
        return nullptr;
    void* grown = std::realloc(block, after);  // NOLINT(cppcoreguidelines-owning-memory)
    if (grown)
        data.bytes = total;
    return grown;
}

// Remembers the line, for errors that Lua reports without one, and counts instructions.
void onHook(lua_State* lua, lua_Debug* event) {
    LuaData& data = dataOf(lua);
    if (event->event == LUA_HOOKLINE) {
        lua_getinfo(lua, "S", event);
        std::memcpy(data.file.data(), event->short_src, data.file.size());
        data.line = event->currentline;
        return;
    }
    if (data.limits.cancel.cancelled())
        luaL_error(lua, "cancelled");
    data.instructions += kHookInterval;
    if (data.instructions <= data.limits.instructions)
        return;
    data.outOfInstructions = true;
    lua_pushfstring(lua, "%s:%d: still running after %d million instructions", data.file.data(),
                    data.line, static_cast<int>(data.limits.instructions / 1'000'000));
    lua_error(lua);
}

int raise(lua_State* lua, const std::string& problem) {
    luaL_where(lua, 1);
    lua_pushlstring(lua, problem.data(), problem.size());
    lua_concat(lua, 2);
    return lua_error(lua);
}

// Only trivial locals: pushing may run out of memory.
void push(lua_State* lua, const Json& value) {
    luaL_checkstack(lua, 4, "value too deep");
    if (value.isBool()) {
        lua_pushboolean(lua, value.boolean() ? 1 : 0);
    } else if (value.isInteger()) {
        lua_pushinteger(lua, value.integer());
    } else if (value.isNumber()) {
        lua_pushnumber(lua, value.number());
    } else if (value.isString()) {
        lua_pushlstring(lua, value.string().data(), value.string().size());
    } else if (value.isArray()) {
        lua_createtable(lua, static_cast<int>(value.size()), 0);
        lua_Integer index = 0;
        for (const Json& item : value.items()) {
            push(lua, item);
            lua_rawseti(lua, -2, ++index);
        }
    } else if (value.isObject()) {
        lua_createtable(lua, 0, static_cast<int>(value.size()));
        for (const auto& member : value.members()) {
            push(lua, member.second);
            lua_setfield(lua, -2, member.first.c_str());
        }
    } else {
        lua_pushnil(lua);
    }
}

// Reads without a call that could raise an error.
class Reader {
public:
    Reader(lua_State* lua, std::string& problem) : lua_(lua), problem_(problem) {}

    bool read(int index, int depth, Json& out) {
        switch (lua_type(lua_, index)) {
            case LUA_TNIL:
            case LUA_TNONE:
                out = Json();
                return true;
            case LUA_TBOOLEAN:
                out = Json(lua_toboolean(lua_, index) != 0);
                return true;
            case LUA_TNUMBER:
                out = lua_isinteger(lua_, index) ? Json(std::int64_t{lua_tointeger(lua_, index)})
                                                 : Json(double{lua_tonumber(lua_, index)});
                return true;
            case LUA_TSTRING:
                out = Json(text(index));
                return true;
            case LUA_TTABLE:
                return table(lua_absindex(lua_, index), depth, out);
            default:
                problem_ = fmt::format("a {} cannot be given to the engine",
                                       lua_typename(lua_, lua_type(lua_, index)));
                return false;
        }
    }

private:
    std::string text(int index) {
        std::size_t size = 0;
        const char* characters = lua_tolstring(lua_, index, &size);
        return {characters, size};
    }

    bool table(int index, int depth, Json& out) {
        if (depth >= kMaxDepth || !lua_checkstack(lua_, 4)) {
            problem_ = "a table is nested too deep";
            return false;
        }
        const auto count = static_cast<std::int64_t>(lua_rawlen(lua_, index));
        return count > 0 ? array(index, count, depth, out) : object(index, depth, out);
    }

    bool array(int index, std::int64_t count, int depth, Json& out) {
        Json::Array items(static_cast<std::size_t>(count));
        for (std::int64_t i = 0; i < count; ++i) {
            lua_rawgeti(lua_, index, i + 1);
            if (!read(-1, depth + 1, items[static_cast<std::size_t>(i)]))
                return false;
            lua_pop(lua_, 1);
        }
        out = Json(std::move(items));
        return true;
    }

    bool object(int index, int depth, Json& out) {
        Json::Object members;
        lua_pushnil(lua_);
        while (lua_next(lua_, index) != 0) {
            if (lua_type(lua_, -2) != LUA_TSTRING) {
                problem_ = "a table mixes names and other keys";
                return false;
            }
            members.emplace_back(text(-2), Json());
            if (!read(-1, depth + 1, members.back().second))
                return false;
            lua_pop(lua_, 1);
        }
        // Lua's own order changes from run to run.
        std::sort(members.begin(), members.end(),
                  [](const auto& a, const auto& b) { return a.first < b.first; });
        out = members.empty() ? Json::array() : Json(std::move(members));
        return true;
    }

    lua_State* lua_;
    std::string& problem_;
};

bool readValue(lua_State* lua, LuaData& data, int index, Json& out) noexcept {
    try {
        return Reader(lua, data.problem).read(index, 0, out);
    } catch (const std::exception& e) {
        data.problem = e.what();
        return false;
    }
}

bool runHost(lua_State* lua, LuaData& data, std::size_t index) noexcept {
    try {
        if (!Reader(lua, data.problem).read(1, 0, data.argument))
            return false;
        Result<Json> result = data.functions[index](data.argument);
        if (!result) {
            data.problem = result.error().message;
            return false;
        }
        data.result = *std::move(result);
        return true;
    } catch (const std::exception& e) {
        data.problem = e.what();
        return false;
    }
}

int callHost(lua_State* lua) {
    LuaData& data = dataOf(lua);
    const auto index = static_cast<std::size_t>(lua_tointeger(lua, lua_upvalueindex(1)));
    if (!runHost(lua, data, index))
        return raise(lua, data.problem);
    push(lua, data.result);
    return 1;
}

bool fetchModule(LuaData& data, const char* name) noexcept {
    try {
        Result<LuaSource> source = data.modules(name);
        if (!source) {
            data.problem = source.error().message;
            return false;
        }
        data.source = *std::move(source);
        data.source.file.insert(0, 1, '@');  // Lua's sign for a file's name
        return true;
    } catch (const std::exception& e) {
        data.problem = e.what();
        return false;
    }
}

// require(name): runs a module once and keeps what it returned.
int requireModule(lua_State* lua) {
    LuaData& data = dataOf(lua);
    const char* name = luaL_checkstring(lua, 1);
    lua_getfield(lua, LUA_REGISTRYINDEX, kModules);
    lua_getfield(lua, -1, name);
    if (lua_isboolean(lua, -1))
        return luaL_error(lua, "module '%s' requires itself", name);
    if (!lua_isnil(lua, -1))
        return 1;
    lua_pop(lua, 1);
    lua_pushboolean(lua, 0);
    lua_setfield(lua, -2, name);
    if (!fetchModule(data, name))
        return raise(lua, data.problem);
    const std::string& text = data.source.text;
    if (luaL_loadbufferx(lua, text.data(), text.size(), data.source.file.c_str(), "t") != LUA_OK) {
        const char* file = data.source.file.c_str() + 1;
        const char* message = lua_tostring(lua, -1);
        const bool located = std::strncmp(message, file, std::strlen(file)) == 0;
        if (!located)
            lua_pushfstring(lua, "%s: %s", file, message);
        return lua_error(lua);
    }
    lua_call(lua, 0, 1);
    lua_pushvalue(lua, -1);
    lua_setfield(lua, -3, name);
    return 1;
}

// Copies `names` of the table on top of the stack into a new one, which replaces it.
void keepOnly(lua_State* lua, std::initializer_list<const char*> names) {
    lua_newtable(lua);
    for (const char* name : names) {
        lua_getfield(lua, -2, name);
        lua_setfield(lua, -2, name);
    }
    lua_remove(lua, -2);
}

// The globals of the script, as lua_state.h lists them.
int setUp(lua_State* lua) {
    lua_newtable(lua);
    lua_setfield(lua, LUA_REGISTRYINDEX, kModules);
    luaL_requiref(lua, "_G", luaopen_base, 1);
    keepOnly(lua, {"assert", "error", "ipairs", "next", "pairs", "select", "tonumber", "tostring",
                   "type"});
    luaL_requiref(lua, "math", luaopen_math, 0);
    keepOnly(lua, {"abs", "ceil", "cos", "exp", "floor", "fmod", "huge", "log", "max", "maxinteger",
                   "min", "mininteger", "modf", "pi", "sin", "sqrt", "tan", "tointeger", "type"});
    lua_setfield(lua, -2, "math");
    luaL_requiref(lua, "table", luaopen_table, 0);
    keepOnly(lua, {"concat", "insert", "pack", "remove", "sort", "unpack"});
    lua_setfield(lua, -2, "table");
    luaL_requiref(lua, "string", luaopen_string, 0);
    keepOnly(lua, {"byte", "char", "format", "len", "lower", "reverse", "sub", "upper"});
    lua_pushliteral(lua, "");
    lua_getmetatable(lua, -1);  // ("x"):len() looks here
    lua_pushvalue(lua, -3);
    lua_setfield(lua, -2, "__index");
    lua_pop(lua, 2);
    lua_setfield(lua, -2, "string");
    lua_pushcfunction(lua, requireModule);
    lua_setfield(lua, -2, "require");
    lua_newtable(lua);
    lua_setfield(lua, -2, "host");
    lua_rawseti(lua, LUA_REGISTRYINDEX, LUA_RIDX_GLOBALS);
    lua_settop(lua, 0);
    return 0;
}

int bindHost(lua_State* lua) {
    LuaData& data = dataOf(lua);
    lua_getglobal(lua, "host");
    lua_pushinteger(lua, static_cast<lua_Integer>(data.functions.size()) - 1);
    lua_pushcclosure(lua, callHost, 1);
    lua_setfield(lua, -2, data.function.c_str());
    return 0;
}

int enter(lua_State* lua) {
    LuaData& data = dataOf(lua);
    lua_pushcfunction(lua, requireModule);
    lua_pushstring(lua, data.module.c_str());
    lua_call(lua, 1, 1);
    lua_getfield(lua, -1, data.function.c_str());
    push(lua, data.argument);
    lua_call(lua, 1, 1);
    if (!readValue(lua, data, -1, data.result))
        return raise(lua, data.problem);
    return 0;
}

Error failure(lua_State* lua, LuaData& data, int status) {
    if (status == LUA_ERRMEM) {
        const std::string place =
            data.line > 0 ? fmt::format("{}:{}", data.file.data(), data.line) : data.module;
        return {ErrorCode::OutOfMemory,
                fmt::format("{}: needs more than {}", place, formatBytes(data.limits.bytes))};
    }
    if (const Status fine = data.limits.cancel.check("recipe"); !fine)
        return fine.error();
    const char* text = lua_tostring(lua, -1);
    const ErrorCode code = data.outOfInstructions ? ErrorCode::Timeout : ErrorCode::InvalidArgument;
    return {code, text ? text : "error without a text"};
}

Status protectedCall(LuaData& data, lua_CFunction function) {
    lua_State* lua = data.state.get();
    lua_settop(lua, 0);
    lua_pushcfunction(lua, function);
    const int status = lua_pcall(lua, 0, 0, 0);
    if (status != LUA_OK)
        return failure(lua, data, status);
    return Done{};
}

}  // namespace

LuaState::LuaState(std::unique_ptr<LuaData> data) : data_(std::move(data)) {}
LuaState::LuaState(LuaState&&) noexcept = default;
LuaState& LuaState::operator=(LuaState&&) noexcept = default;
LuaState::~LuaState() = default;

Result<LuaState> LuaState::create(const LuaLimits& limits, ModuleSource modules) {
    auto data = std::make_unique<LuaData>();
    data->limits = limits;
    data->modules = std::move(modules);
    data->module = "set-up";
    data->state.reset(lua_newstate(allocate, data.get()));
    if (!data->state)
        return Error{ErrorCode::OutOfMemory, "no memory for a Lua state"};
    FL_DO(protectedCall(*data, setUp));
    lua_sethook(data->state.get(), onHook, LUA_MASKCOUNT | LUA_MASKLINE, kHookInterval);
    return LuaState(std::move(data));
}

void LuaState::bind(const std::string& name, HostFunction function) {
    data_->functions.push_back(std::move(function));
    data_->function = name;
    // Cannot fail within the memory that a fresh state is given.
    (void)protectedCall(*data_, bindHost);
}

Result<Json> LuaState::call(const std::string& module,
                            const std::string& function,
                            const Json& argument) {
    data_->module = module;
    data_->function = function;
    data_->argument = argument;
    FL_DO(protectedCall(*data_, enter));
    return std::move(data_->result);
}

}  // namespace fl::recipe
