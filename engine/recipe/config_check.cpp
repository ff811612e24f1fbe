// SPDX-License-Identifier: Apache-2.0
#include "engine/recipe/config_check.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <utility>

#include <fmt/core.h>

#include "engine/base/text.h"
#include "engine/recipe/config_path.h"
#include "engine/recipe/config_solver.h"
#include "engine/recipe/key_limits.h"

namespace fl::recipe {

namespace {

// A contradicting value stays, so that the contract can list the tensors that it asks for, unless
// it is so far off that the list would have no end.
constexpr double kFarOff = 4;

// What can be said about a key from its own value.
struct KeyState {
    const KeyRule* rule = nullptr;
    const Json* found = nullptr;  // null: absent
    std::optional<double> value;  // numbers and truth values that can be used
    bool wrongType = false;
    std::string wanted;  // of what else is wrong with it; empty: nothing is
    Severity severity = Severity::Error;

    bool isWrong() const { return wrongType || !wanted.empty(); }
};

// What was probably meant by a value of the wrong type; null if nobody can tell. Libraries take the
// numbers without a word.
Json lenient(KeyType type, const Json& value) {
    const double number = value.number();
    if (type == KeyType::Integer && value.isNumber() && number == std::floor(number) &&
        std::abs(number) < 1e15)
        return Json(static_cast<std::int64_t>(number));
    if (type == KeyType::Boolean && value.isInteger() && (number == 0 || number == 1))
        return Json(number == 1);
    if (value.isString() && (type == KeyType::Integer || type == KeyType::Real)) {
        const auto parsed = Json::parse(value.string());
        return parsed && parsed->isNumber() ? *parsed : Json();
    }
    return {};
}

class Check {
public:
    Check(const ConfigRules& rules,
          const Json& config,
          const std::vector<HeaderFact>& facts,
          const std::string& file,
          const std::vector<HeaderSaying>& sayings)
        : rules_(rules),
          facts_(facts),
          file_(file),
          sayings_(sayings) {
        out_.usable = config;
        root_ = rules.root.empty() ? config : config[rules.root];
    }

    ConfigCheck run() {
        for (const KeyRule& rule : rules_.keys)
            states_.push_back(stateOf(rule));
        solve();
        for (const KeyState& state : states_)
            judge(state);
        return std::move(out_);
    }

private:
    KeyState stateOf(const KeyRule& rule) {
        KeyState state;
        state.rule = &rule;
        state.found = findPath(root_, rule.key);
        if (!state.found || state.found->isNull())
            return state;
        state.severity = rule.wrong;
        Json value = *state.found;
        if (!hasType(rule.type, value)) {
            state.wrongType = true;
            value = value.isString() ? Json() : lenient(rule.type, value);
            if (value.isNull())
                return state;
            state.severity = std::min(rule.wrong, Severity::Warning);
            mend(rule.key, value);
        }
        if (!allowed(rule, value))
            return state.wanted = choicesText(rule), state;
        for (const KeyLimit& limit : rule.limits) {
            const auto bound =
                limit.formula.isNumber() ? limit.formula.evaluate(noValues) : std::nullopt;
            if (!bound || isWithin(limit, value, *bound))
                continue;
            state.wanted = limitText(limit.relation, *bound);
            state.severity = std::min(limit.severity, rule.wrong);
            if (limit.severity == Severity::Error)
                return state;
        }
        if (value.isNumber())
            state.value = value.number();
        if (value.isBool())
            state.value = value.boolean() ? 1 : 0;
        return state;
    }

    static std::optional<double> noValues(std::string_view /*key*/) { return std::nullopt; }

    static bool allowed(const KeyRule& rule, const Json& value) {
        const auto known = [&rule](const Json& each) {
            return std::find(rule.values.begin(), rule.values.end(), each) != rule.values.end();
        };
        if (rule.values.empty())
            return true;
        return value.isArray() ? std::all_of(value.items().begin(), value.items().end(), known)
                               : known(value);
    }

    static std::string choicesText(const KeyRule& rule) {
        std::vector<std::string> words;
        for (const Json& value : rule.values)
            words.push_back(shown(value));
        return "one of " + join(words, ", ");
    }

    void solve() {
        KeyValues known;
        KeyValues likely;
        for (const KeyState& state : states_) {
            if (state.value)
                known[state.rule->key] = *state.value;
        }
        values_ = known;
        for (const KeyState& state : states_) {
            const auto fallback = fallbackOf(state);
            if (!fallback)
                continue;
            // A constant is what an absent key says; a formula only what it probably is.
            (state.rule->fallback->isNumber() ? known : likely)[state.rule->key] = *fallback;
        }
        solved_ = solveConfig(facts_, known, likely);
        values_ = known;
        for (const auto& [key, solved] : solved_)
            values_[key] = solved.value;
        for (const KeyState& state : states_) {
            if (const auto fallback = fallbackOf(state))
                values_.try_emplace(state.rule->key, *fallback);
        }
    }

    std::optional<double> fallbackOf(const KeyState& state) const {
        const bool absent = !state.found || state.found->isNull();
        if (!absent || !state.rule->fallback)
            return std::nullopt;
        return state.rule->fallback->evaluate(lookUp());
    }

    Formula::Values lookUp() const {
        return [this](std::string_view key) {
            const auto at = values_.find(key);
            return at == values_.end() ? std::nullopt : std::optional(at->second);
        };
    }

    const SolvedKey* solvedOf(const std::string& key) const {
        const auto at = solved_.find(key);
        return at == solved_.end() ? nullptr : &at->second;
    }

    void judge(const KeyState& state) {
        const bool absent = !state.found || state.found->isNull();
        if (absent)
            return judgeAbsent(state);
        for (const HeaderSaying& saying : sayings_) {
            if (saying.key == state.rule->key && saying.value != *state.found)
                return judgeSaid(state, saying);
        }
        if (state.isWrong())
            judgeOwn(state);
        if (const SolvedKey* solved = solvedOf(state.rule->key); solved && state.value)
            judgeSolved(state, *solved);
        judgeAgainstOthers(state);
    }

    void judgeAbsent(const KeyState& state) {
        const KeyRule& rule = *state.rule;
        const SolvedKey* solved = solvedOf(rule.key);
        const auto fallback = fallbackOf(state);
        const bool contradicts = solved && fallback && *fallback != solved->value;
        const auto severity = state.found ? rule.null : rule.absent;
        const bool made = !rule.instead.empty() && findPath(root_, rule.instead);
        if (severity && !made) {
            Finding& finding =
                add(*severity, "config-key-missing", rule.key,
                    *severity == Severity::Error
                        ? "is missing"
                        : fmt::format("is missing, {} is assumed",
                                      fallback ? numberText(*fallback) : "the library's default"));
            finding.expected = wanted({solved ? proven(rule, *solved) : "present",
                                       solved ? "" : legalText(rule, lookUp()), usualText(rule)});
            finding.found = state.found ? "null" : "absent";
            finding.remedy = "complete the configuration";
            if (*severity == Severity::Error || fallback)
                mend(rule.key, standIn(rule, solved));
        } else if (contradicts) {
            Finding& finding = contradiction(rule, *solved);
            finding.found = fmt::format("absent (means {})", numberText(*fallback));
        }
    }

    void judgeOwn(const KeyState& state) {
        const KeyRule& rule = *state.rule;
        const SolvedKey* solved = solvedOf(rule.key);
        Finding& finding =
            add(state.severity, "config-value", rule.key,
                state.severity == Severity::Error ? "has a value that cannot be right"
                                                  : "has an unusual value");
        const Json reading = state.wrongType ? lenient(rule.type, *state.found) : Json();
        finding.expected = wanted({solved             ? proven(rule, *solved)
                                   : reading.isNull() ? ""
                                                      : reading.dump(),
                                   state.wrongType ? std::string(typeText(rule.type)) : "",
                                   isLegal(state) ? state.wanted : "", legalText(rule, lookUp()),
                                   usualText(rule)});
        finding.found = shown(*state.found);
        finding.remedy = "correct the configuration, or fetch it again";
        if (solved)
            finding.tensor = solved->tensor;
        if (state.severity == Severity::Error && !state.value)
            mend(rule.key, standIn(rule, solved));
    }

    void judgeSaid(const KeyState& state, const HeaderSaying& saying) {
        Finding& finding = contradiction(*state.rule);
        finding.tensor = saying.tensor;
        finding.expected = fmt::format("{} (by {})", shown(saying.value), saying.tensor);
        finding.found = shown(*state.found);
        mend(state.rule->key, saying.value);
    }

    void judgeSolved(const KeyState& state, const SolvedKey& solved) {
        Finding& finding = contradiction(*state.rule, solved);
        finding.found = shown(*state.found);
        nameCounted(solved, *state.value, finding);
        if (state.rule->type != KeyType::Boolean && *state.value > kFarOff * (solved.value + 1))
            mend(state.rule->key, jsonOf(*state.rule, solved.value));
    }

    // Limits that other keys set. A key that is wrong already counts as what it should be.
    void judgeAgainstOthers(const KeyState& state) {
        for (const KeyLimit& limit : state.rule->limits) {
            if (limit.formula.isNumber() || !hasType(state.rule->type, *state.found))
                continue;
            const auto bound = limit.formula.evaluate(lookUp());
            if (!bound || isWithin(limit, *state.found, *bound))
                continue;
            Finding& finding =
                add(std::min(limit.severity, state.rule->wrong), "config-contradiction",
                    state.rule->key, "contradicts " + join(limit.formula.keys(), " and "));
            finding.expected = limitText(limit.relation, *bound);
            const std::string legal = legalText(*state.rule, lookUp());
            if (legal != finding.expected && limit.relation != Relation::Length)
                finding.expected += fmt::format(" (legal: {})", legal);
            finding.found = limit.relation == Relation::Length
                                ? fmt::format("{} entries", state.found->size())
                                : shown(*state.found);
            finding.remedy = "correct the configuration, or fetch it again";
        }
    }

    // Of a count the first tensor that the two see differently: it is there and should not be, or
    // the other way round.
    static void nameCounted(const SolvedKey& solved, double found, Finding& finding) {
        const std::size_t mark = solved.counted.find('#');
        if (mark == std::string::npos || found < 0)
            return;
        finding.tensor = solved.counted;
        finding.tensor.replace(mark, 1, numberText(std::min(found, solved.value)));
        finding.found += fmt::format(", but {} is {}", finding.tensor,
                                     found > solved.value ? "absent" : "present");
    }

    Finding& contradiction(const KeyRule& rule, const SolvedKey& solved) {
        Finding& finding = contradiction(rule);
        finding.tensor = solved.tensor;
        finding.expected = proven(rule, solved);
        return finding;
    }

    Finding& contradiction(const KeyRule& rule) {
        Finding& finding = add(Severity::Error, "config-contradiction", rule.key,
                               "contradicts the tensors of the checkpoint");
        finding.remedy = "fetch configuration and weights of one and the same model";
        return finding;
    }

    Finding& add(Severity severity, std::string code, const std::string& key, std::string what) {
        Finding& finding = out_.findings.emplace_back();
        finding.code = std::move(code);
        finding.severity = severity;
        finding.stage = "inspect";
        finding.file = file_;
        finding.key = rules_.root.empty() ? key : rules_.root + "." + key;
        finding.message = fmt::format("configuration key '{}' {}", finding.key, what);
        return finding;
    }

    // Whether the value keeps the limits: then it is of no known choice, or only unusual.
    static bool isLegal(const KeyState& state) {
        return state.severity != Severity::Error || !state.rule->values.empty();
    }

    // Those that there are, each once.
    static std::string wanted(const std::vector<std::string>& parts) {
        std::vector<std::string> words;
        for (const std::string& part : parts) {
            if (!part.empty() && std::find(words.begin(), words.end(), part) == words.end())
                words.push_back(part);
        }
        return join(words, ", ");
    }

    static std::string proven(const KeyRule& rule, const SolvedKey& solved) {
        const std::string value = jsonOf(rule, solved.value).dump();
        return solved.tensor.empty() ? value : fmt::format("{} (by {})", value, solved.tensor);
    }

    static Json jsonOf(const KeyRule& rule, double value) {
        if (rule.type == KeyType::Boolean)
            return Json(value != 0);
        if (rule.type == KeyType::Real)
            return Json(value);
        return Json(static_cast<std::int64_t>(value));
    }

    // Something of the right kind to go on with; null: the key is better absent.
    Json standIn(const KeyRule& rule, const SolvedKey* solved) const {
        if (solved)
            return jsonOf(rule, solved->value);
        if (!rule.values.empty())
            return rule.type == KeyType::List ? Json() : rule.values.front();
        if (rule.type != KeyType::Integer && rule.type != KeyType::Real)
            return {};
        const auto fallback = rule.fallback ? rule.fallback->evaluate(lookUp()) : std::nullopt;
        if (fallback)
            return jsonOf(rule, *fallback);
        if (!rule.absent)
            return {};
        for (const KeyLimit& limit : rule.limits) {
            const auto bound = limit.formula.evaluate(lookUp());
            if (bound && limit.relation == Relation::AtLeast)
                return jsonOf(rule, *bound);
        }
        return jsonOf(rule, 1);
    }

    void mend(const std::string& key, Json value) {
        setPath(out_.usable, rules_.root.empty() ? key : rules_.root + "." + key, std::move(value));
    }

    const ConfigRules& rules_;
    const std::vector<HeaderFact>& facts_;
    const std::string& file_;
    const std::vector<HeaderSaying>& sayings_;
    Json root_;
    std::vector<KeyState> states_;
    KeyValues values_;
    std::map<std::string, SolvedKey> solved_;
    ConfigCheck out_;
};

}  // namespace

ConfigCheck checkConfig(const ConfigRules& rules,
                        const Json& config,
                        const std::vector<HeaderFact>& facts,
                        const std::string& file,
                        const std::vector<HeaderSaying>& sayings) {
    return Check(rules, config, facts, file, sayings).run();
}

}  // namespace fl::recipe
