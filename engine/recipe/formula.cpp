// SPDX-License-Identifier: Apache-2.0
#include "engine/recipe/formula.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include <fmt/core.h>

namespace fl::recipe {

namespace {

// Formulas are a line of text; deeper nesting is a mistake.
constexpr int kMaxDepth = 32;

bool isKeyStart(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

bool isDigit(char c) {
    return c >= '0' && c <= '9';
}

std::optional<double> combine(char operation, double left, double right) {
    switch (operation) {
        case '+':
            return left + right;
        case '-':
            return left - right;
        case '*':
            return left * right;
        default:
            return right == 0 ? std::nullopt : std::optional(left / right);
    }
}

}  // namespace

// Recursive descent: sums of products of factors.
class FormulaParser {
public:
    explicit FormulaParser(std::string_view text) : text_(text) { out_.text_ = text; }

    Result<Formula> run() {
        if (!sum(0))
            return fault();
        skipSpace();
        if (at_ != text_.size())
            return fault();
        return std::move(out_);
    }

private:
    using Part = bool (FormulaParser::*)(int);

    Error fault() const {
        return {ErrorCode::InvalidArgument,
                fmt::format("formula '{}' cannot be read at character {}", text_, at_ + 1)};
    }

    void skipSpace() {
        while (at_ < text_.size() && text_[at_] == ' ')
            ++at_;
    }

    char next() {
        skipSpace();
        return at_ < text_.size() ? text_[at_] : '\0';
    }

    bool chain(int depth, Part part, std::string_view operations) {
        if (!(this->*part)(depth))
            return false;
        for (char c = next(); c != '\0' && operations.find(c) != std::string_view::npos;
             c = next()) {
            ++at_;
            if (!(this->*part)(depth))
                return false;
            out_.steps_.push_back({c});
        }
        return true;
    }

    bool sum(int depth) { return chain(depth, &FormulaParser::product, "+-"); }
    bool product(int depth) { return chain(depth, &FormulaParser::factor, "*/"); }

    bool factor(int depth) {
        const char c = next();
        if (c == '(') {
            ++at_;
            if (depth == kMaxDepth || !sum(depth + 1) || next() != ')')
                return false;
            ++at_;
            return true;
        }
        return isDigit(c) ? number() : isKeyStart(c) && key();
    }

    bool number() {
        const std::string rest(text_.substr(at_));
        char* end = nullptr;
        const double value = std::strtod(rest.c_str(), &end);
        at_ += static_cast<std::size_t>(end - rest.c_str());
        out_.steps_.push_back({'n', value});
        return true;
    }

    bool key() {
        const std::size_t begin = at_;
        while (at_ < text_.size() &&
               (isKeyStart(text_[at_]) || isDigit(text_[at_]) || text_[at_] == '.'))
            ++at_;
        const std::string name(text_.substr(begin, at_ - begin));
        auto place = std::find(out_.keys_.begin(), out_.keys_.end(), name);
        if (place == out_.keys_.end())
            place = out_.keys_.insert(place, name);
        out_.steps_.push_back({'k', 0, static_cast<std::size_t>(place - out_.keys_.begin())});
        return true;
    }

    std::string_view text_;
    std::size_t at_ = 0;
    Formula out_;
};

Result<Formula> Formula::parse(std::string_view text) {
    return FormulaParser(text).run();
}

std::optional<double> Formula::evaluate(const Values& values) const {
    std::vector<double> stack;
    for (const Step& step : steps_) {
        if (step.operation == 'n' || step.operation == 'k') {
            const auto value =
                step.operation == 'n' ? std::optional(step.number) : values(keys_[step.key]);
            if (!value)
                return std::nullopt;
            stack.push_back(*value);
            continue;
        }
        const double right = stack.back();
        stack.pop_back();
        const auto result = combine(step.operation, stack.back(), right);
        if (!result)
            return std::nullopt;
        stack.back() = *result;
    }
    return stack.back();
}

std::optional<double> Formula::solve(std::string_view key,
                                     double result,
                                     const Values& values) const {
    const auto with = [&](double value) {
        return evaluate([&](std::string_view each) {
            return each == key ? std::optional(value) : values(each);
        });
    };
    // Two points make the line; 1 and 2 because a key may be divided by.
    const auto first = with(1);
    const auto second = with(2);
    if (!first || !second || *first == *second)
        return std::nullopt;
    const double answer = std::round(1 + (result - *first) / (*second - *first));
    const auto check = answer < 0 ? std::nullopt : with(answer);
    return check && *check == result ? std::optional(answer) : std::nullopt;
}

}  // namespace fl::recipe
