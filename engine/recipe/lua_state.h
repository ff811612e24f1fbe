// SPDX-License-Identifier: Apache-2.0
// A Lua interpreter that can only compute: no files, no system, no foreign code, and budgets for
// instructions and memory. The only way in and out are values and the functions bound here.
//
// Of Lua's own library it has ipairs, pairs, next, select, type, tonumber, tostring, assert, error,
// most of math, and those functions of string and table whose time is bounded by their result:
// no patterns, no string.rep, no metatables, no coroutines, no pcall (a budget's error must not be
// caught).
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "engine/base/cancel_token.h"
#include "engine/base/json.h"
#include "engine/base/result.h"

namespace fl::recipe {

struct LuaLimits {
    std::int64_t instructions = 50'000'000;
    std::int64_t bytes = std::int64_t{64} << 20;
    CancelToken cancel = {};  // looked at every thousand instructions
};

struct LuaSource {
    std::string file;  // for messages: "llama.lua"
    std::string text;  // source text, never a compiled chunk
};

struct LuaData;

class LuaState {
public:
    // Lua values cross as Json: nil as null, a table with a first item as array, else as object
    // (its members sorted by key; a table with other keys is an error). An empty table is an array.
    using HostFunction = std::function<Result<Json>(const Json& argument)>;
    // The text behind `require "name"`; an error there is an error in the script.
    using ModuleSource = std::function<Result<LuaSource>(const std::string& name)>;

    static Result<LuaState> create(const LuaLimits& limits, ModuleSource modules);
    LuaState(LuaState&&) noexcept;
    LuaState& operator=(LuaState&&) noexcept;
    ~LuaState();

    // Makes host.<name>(argument). An error it returns becomes a Lua error with file and line.
    void bind(const std::string& name, HostFunction function);

    // require(module)[function](argument). Errors name file and line: InvalidArgument for what the
    // script did, OutOfMemory and Timeout for spent budgets, Cancelled. The state is of no use
    // afterwards.
    Result<Json> call(const std::string& module, const std::string& function, const Json& argument);

private:
    explicit LuaState(std::unique_ptr<LuaData> data);
    std::unique_ptr<LuaData> data_;
};

}  // namespace fl::recipe
