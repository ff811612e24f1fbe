// SPDX-License-Identifier: Apache-2.0
#include "engine/recipe/nearest_recipe.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include <fmt/core.h>

#include "engine/recipe/config_path.h"

namespace fl::recipe {

namespace {

// Name pattern → dimensions of its first tensor.
using Patterns = std::map<std::string, int>;

bool isCompanion(const std::string& pattern) {
    constexpr std::array<std::string_view, 4> kEndings = {"_scale_inv", "_scale", "_shape",
                                                          ".inv_freq"};
    return std::any_of(kEndings.begin(), kEndings.end(),
                       [&pattern](std::string_view ending) { return pattern.ends_with(ending); });
}

Patterns patternsOf(const checkpoint::Inventory& inventory) {
    Patterns out;
    for (const checkpoint::TensorInfo& tensor : inventory.tensors()) {
        std::string pattern = namePattern(tensor.name);
        if (!isCompanion(pattern))
            out.try_emplace(std::move(pattern), tensor.shape.rank());
    }
    return out;
}

// What every configuration has and no model is told by.
bool saysNothing(const std::string& key) {
    constexpr std::array<std::string_view, 12> kKeys = {
        "architectures",        "model_type",   "torch_dtype",       "dtype",
        "transformers_version", "auto_map",     "use_cache",         "bos_token_id",
        "eos_token_id",         "pad_token_id", "initializer_range", "attention_dropout"};
    return key.starts_with('_') || std::find(kKeys.begin(), kKeys.end(), key) != kKeys.end();
}

class Measure {
public:
    Measure(const Recipe& recipe, const Json& config, const Patterns& patterns)
        : recipe_(recipe),
          patterns_(patterns) {
        const Json& inner = config[recipe.rules.root];
        root_ = recipe.rules.root.empty() || !inner.isObject() ? config : inner;
        out_.recipe = &recipe;
    }

    Likeness run() {
        tensors();
        keys();
        const double byTensors =
            share(out_.tensors, out_.openTensors.size(), out_.lackingTensors.size());
        const double byKeys = share(out_.keys, out_.openKeys.size(), out_.lackingKeys.size());
        out_.score = patterns_.empty()   ? byKeys
                     : root_.size() == 0 ? byTensors
                                         : (2 * byTensors + byKeys) / 3;
        return std::move(out_);
    }

private:
    static double share(int matched, std::size_t open, std::size_t lacking) {
        const double all = matched + static_cast<double>(open) + static_cast<double>(lacking);
        return all == 0 ? 0 : matched / all;
    }

    void tensors() {
        Patterns declared;
        std::set<std::string> optional;
        for (const Evidence& evidence : recipe_.rules.evidence) {
            if (evidence.tensor.empty() || evidence.when)
                continue;
            declared[evidence.tensor] = static_cast<int>(evidence.shape.size());
            if (evidence.optional)
                optional.insert(evidence.tensor);
        }
        for (const auto& [pattern, rank] : declared) {
            const auto at = patterns_.find(pattern);
            if (at != patterns_.end() && (rank == 0 || at->second == rank))
                ++out_.tensors;
            else if (!optional.contains(pattern))
                out_.lackingTensors.push_back(pattern);
        }
        for (const auto& [pattern, rank] : patterns_) {
            if (!declared.contains(pattern))
                out_.openTensors.push_back(pattern);
        }
    }

    void keys() {
        for (const KeyRule& rule : recipe_.rules.keys) {
            if (saysNothing(rule.key) || rule.key.starts_with("gguf."))
                continue;
            if (findPath(root_, rule.key))
                ++out_.keys;
            else if (rule.absent == Severity::Error)
                out_.lackingKeys.push_back(rule.key);
        }
        for (const auto& [key, value] : root_.members()) {
            if (!saysNothing(key) && !recipe_.rules.find(key) && !value.isNull())
                out_.openKeys.push_back(key);
        }
    }

    const Recipe& recipe_;
    const Patterns& patterns_;
    Json root_;
    Likeness out_;
};

}  // namespace

std::string namePattern(std::string_view tensor) {
    std::string out;
    int numbers = 0;
    std::size_t begin = 0;
    while (begin <= tensor.size()) {
        const std::size_t dot = std::min(tensor.find('.', begin), tensor.size());
        const std::string_view part = tensor.substr(begin, dot - begin);
        const bool number = !part.empty() && std::all_of(part.begin(), part.end(), [](char c) {
            return c >= '0' && c <= '9';
        });
        out += out.empty() && begin == 0 ? "" : ".";
        if (number)
            out += numbers++ == 0 ? "{i}" : "{}";
        else
            out += part;
        begin = dot + 1;
    }
    return out;
}

std::string Likeness::text() const {
    const auto of = [](int matched, std::size_t lacking) {
        return fmt::format("{} of {}", matched, static_cast<std::size_t>(matched) + lacking);
    };
    return fmt::format(
        "{} ({} tensor names and {} keys of it are there; {} names and {} keys are new)",
        recipe->name, of(tensors, lackingTensors.size()), of(keys, lackingKeys.size()),
        openTensors.size(), openKeys.size());
}

std::vector<Likeness> measureLikeness(const RecipeSet& set,
                                      const Json& config,
                                      const checkpoint::Inventory& inventory) {
    const Patterns patterns = patternsOf(inventory);
    std::vector<Likeness> out;
    for (const Recipe& recipe : set.recipes())
        out.push_back(Measure(recipe, config, patterns).run());
    std::stable_sort(out.begin(), out.end(),
                     [](const Likeness& a, const Likeness& b) { return a.score > b.score; });
    return out;
}

}  // namespace fl::recipe
