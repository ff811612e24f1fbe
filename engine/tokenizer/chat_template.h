// SPDX-License-Identifier: Apache-2.0
// Renders a model's chat template (Jinja, as transformers runs it: trim_blocks, lstrip_blocks,
// sandboxed) with an interpreter of our own that has budgets and cannot reach anything.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "engine/base/cancel_token.h"
#include "engine/base/json.h"
#include "engine/base/result.h"

namespace fl::tokenizer {

struct TemplateLimits {
    std::int64_t steps = 2'000'000;
    std::int64_t outputBytes = std::int64_t{16} << 20;
    int depth = 64;  // of macros in macros, and of recursive loops
    std::chrono::milliseconds time{10'000};
    CancelToken cancel = {};
};

class ChatTemplate {
public:
    // Errors name line and column.
    static Result<ChatTemplate> parse(std::string_view source);

    ChatTemplate(ChatTemplate&&) noexcept;
    ChatTemplate& operator=(ChatTemplate&&) noexcept;
    ~ChatTemplate();

    // `variables` is an object: messages, add_generation_prompt, bos_token, eos_token, tools, …
    // `clock` is the local time "YYYY-MM-DDTHH:MM:SS" for strftime_now; "": templates that ask for
    // it fail. Errors: InvalidArgument, where the template itself refuses (raise_exception; its
    // words come last), Timeout or OutOfMemory beyond the limits, Cancelled, Unsupported for a
    // filter or test that does not exist, Corrupt for any other mistake of the template.
    Result<std::string> render(const Json& variables,
                               const std::string& clock = {},
                               const TemplateLimits& limits = {}) const;

private:
    struct State;
    explicit ChatTemplate(std::unique_ptr<State> state);
    std::unique_ptr<State> state_;
};

}  // namespace fl::tokenizer
