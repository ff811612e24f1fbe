// SPDX-License-Identifier: Apache-2.0
#include "engine/recipe/config_solver.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace fl::recipe {

namespace {

class Solver {
public:
    Solver(const std::vector<HeaderFact>& facts, const KeyValues& known, const KeyValues& likely)
        : known_(known),
          likely_(likely),
          values_(known) {
        chooseFacts(facts);
    }

    std::map<std::string, SolvedKey> run() {
        // Every round satisfies one fact more, so this ends.
        while (const auto best = bestChange()) {
            values_[best->key] = best->value;
            solved_[best->key] = {best->value, best->fact->tensor, countedBy(*best)};
        }
        // A change may have been taken back by a later one.
        std::erase_if(solved_, [this](const auto& each) {
            const auto at = known_.find(each.first);
            return at != known_.end() && at->second == each.second.value;
        });
        return std::move(solved_);
    }

private:
    struct Change {
        std::string key;
        double value = 0;
        const HeaderFact* fact = nullptr;
        // Compared in this order.
        int gain = 0;
        bool wasUnknown = false;
        bool isLikely = false;
        std::int64_t votes = 0;
    };

    // Only where the key itself is what was counted.
    static std::string countedBy(const Change& change) {
        return change.fact->formula.text() == change.key ? change.fact->counted : "";
    }

    std::optional<double> evaluate(const Formula& formula, const Change* change) const {
        return formula.evaluate([&](std::string_view key) -> std::optional<double> {
            if (change && change->key == key)
                return change->value;
            const auto at = values_.find(key);
            return at == values_.end() ? std::nullopt : std::optional(at->second);
        });
    }

    bool holds(const HeaderFact& fact, const Change* change = nullptr) const {
        const auto value = evaluate(fact.formula, change);
        return value && *value == fact.value;
    }

    // Of headers that contradict each other the majority counts; the configuration decides a tie.
    void chooseFacts(const std::vector<HeaderFact>& facts) {
        std::map<std::string, const HeaderFact*> chosen;
        for (const HeaderFact& fact : facts) {
            const HeaderFact*& best = chosen[fact.formula.text()];
            const auto rank = [this](const HeaderFact& each) {
                return std::pair(each.votes, holds(each));
            };
            if (!best || rank(*best) < rank(fact))
                best = &fact;
        }
        for (const auto& [text, fact] : chosen)
            facts_.push_back(fact);
    }

    int gainOf(const Change& change) const {
        int gain = 0;
        for (const HeaderFact* fact : facts_) {
            const auto& keys = fact->formula.keys();
            if (std::find(keys.begin(), keys.end(), change.key) != keys.end())
                gain += static_cast<int>(holds(*fact, &change)) - static_cast<int>(holds(*fact));
        }
        return gain;
    }

    std::optional<Change> bestChange() const {
        std::optional<Change> best;
        const auto rank = [](const Change& each) {
            return std::tuple(each.gain, each.wasUnknown, each.isLikely, each.votes);
        };
        for (const HeaderFact* fact : facts_) {
            if (holds(*fact))
                continue;
            for (const std::string& key : fact->formula.keys()) {
                auto change = changeOf(*fact, key);
                if (change && change->gain > 0 && (!best || rank(*best) < rank(*change)))
                    best = std::move(change);
            }
        }
        return best;
    }

    std::optional<Change> changeOf(const HeaderFact& fact, const std::string& key) const {
        const auto value = fact.formula.solve(key, fact.value, [this](std::string_view each) {
            const auto at = values_.find(each);
            return at == values_.end() ? std::nullopt : std::optional(at->second);
        });
        if (!value)
            return std::nullopt;
        Change change{key, *value, &fact};
        change.gain = gainOf(change);
        change.wasUnknown = values_.find(key) == values_.end();
        const auto likely = likely_.find(key);
        change.isLikely = likely != likely_.end() && likely->second == *value;
        change.votes = fact.votes;
        return change;
    }

    const KeyValues& known_;
    const KeyValues& likely_;
    KeyValues values_;
    std::vector<const HeaderFact*> facts_;
    std::map<std::string, SolvedKey> solved_;
};

}  // namespace

std::map<std::string, SolvedKey> solveConfig(const std::vector<HeaderFact>& facts,
                                             const KeyValues& known,
                                             const KeyValues& likely) {
    return Solver(facts, known, likely).run();
}

}  // namespace fl::recipe
