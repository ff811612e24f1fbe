// SPDX-License-Identifier: Apache-2.0
#include "engine/base/finding.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "engine/base/visible.h"

namespace fl {

std::string_view name(Severity severity) {
    switch (severity) {
        case Severity::Info:
            return "info";
        case Severity::Warning:
            return "warning";
        case Severity::Error:
            return "error";
    }
    return "error";
}

std::vector<Finding> folded(std::vector<Finding> findings, std::size_t examples) {
    using Key = std::tuple<std::string, Severity, std::string, std::string, std::string, int>;
    std::map<Key, std::size_t> seen;
    std::vector<Finding> out;
    for (Finding& finding : findings) {
        // Expected and found stay in the key: two shapes that differ in another way are two facts.
        const Key key{finding.code,     finding.severity, finding.key,
                      finding.expected, finding.found,    finding.rank};
        const std::string place = finding.tensor.empty() ? finding.file : finding.tensor;
        const auto [position, isNew] = seen.try_emplace(key, out.size());
        if (isNew || place.empty()) {
            if (finding.examples.empty() && !place.empty())
                finding.examples.push_back(place);
            position->second = out.size();
            out.push_back(std::move(finding));
            continue;
        }
        Finding& kept = out[position->second];
        kept.count += finding.count;
        if (kept.examples.size() < examples)
            kept.examples.push_back(place);
    }
    std::stable_sort(out.begin(), out.end(),
                     [](const Finding& a, const Finding& b) { return a.severity > b.severity; });
    return out;
}

bool hasErrors(const std::vector<Finding>& findings) {
    return std::any_of(findings.begin(), findings.end(),
                       [](const Finding& finding) { return finding.severity == Severity::Error; });
}

std::string text(const Finding& finding) {
    std::string out = std::string(name(finding.severity)) + " " + finding.code + ": ";
    out += finding.message;
    std::string place;
    const auto add = [&place](const std::string& part) {
        if (!part.empty())
            place += (place.empty() ? "" : "; ") + part;
    };
    add(finding.file);
    add(finding.tensor);
    add(finding.key);
    if (finding.rank >= 0)
        add("rank " + std::to_string(finding.rank));
    if (finding.count > 1)
        add(std::to_string(finding.count) + " times");
    if (!place.empty())
        out += " (" + place + ")";
    if (!finding.expected.empty())
        out += ", expected " + finding.expected;
    if (!finding.found.empty())
        out += ", found " + finding.found;
    if (!finding.remedy.empty())
        out += " — " + finding.remedy;
    return visible(out);
}

Finding fromError(const Error& error, std::string code, std::string stage) {
    Finding finding;
    finding.code = std::move(code);
    finding.stage = std::move(stage);
    finding.message = error.message;
    return finding;
}

}  // namespace fl
