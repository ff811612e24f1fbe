// SPDX-License-Identifier: Apache-2.0
#include "engine/tokenizer/chat_template.h"

#include <utility>

#include "engine/tokenizer/template_evaluator.h"
#include "engine/tokenizer/template_parser.h"

namespace fl::tokenizer {

struct ChatTemplate::State {
    jinja::Body body;
};

ChatTemplate::ChatTemplate(std::unique_ptr<State> state) : state_(std::move(state)) {}
ChatTemplate::ChatTemplate(ChatTemplate&&) noexcept = default;
ChatTemplate& ChatTemplate::operator=(ChatTemplate&&) noexcept = default;
ChatTemplate::~ChatTemplate() = default;

Result<ChatTemplate> ChatTemplate::parse(std::string_view source) {
    auto state = std::make_unique<State>();
    FL_TRY(state->body, jinja::parseTemplate(source));
    return ChatTemplate(std::move(state));
}

Result<std::string> ChatTemplate::render(const Json& variables,
                                         const std::string& clock,
                                         const TemplateLimits& limits) const {
    const jinja::Value values = jinja::Value::fromJson(variables);
    if (values.asDict() == nullptr)
        return Error{ErrorCode::InvalidArgument, "the variables of a chat template are no object"};
    return jinja::Evaluator(*values.asDict(), clock, limits).run(state_->body);
}

}  // namespace fl::tokenizer
