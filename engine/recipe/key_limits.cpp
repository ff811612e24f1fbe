// SPDX-License-Identifier: Apache-2.0
#include "engine/recipe/key_limits.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "engine/base/text.h"

namespace fl::recipe {

namespace {

using Bounds = std::vector<std::pair<Relation, double>>;

// More than so many values nobody reads, and a range of more is not searched.
constexpr std::size_t kMostListed = 8;
constexpr std::int64_t kMostSearched = 1 << 16;

bool fits(Relation relation, double value, double bound) {
    switch (relation) {
        case Relation::AtLeast:
            return value >= bound;
        case Relation::AtMost:
            return value <= bound;
        case Relation::Above:
            return value > bound;
        case Relation::Below:
            return value < bound;
        case Relation::Equals:
        case Relation::Length:
            return value == bound;
        case Relation::Divides:
            return value != 0 && std::fmod(bound, value) == 0;
        case Relation::MultipleOf:
            return bound != 0 && std::fmod(value, bound) == 0;
    }
    return true;
}

// The numbers of a key that limits apply to.
std::vector<double> numbersOf(const KeyLimit& limit, const Json& value) {
    if (limit.relation == Relation::Length)
        return {static_cast<double>(value.size())};
    std::vector<double> out;
    for (const Json& item : value.items())
        out.push_back(item.number());
    if (value.isNumber())
        out.push_back(value.number());
    return out;
}

bool isWhole(const Json& value) {
    return value.isInteger() || value.isBigInteger();
}

Bounds boundsOf(const KeyRule& rule, const Formula::Values& values) {
    Bounds out;
    for (const KeyLimit& limit : rule.limits) {
        if (limit.severity != Severity::Error)
            continue;
        if (const auto bound = limit.formula.evaluate(values))
            out.emplace_back(limit.relation, *bound);
    }
    return out;
}

// Of several limits of one kind the one that decides; what is least first.
Bounds tightest(const Bounds& bounds) {
    Bounds out;
    for (const auto& [relation, bound] : bounds) {
        const auto same = std::find_if(out.begin(), out.end(), [kind = relation](const auto& each) {
            return each.first == kind;
        });
        const bool lower = relation == Relation::AtLeast || relation == Relation::Above;
        const bool upper = relation == Relation::AtMost || relation == Relation::Below;
        if (same == out.end() || (!lower && !upper))
            out.emplace_back(relation, bound);
        else
            same->second = lower ? std::max(same->second, bound) : std::min(same->second, bound);
    }
    std::stable_partition(out.begin(), out.end(), [](const auto& each) {
        return each.first == Relation::AtLeast || each.first == Relation::Above;
    });
    return out;
}

std::string listed(const std::vector<std::string>& words) {
    if (words.size() < 2)
        return join(words, "");
    const std::vector<std::string> front(words.begin(), words.end() - 1);
    return join(front, ", ") + " or " + words.back();
}

// Empty: too many to list.
std::vector<std::string> wholeNumbers(const Bounds& bounds) {
    std::optional<double> least;
    std::optional<double> most;
    for (const auto& [relation, bound] : bounds) {
        const bool exact = relation == Relation::Equals;
        if (exact || relation == Relation::AtLeast || relation == Relation::Above)
            least = std::max(least.value_or(bound), bound);
        if (exact || relation == Relation::AtMost || relation == Relation::Below ||
            relation == Relation::Divides)
            most = std::min(most.value_or(bound), bound);
    }
    if (!least || !most || *most - *least > static_cast<double>(kMostSearched))
        return {};
    std::vector<std::string> out;
    for (double value = std::ceil(*least); value <= *most; ++value) {
        const bool legal = std::all_of(bounds.begin(), bounds.end(), [value](const auto& each) {
            return fits(each.first, value, each.second);
        });
        if (legal && out.size() == kMostListed)
            return {};
        if (legal)
            out.push_back(numberText(value));
    }
    return out;
}

}  // namespace

std::string_view typeText(KeyType type) {
    switch (type) {
        case KeyType::Integer:
            return "a whole number";
        case KeyType::Real:
            return "a number";
        case KeyType::Boolean:
            return "true or false";
        case KeyType::Text:
            return "a text";
        case KeyType::List:
            return "a list";
        case KeyType::Object:
            return "an object";
        case KeyType::Ids:
            return "an id, or a list of ids";
    }
    return "";
}

std::string numberText(double value) {
    if (value == std::floor(value) && std::abs(value) < 1e15)
        return std::to_string(static_cast<std::int64_t>(value));
    return Json(value).dump();
}

bool hasType(KeyType type, const Json& value) {
    switch (type) {
        case KeyType::Integer:
            return isWhole(value);
        case KeyType::Real:
            return value.isNumber() && std::isfinite(value.number());
        case KeyType::Boolean:
            return value.isBool();
        case KeyType::Text:
            return value.isString();
        case KeyType::List:
            return value.isArray();
        case KeyType::Object:
            return value.isObject();
        case KeyType::Ids:
            return isWhole(value) ||
                   (value.size() > 0 && value.isArray() &&
                    std::all_of(value.items().begin(), value.items().end(), isWhole));
    }
    return false;
}

bool isWithin(const KeyLimit& limit, const Json& value, double bound) {
    const std::vector<double> numbers = numbersOf(limit, value);
    return std::all_of(numbers.begin(), numbers.end(),
                       [&](double number) { return fits(limit.relation, number, bound); });
}

std::string limitText(Relation relation, double bound) {
    const std::string number = numberText(bound);
    switch (relation) {
        case Relation::AtLeast:
            return "at least " + number;
        case Relation::AtMost:
            return "at most " + number;
        case Relation::Above:
            return "above " + number;
        case Relation::Below:
            return "below " + number;
        case Relation::Equals:
            return number;
        case Relation::Divides:
            return "a divisor of " + number;
        case Relation::MultipleOf:
            return "a multiple of " + number;
        case Relation::Length:
            return number + " entries";
    }
    return number;
}

std::string legalText(const KeyRule& rule, const Formula::Values& values) {
    const Bounds bounds = boundsOf(rule, values);
    if (rule.type == KeyType::Integer) {
        if (const auto numbers = wholeNumbers(bounds); !numbers.empty())
            return listed(numbers);
    }
    std::vector<std::string> words;
    for (const auto& [relation, bound] : tightest(bounds))
        words.push_back(limitText(relation, bound));
    return join(words, ", ");
}

std::string usualText(const KeyRule& rule) {
    std::vector<std::string> words;
    for (const Json& value : rule.usual) {
        const bool whole = !value.isInteger() && value.number() == std::floor(value.number());
        words.push_back(numberText(value.number()) + (whole ? ".0" : ""));
    }
    return words.empty() ? "" : "usually " + listed(words);
}

}  // namespace fl::recipe
