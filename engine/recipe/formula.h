// SPDX-License-Identifier: Apache-2.0
// Arithmetic over configuration keys, as recipes write it in their declarations:
// "num_attention_heads * (qk_nope_head_dim + v_head_dim)".
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"

namespace fl::recipe {

class Formula {
public:
    // The value of a key, or nothing where the configuration has none that can be used.
    using Values = std::function<std::optional<double>(std::string_view key)>;

    // Numbers, keys (letters, digits, '_' and '.'), + - * / and parentheses.
    static Result<Formula> parse(std::string_view text);

    // Nothing if a key has no value, or a divisor is 0.
    std::optional<double> evaluate(const Values& values) const;
    // The whole number from 0 up that `key` must be for the formula to give `result`, as far as the
    // formula is linear in it; nothing if there is none. `key` is one of keys().
    std::optional<double> solve(std::string_view key, double result, const Values& values) const;

    const std::vector<std::string>& keys() const { return keys_; }
    const std::string& text() const { return text_; }
    bool isNumber() const { return keys_.empty(); }

private:
    friend class FormulaParser;
    // In the order of evaluation (reverse Polish).
    struct Step {
        char operation = 'n';  // 'n' number, 'k' key, else + - * /
        double number = 0;
        std::size_t key = 0;  // index into keys_
    };
    std::string text_;
    std::vector<Step> steps_;
    std::vector<std::string> keys_;  // each once
};

}  // namespace fl::recipe
