// SPDX-License-Identifier: Apache-2.0
#include "engine/recipe/lua_state.h"

#include <gtest/gtest.h>

namespace fl::recipe {

static Result<Json> run(const std::string& body, const LuaLimits& limits = {}) {
    auto state = LuaState::create(limits, [&](const std::string& name) -> Result<LuaSource> {
        if (name == "recipe")
            return LuaSource{"test.lua",
                             "local M = {}\nfunction M.go(a)\n" + body + "\nend\nreturn M"};
        if (name == "loop")
            return LuaSource{"loop.lua", "return require 'loop'"};
        return Error{ErrorCode::NotFound, "no module '" + name + "'"};
    });
    if (!state)
        return state.error();
    state->bind("twice", [](const Json& value) -> Result<Json> {
        if (!value.isInteger())
            return Error{ErrorCode::InvalidArgument, "expected a whole number"};
        return Json(2 * value.integer());
    });
    return state->call("recipe", "go", Json::object().set("n", 21));
}

static std::string failure(const std::string& body, const LuaLimits& limits = {}) {
    const auto result = run(body, limits);
    return result ? "no error: " + result->dump() : result.error().message;
}

TEST(LuaState, ValuesCrossBothWays) {
    const auto result =
        run("return { list = { 1, 2.5, 'x' }, empty = {}, n = host.twice(a.n), b = true }");
    ASSERT_TRUE(result) << result.error().message;
    EXPECT_EQ(result->dump(), R"({"b":true,"empty":[],"list":[1,2.5,"x"],"n":42})");
}

TEST(LuaState, ErrorsNameFileAndLine) {
    EXPECT_EQ(failure("error('no heads')"), "test.lua:3: no heads");
    EXPECT_EQ(failure("host.twice('x')"), "test.lua:3: expected a whole number");
    EXPECT_EQ(failure("local x = nil\nreturn x.y").substr(0, 11), "test.lua:4:");
    EXPECT_EQ(failure("return ((").substr(0, 9), "test.lua:");
    EXPECT_EQ(failure("return require('os')"), "test.lua:3: no module 'os'");
    EXPECT_EQ(failure("return require('loop')"), "loop.lua:1: module 'loop' requires itself");
    EXPECT_EQ(failure("return function() end"), "a function cannot be given to the engine");
}

TEST(LuaState, AnEndlessLoopSpendsItsBudget) {
    const auto result = run("while true do end", {.instructions = 2'000'000});
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().code, ErrorCode::Timeout);
    EXPECT_EQ(result.error().message, "test.lua:3: still running after 2 million instructions");
}

TEST(LuaState, AnEndlessLoopEndsOnceCancelled) {
    CancelSource source;
    LuaLimits limits;
    limits.cancel = source.token();
    auto state = LuaState::create(limits, [](const std::string&) -> Result<LuaSource> {
        return LuaSource{"test.lua",
                         "return { go = function() host.cancel() while true do end end }"};
    });
    ASSERT_TRUE(state);
    state->bind("cancel", [&](const Json&) -> Result<Json> {
        source.cancel();
        return Json();
    });
    EXPECT_EQ(state->call("recipe", "go", Json()).error().code, ErrorCode::Cancelled);
}

TEST(LuaState, AMemoryBombSpendsItsBudget) {
    for (const char* bomb : {"local s = 'x'\nwhile true do s = s .. s end",
                             "local t = {}\nfor i = 1, 1e9 do t[i] = i end"}) {
        const auto result = run(bomb, {.bytes = 4 << 20});
        ASSERT_FALSE(result) << bomb;
        EXPECT_EQ(result.error().code, ErrorCode::OutOfMemory);
        EXPECT_EQ(result.error().message, "test.lua:4: needs more than 4.00 MiB");
    }
}

TEST(LuaState, DeepRecursionIsAnError) {
    EXPECT_NE(failure("local function f(n) return 1 + f(n + 1) end return f(1)").find("overflow"),
              std::string::npos);
    EXPECT_NE(
        failure("return " + std::string(5000, '(') + "1" + std::string(5000, ')')).find("test.lua"),
        std::string::npos);
    EXPECT_NE(failure("local t = {} t.t = t return t").find("nested too deep"), std::string::npos);
}

// What could reach the system, run foreign code, catch a budget's error or loop inside the
// interpreter, where no budget counts.
TEST(LuaState, HasNoWayOut) {
    for (const char* name : {"io",           "os",
                             "package",      "debug",
                             "coroutine",    "utf8",
                             "load",         "loadstring",
                             "loadfile",     "dofile",
                             "pcall",        "xpcall",
                             "print",        "collectgarbage",
                             "setmetatable", "getmetatable",
                             "rawset",       "rawget",
                             "_G",           "string.rep",
                             "string.dump",  "string.find",
                             "string.gsub",  "string.match",
                             "table.move",   "math.random",
                             "(''):rep",     "(''):find"}) {
        const std::string text = name;
        const bool method = text.front() == '(';
        const std::string value = method ? "(''). " + text.substr(5) : text;
        EXPECT_EQ(failure("return type(" + value + ")"), "no error: \"nil\"") << name;
    }
}

TEST(LuaState, RefusesCompiledChunks) {
    auto state = LuaState::create({}, [](const std::string&) -> Result<LuaSource> {
        return LuaSource{"evil.lua", "\x1bLua\x54"};
    });
    ASSERT_TRUE(state);
    const auto result = state->call("recipe", "go", Json());
    ASSERT_FALSE(result);
    EXPECT_NE(result.error().message.find("evil.lua"), std::string::npos);
}

}  // namespace fl::recipe
