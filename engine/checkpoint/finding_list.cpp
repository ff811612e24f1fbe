// SPDX-License-Identifier: Apache-2.0
#include "engine/checkpoint/finding_list.h"

#include <utility>

#include <fmt/core.h>

namespace fl::checkpoint {

constexpr int kKeptPerCode = 100;

Finding& FindingList::error(std::string_view code, std::string_view file, std::string message) {
    return add(Severity::Error, code, file, std::move(message));
}

Finding& FindingList::warning(std::string_view code, std::string_view file, std::string message) {
    return add(Severity::Warning, code, file, std::move(message));
}

Finding& FindingList::add(Severity severity,
                          std::string_view code,
                          std::string_view file,
                          std::string message) {
    auto position = codes_.find(code);
    if (position == codes_.end())
        position = codes_.emplace(std::string(code), PerCode{}).first;
    PerCode& known = position->second;
    if (known.kept == kKeptPerCode) {
        ++findings_[known.last].count;
        return uncounted_;
    }
    ++known.kept;
    known.last = findings_.size();
    Finding& finding = findings_.emplace_back();
    finding.code = code;
    finding.severity = severity;
    finding.stage = "inspect";
    finding.message = std::move(message);
    finding.file = file;
    return finding;
}

void FindingList::add(Finding finding) {
    Finding& kept = add(finding.severity, finding.code, finding.file, "");
    kept = std::move(finding);
}

void FindingList::absorb(FindingList&& other) {
    for (Finding& finding : other.findings_) {
        Finding& place = add(finding.severity, finding.code, {}, {});
        if (&place == &uncounted_)
            findings_[codes_.find(finding.code)->second.last].count += finding.count - 1;
        else
            place = std::move(finding);
    }
    other.findings_.clear();
    other.codes_.clear();
}

void FindingList::each(const std::function<void(Finding&)>& visit) {
    for (Finding& finding : findings_)
        visit(finding);
}

std::vector<Finding> FindingList::take() {
    codes_.clear();
    auto out = folded(std::exchange(findings_, {}));
    for (Finding& finding : out) {
        constexpr std::string_view kOne = "this file";
        const auto at = finding.remedy.find(kOne);
        if (finding.count > 1 && finding.tensor.empty() && at != std::string::npos)
            finding.remedy.replace(at, kOne.size(), fmt::format("these {} files", finding.count));
    }
    return out;
}

}  // namespace fl::checkpoint
