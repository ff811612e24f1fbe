// SPDX-License-Identifier: Apache-2.0
#include "engine/tokenizer/template_runtime.h"

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

Runtime::~Runtime() {
    for (const Value& value : changed_) {
        if (List* list = value.asList())
            list->items.clear();
        if (Dict* dict = value.asDict())
            dict->items.clear();
        if (Namespace* space = value.asNamespace())
            space->attributes.items.clear();
    }
}

Status Runtime::spend(std::int64_t bytes) {
    steps_ += 1 + bytes / 64;
    if (steps_ > limits_.steps)
        return Error{ErrorCode::Timeout,
                     fmt::format("rendering takes more than {} steps", limits_.steps)};
    return Done{};
}

Status Runtime::grow(std::int64_t bytes) {
    if (bytes > limits_.outputBytes)
        return Error{ErrorCode::OutOfMemory,
                     fmt::format("a text or list grows beyond {} bytes", limits_.outputBytes)};
    return spend(bytes);
}

}  // namespace fl::tokenizer::jinja
