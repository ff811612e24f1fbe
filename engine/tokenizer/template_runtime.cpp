// SPDX-License-Identifier: Apache-2.0
#include "engine/tokenizer/template_runtime.h"

#include <algorithm>

#include <fmt/core.h>

namespace fl::tokenizer::jinja {

const Value* Arguments::get(std::size_t index, std::string_view name) const {
    if (index < positional.size())
        return &positional[index];
    for (const auto& [known, value] : named) {
        if (known == name)
            return &value;
    }
    return nullptr;
}

std::int64_t Arguments::integer(std::size_t index,
                                std::string_view name,
                                std::int64_t fallback) const {
    const Value* given = get(index, name);
    return given != nullptr && given->isIntegral() ? given->integer() : fallback;
}

std::string Arguments::text(std::size_t index,
                            std::string_view name,
                            std::string_view fallback) const {
    const Value* given = get(index, name);
    return given != nullptr && given->isString() ? given->string() : std::string(fallback);
}

bool Arguments::flag(std::size_t index, std::string_view name, bool fallback) const {
    const Value* given = get(index, name);
    return given != nullptr ? given->truthy() : fallback;
}

Runtime::Runtime(const TemplateLimits& limits)
    : limits_(limits),
      deadline_(std::chrono::steady_clock::now() + limits.time) {}

Runtime::~Runtime() {
    for (const Value& value : kept_) {
        if (List* list = value.asList())
            list->items.clear();
        if (Dict* dict = value.asDict())
            dict->items.clear();
        if (Namespace* space = value.asNamespace())
            space->attributes.items.clear();
        if (Loop* loop = value.asLoop()) {
            loop->items.clear();
            loop->lastChecked.reset();
        }
        if (Method* method = value.asMethod())
            method->self = Value();
        if (Cycler* cycler = value.asCycler())
            cycler->items.clear();
    }
}

void Runtime::keepIfNested(const Value& made) {
    if (!made.isContainer() || !made.isFresh())
        return;
    const auto isContainer = [](const Value& item) { return item.isContainer(); };
    bool nested = made.asList() == nullptr && made.asDict() == nullptr;
    if (const List* list = made.asList())
        nested = std::any_of(list->items.begin(), list->items.end(), isContainer);
    if (const Dict* dict = made.asDict())
        nested = std::any_of(dict->items.begin(), dict->items.end(), [&](const auto& item) {
            return isContainer(item.first) || isContainer(item.second);
        });
    if (nested)
        keep(made);
}

Status Runtime::spend(std::int64_t bytes) {
    steps_ += 1 + std::max<std::int64_t>(bytes, 0) / 64;
    if (steps_ > limits_.steps)
        return Error{ErrorCode::Timeout,
                     fmt::format("rendering takes more than {} steps", limits_.steps)};
    if (steps_ < nextLook_)
        return Done{};
    nextLook_ = steps_ + 64;
    FL_DO(limits_.cancel.check("rendering"));
    if (std::chrono::steady_clock::now() > deadline_)
        return Error{ErrorCode::Timeout,
                     fmt::format("rendering takes more than {} ms", limits_.time.count())};
    return Done{};
}

Status Runtime::growBy(std::int64_t count, std::int64_t each) {
    std::int64_t bytes = 0;
    if (__builtin_mul_overflow(count, each, &bytes))
        bytes = limits_.outputBytes + 1;
    return grow(bytes);
}

Status Runtime::grow(std::int64_t bytes) {
    if (bytes > limits_.outputBytes)
        return Error{ErrorCode::OutOfMemory,
                     fmt::format("a text or list grows beyond {} bytes", limits_.outputBytes)};
    return spend(bytes);
}

Result<std::vector<Value>> iterate(Runtime& runtime, const Value& value) {
    // A value and the text behind it.
    constexpr std::int64_t kCharacterBytes = 80;
    std::int64_t bytes = 0;
    if (value.isString())
        bytes = static_cast<std::int64_t>(value.string().size()) * kCharacterBytes;
    else if (const List* list = value.asList())
        bytes = static_cast<std::int64_t>(list->items.size() * sizeof(Value));
    else if (const Dict* dict = value.asDict())
        bytes = static_cast<std::int64_t>(dict->items.size() * sizeof(Value));
    FL_DO(runtime.grow(bytes));
    return iterate(value);
}

}  // namespace fl::tokenizer::jinja
