// SPDX-License-Identifier: Apache-2.0
#include "engine/recipe/evidence_keys.h"

#include <algorithm>
#include <initializer_list>
#include <optional>
#include <set>
#include <string_view>

namespace fl::recipe {

namespace {

bool isDigit(char c) {
    return c >= '0' && c <= '9';
}

// Length of the "{i}" or "{}" at the beginning of a pattern; 0: there is none.
std::size_t markLength(std::string_view pattern) {
    return pattern.starts_with("{}") ? 2 : pattern.starts_with("{i}") ? 3 : 0;
}

// What stands in a name behind all that the pattern says; nothing if the name is of another kind.
// Where the name ends with "*", the rest of the pattern is let pass and comes back in `left`.
bool follows(std::string_view pattern, std::string_view name, std::string_view& left) {
    while (!pattern.empty()) {
        if (name == "*") {
            left = pattern;
            return true;
        }
        const std::size_t mark = markLength(pattern);
        if (mark == 0) {
            if (name.empty() || name.front() != pattern.front())
                return false;
            name.remove_prefix(1);
            pattern.remove_prefix(1);
            continue;
        }
        const auto end = std::find_if_not(name.begin(), name.end(), isDigit);
        if (end == name.begin())
            return false;
        name.remove_prefix(static_cast<std::size_t>(end - name.begin()));
        pattern.remove_prefix(mark);
    }
    // Scales lie beside what they belong to: "….weight_scale_inv".
    left = {};
    return name.empty() || name.front() == '_';
}

// "model.layers.3.*" ends where the number of a family is told.
bool endsBehindLayer(std::string_view pattern, std::string_view left) {
    return pattern.substr(0, pattern.size() - left.size()).ends_with("{i}.");
}

class KeyNames {
public:
    KeyNames(const std::vector<Finding>& findings,
             const ConfigRules& rules,
             const TensorNames& names)
        : rules_(rules),
          names_(names) {
        for (const Finding& finding : findings) {
            if (finding.severity != Severity::Error || !finding.code.starts_with("config-"))
                continue;
            const std::string front = rules.root + ".";
            wrong_.insert(finding.key.starts_with(front) ? finding.key.substr(front.size())
                                                         : finding.key);
        }
    }

    bool nothingWrong() const { return wrong_.empty(); }

    // "" if no key that is wrong has to do with the tensor.
    std::string keyOf(const std::string& tensor) const {
        for (const Evidence& evidence : rules_.evidence) {
            const std::string pattern = evidence.tensor.empty() ? "" : names_(evidence.tensor);
            std::string_view left;
            if (pattern.empty() || !follows(pattern, tensor, left))
                continue;
            const std::string key =
                left.empty() ? keyOfTensor(evidence) : keyOfFamily(evidence, pattern, left);
            if (!key.empty())
                return rules_.root.empty() ? key : rules_.root + "." + key;
        }
        return "";
    }

private:
    std::string wrongKey(const std::optional<Formula>& formula) const {
        if (!formula)
            return "";
        const auto& keys = formula->keys();
        const auto at = std::find_if(keys.begin(), keys.end(), [this](const std::string& key) {
            return wrong_.contains(key);
        });
        return at == keys.end() ? "" : *at;
    }

    std::string keyOfTensor(const Evidence& evidence) const {
        for (const Formula& formula : evidence.shape) {
            if (std::string key = wrongKey(formula); !key.empty())
                return key;
        }
        for (const auto* formula : {&evidence.experts, &evidence.count, &evidence.layers}) {
            if (std::string key = wrongKey(*formula); !key.empty())
                return key;
        }
        return "";
    }

    std::string keyOfFamily(const Evidence& evidence,
                            std::string_view pattern,
                            std::string_view left) const {
        if (!endsBehindLayer(pattern, left))
            return wrongKey(evidence.experts);
        std::string key = wrongKey(evidence.layers);
        return key.empty() ? wrongKey(evidence.count) : key;
    }

    const ConfigRules& rules_;
    const TensorNames& names_;
    std::set<std::string, std::less<>> wrong_;
};

}  // namespace

void nameKeys(std::vector<Finding>& findings, const ConfigRules& rules, const TensorNames& names) {
    const KeyNames keys(findings, rules, names);
    if (keys.nothingWrong())
        return;
    for (Finding& finding : findings) {
        const bool follows = finding.code == "tensor-shape" || finding.code == "tensor-missing" ||
                             finding.code.starts_with("family-");
        if (follows && finding.key.empty() && !finding.tensor.empty())
            finding.key = keys.keyOf(finding.tensor);
    }
}

}  // namespace fl::recipe
