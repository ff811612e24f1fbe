// SPDX-License-Identifier: Apache-2.0
#include "engine/tokenizer/python_text.h"

#include "engine/tokenizer/template_runtime.h"
#include "engine/tokenizer/template_strings.h"

namespace fl::tokenizer {

Result<std::string> pythonJson(const Json& value, bool compact) {
    jinja::Runtime runtime({});
    jinja::Arguments options;
    if (compact) {
        options.named.emplace_back("sort_keys", jinja::Value(true));
        options.named.emplace_back("separators", jinja::Value::tuple({",", ":"}));
    }
    return jinja::dumpJson(runtime, jinja::Value::fromJson(value), options);
}

std::string pythonText(const Json& value) {
    return jinja::toStr(jinja::Value::fromJson(value));
}

std::string pythonStrip(const std::string& text) {
    return jinja::strip(text, {});
}

}  // namespace fl::tokenizer
