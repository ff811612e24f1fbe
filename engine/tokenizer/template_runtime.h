// SPDX-License-Identifier: Apache-2.0
// What filters, tests and methods of templates share: arguments, budgets, and who may call whom.
// Their errors carry no place; the evaluator adds it.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/base/result.h"
#include "engine/tokenizer/chat_template.h"
#include "engine/tokenizer/template_value.h"

namespace fl::tokenizer::jinja {

struct Arguments {
    std::vector<Value> positional;
    std::vector<std::pair<std::string, Value>> named;

    // The argument at `index` or called `name`; null if it was not given.
    const Value* get(std::size_t index, std::string_view name) const;
    // The same as a number or a text, or the fallback if it is missing or of another kind.
    std::int64_t integer(std::size_t index, std::string_view name, std::int64_t fallback) const;
    std::string text(std::size_t index, std::string_view name, std::string_view fallback) const;
    bool flag(std::size_t index, std::string_view name, bool fallback) const;
};

// Counts what one rendering may cost, and keeps what could hold itself alive in a circle.
class Runtime {
public:
    explicit Runtime(const TemplateLimits& limits);
    Runtime(const Runtime&) = delete;
    Runtime& operator=(const Runtime&) = delete;
    // Empties every container that was kept: a list in itself goes, and one nested without end does
    // not end the stack.
    ~Runtime();

    // One step, and one more for each 64 bytes made.
    Status spend(std::int64_t bytes = 0);
    // As spend(), and fails where a single text or list would pass the limit of the output.
    Status grow(std::int64_t bytes);
    // The same for `count` pieces of `each` bytes, however many those are.
    Status growBy(std::int64_t count, std::int64_t each);
    // Containers that hold containers, and those that are changed after they were made.
    void keep(Value container) { kept_.push_back(std::move(container)); }
    // The same for what an expression has just made.
    void keepIfNested(const Value& made);

    const TemplateLimits& limits() const { return limits_; }

private:
    TemplateLimits limits_;
    std::int64_t steps_ = 0;
    std::int64_t nextLook_ = 0;  // at the clock
    std::chrono::steady_clock::time_point deadline_;
    std::vector<Value> kept_;
};

// As iterate(), paid for: characters of a text are values of their own.
Result<std::vector<Value>> iterate(Runtime& runtime, const Value& value);

using FilterFunction = Result<Value> (*)(Runtime&, const Value& input, const Arguments&);
struct NamedFilter {
    std::string_view name;
    FilterFunction function;
    std::string_view parameters = "";  // names in their order, with commas; "*": any
    bool isLazy = false;  // a generator in Python, which fails only when it is gone through
};
// Several tables because each is a file of its own.
std::span<const NamedFilter> scalarFilters();
std::span<const NamedFilter> textFilters();
std::span<const NamedFilter> htmlFilters();
std::span<const NamedFilter> sequenceFilters();

// An error with code Unsupported where there is no filter or test of that name.
Result<Value> applyFilter(Runtime& runtime,
                          const std::string& name,
                          const Value& input,
                          const Arguments& arguments);
Result<bool> applyTest(Runtime& runtime,
                       const std::string& name,
                       const Value& input,
                       const Arguments& arguments);

std::span<const std::string_view> stringMethods();
Result<Value> stringMethod(Runtime& runtime,
                           const Value& self,
                           const std::string& name,
                           const Arguments& arguments);
bool hasMethod(const Value& self, std::string_view name);
Result<Value> callMethod(Runtime& runtime,
                         const Value& self,
                         const std::string& name,
                         const Arguments& arguments);

// Whether there is a filter, or test, of that name.
bool isFilter(const std::string& name);
bool isTest(const std::string& name);

// name, arguments and the like of a macro; nothing for what macros do not have.
std::optional<Value> macroAttribute(const Macro& macro, const std::string& name);

// x.name and x[key]; what is not there is undefined, and asking an undefined value fails.
Result<Value> attributeOf(const Value& value, const std::string& name);
Result<Value> itemOf(const Value& value, const Value& key);
// x[begin:end:step]; None stands for a missing bound.
Result<Value> sliceOf(const Value& value, const Value& begin, const Value& end, const Value& step);

// The binary operators "+ - * / // % ** ~".
Result<Value> operate(Runtime& runtime,
                      std::string_view sign,
                      const Value& left,
                      const Value& right);
// "==", "in" and the like.
Result<bool> compare(std::string_view sign, const Value& left, const Value& right);

// Python's json.dumps with the options of transformers' tojson: ensure_ascii (default false),
// indent, separators, sort_keys, in this order or by name.
Result<std::string> dumpJson(Runtime& runtime, const Value& value, const Arguments& options);

}  // namespace fl::tokenizer::jinja
