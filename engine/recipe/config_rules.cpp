// SPDX-License-Identifier: Apache-2.0
#include "engine/recipe/config_rules.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/core.h>

#include "engine/base/text.h"

namespace fl::recipe {

namespace {

template <class T, std::size_t N>
using Names = std::array<std::pair<std::string_view, T>, N>;

constexpr Names<KeyType, 7> kTypes = {{{"integer", KeyType::Integer},
                                       {"real", KeyType::Real},
                                       {"boolean", KeyType::Boolean},
                                       {"text", KeyType::Text},
                                       {"list", KeyType::List},
                                       {"object", KeyType::Object},
                                       {"ids", KeyType::Ids}}};

struct LimitName {
    std::string_view name;
    Relation relation;
    Severity severity;
};
constexpr std::array<LimitName, 10> kLimits = {{
    {"min", Relation::AtLeast, Severity::Error},
    {"max", Relation::AtMost, Severity::Error},
    {"above", Relation::Above, Severity::Error},
    {"below", Relation::Below, Severity::Error},
    {"equals", Relation::Equals, Severity::Error},
    {"divides", Relation::Divides, Severity::Error},
    {"multiple_of", Relation::MultipleOf, Severity::Error},
    {"length", Relation::Length, Severity::Error},
    {"usual_min", Relation::AtLeast, Severity::Warning},
    {"usual_max", Relation::AtMost, Severity::Warning},
}};

Error mistake(const std::string& where, const std::string& what) {
    return {ErrorCode::InvalidArgument, fmt::format("declaration of {}: {}", where, what)};
}

Result<Formula> formulaOf(const Json& value) {
    if (value.isNumber())
        return Formula::parse(value.dump());
    return Formula::parse(value.string());
}

Result<std::vector<Formula>> formulasOf(const Json& list) {
    std::vector<Formula> out;
    for (const Json& each : list.items()) {
        FL_TRY(Formula formula, formulaOf(each));
        out.push_back(std::move(formula));
    }
    return out;
}

Result<std::optional<Severity>> severityOf(const std::string& where, const Json& word) {
    const std::string& text = word.string();
    if (word.isNull() || text == "error")
        return std::optional(Severity::Error);
    if (text == "warning")
        return std::optional(Severity::Warning);
    if (text == "fine")
        return std::optional<Severity>();
    return mistake(where, fmt::format("'{}' is not one of error, warning, fine", text));
}

Result<KeyRule> keyRule(const std::string& key, const Json& table) {
    KeyRule rule;
    rule.key = key;
    bool hasType = false;
    FL_TRY(rule.absent, severityOf(key, table["absent"]));
    rule.null = rule.absent;
    for (const auto& [field, value] : table.members()) {
        const auto limit =
            std::find_if(kLimits.begin(), kLimits.end(),
                         [&name = field](const LimitName& each) { return each.name == name; });
        if (field == "type") {
            for (const auto& [name, type] : kTypes) {
                if (name == value.string()) {
                    rule.type = type;
                    hasType = true;
                }
            }
        } else if (limit != kLimits.end()) {
            FL_TRY(std::vector<Formula> formulas,
                   formulasOf(value.isArray() ? value : Json(Json::Array{value})));
            for (Formula& formula : formulas)
                rule.limits.push_back({limit->relation, std::move(formula), limit->severity});
        } else if (field == "absent") {
            continue;
        } else if (field == "null") {
            FL_TRY(rule.null, severityOf(key, value));
        } else if (field == "instead") {
            rule.instead = value.string();
        } else if (field == "wrong") {
            FL_TRY(const auto severity, severityOf(key, value));
            rule.wrong = severity.value_or(Severity::Info);
        } else if (field == "default") {
            FL_TRY(rule.fallback, formulaOf(value));
        } else if (field == "values") {
            rule.values = value.items();
        } else if (field == "usual") {
            rule.usual = value.isArray() ? value.items() : std::vector<Json>{value};
        } else {
            return mistake(key, fmt::format("unknown field '{}'", field));
        }
    }
    if (!hasType)
        return mistake(key, "no known 'type'");
    return rule;
}

Result<Evidence> evidenceOf(const Json& table) {
    Evidence out;
    out.tensor = table["tensor"].string();
    const Json& agree = table["agree"];
    if (out.tensor.empty() == (agree.size() != 2))
        return mistake("evidence", "either 'tensor' or two formulas in 'agree'");
    FL_TRY(out.agree, formulasOf(agree));
    FL_TRY(out.shape, formulasOf(table["shape"]));
    const std::array<std::pair<const char*, std::optional<Formula>*>, 3> counts = {
        {{"layers", &out.layers}, {"count", &out.count}, {"experts", &out.experts}}};
    for (const auto& [field, target] : counts) {
        if (!table[field].isNull()) {
            FL_TRY(*target, formulaOf(table[field]));
        }
    }
    if (table["when"].isString())
        out.when = table["when"].string();
    out.says = table["says"];
    out.optional = table["optional"].boolean();
    return out;
}

}  // namespace

const KeyRule* ConfigRules::find(const std::string& key) const {
    const auto at = std::find_if(keys.begin(), keys.end(),
                                 [&key](const KeyRule& rule) { return rule.key == key; });
    return at == keys.end() ? nullptr : &*at;
}

Result<ConfigRules> readConfigRules(const Json& described) {
    ConfigRules rules;
    rules.root = described["config_root"].string();
    for (const auto& [key, table] : described["keys"].members()) {
        FL_TRY(KeyRule rule, keyRule(key, table));
        rules.keys.push_back(std::move(rule));
    }
    for (const Json& table : described["evidence"].items()) {
        FL_TRY(Evidence evidence, evidenceOf(table));
        rules.evidence.push_back(std::move(evidence));
    }
    return rules;
}

}  // namespace fl::recipe
