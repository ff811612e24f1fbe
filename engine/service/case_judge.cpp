// SPDX-License-Identifier: Apache-2.0
#include "engine/service/case_judge.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include <fmt/core.h>

#include "engine/base/text.h"

namespace fl::service {

namespace {

constexpr double kBf16Step = 1.0 / 256;
constexpr double kGrace = 10;  // as the greedy rung grants

// The layer whose router lies right before this rung.
std::optional<int> routedLayer(const std::string& rung) {
    const auto parts = split(rung, '.');
    if (parts.size() < 2 || parts[0] != "layer" || (parts.size() == 3 && parts[2] != "mlp"))
        return std::nullopt;
    const auto layer = parseInteger(parts[1]);
    return layer ? std::optional(static_cast<int>(*layer)) : std::nullopt;
}

int count(const std::vector<bool>& marks) {
    return static_cast<int>(std::count(marks.begin(), marks.end(), true));
}

}  // namespace

void addRung(protocol::CaseResult& result, protocol::Rung rung, protocol::Divergence where) {
    if (rung.verdict == "fail" && result.firstDivergence.empty()) {
        where.rung = rung.name;
        result.firstDivergence.push_back(std::move(where));
    }
    result.rungs.push_back(std::move(rung));
}

CaseJudge::CaseJudge(const ReferenceCase& one, const JudgeRules& rules, CancelToken cancel)
    : case_(one),
      rules_(rules),
      cancel_(std::move(cancel)),
      parted_(one.inputIds.size(), false) {}

Status CaseJudge::open(const protocol::RankCaptured& captured) {
    if (!captured.error.empty())
        return Error{ErrorCode::Internal,
                     fmt::format("rank {}: {}", captured.rank, captured.error)};
    RankFiles files;
    files.rank = captured.rank;
    for (const std::string& path : captured.files) {
        FL_TRY(auto part, checkpoint::openCheckpoint(path, cancel_));
        if (hasErrors(part.findings))
            return Error{ErrorCode::Corrupt, path + ": " + part.findings.front().message};
        files.parts.push_back(std::move(part));
    }
    files_.push_back(std::move(files));
    return Done{};
}

Status CaseJudge::judge(protocol::CaseResult& result) {
    for (const std::string& name : case_.rungs)
        FL_DO(judgeRung(name, result));
    return Done{};
}

// Empty where the rank does not hold the rung.
Result<RowSums> CaseJudge::sumsOf(const std::string& name, const RankFiles& files) const {
    RowSums sums;
    for (const checkpoint::Checkpoint& part : files.parts) {
        if (part.inventory.find(name) == nullptr)
            return sums;
        FL_DO(cancel_.check("validate"));
        FL_TRY(const Array ours, readArray(part, name));
        FL_TRY(const Array reference, readRows(*case_.file, name, sums.rows(), ours.rows));
        sums.add(ours, reference);
    }
    return sums;
}

Result<std::vector<double>> CaseJudge::marginsOf(int layer) const {
    std::vector<double> margins;
    const auto chosen = rules_.chosen.find(layer);
    if (chosen == rules_.chosen.end())
        return margins;
    for (const RankFiles& files : files_) {
        for (const checkpoint::Checkpoint& part : files.parts) {
            if (part.inventory.find(routerRung(layer)) == nullptr)
                break;
            FL_TRY(const Array logits, readArray(part, routerRung(layer)));
            const auto some = routerMargins(logits, chosen->second);
            margins.insert(margins.end(), some.begin(), some.end());
        }
        if (!margins.empty())
            break;
    }
    return margins;
}

Status CaseJudge::part(const std::string& name, const RowSums& sums) {
    const auto layer = routedLayer(name);
    if (!layer)
        return Done{};
    FL_TRY(const std::vector<double> margins, marginsOf(*layer));
    const double unsure = kGrace * std::max(std::min(before_, rules_.tolerance), kBf16Step);
    std::vector<bool> parted = parted_;
    const std::size_t rows = std::min({margins.size(), parted.size(), sums.difference.size()});
    for (std::size_t row = 0; row < rows; ++row) {
        if (sums.error(static_cast<std::int64_t>(row)) > rules_.tolerance && margins[row] < unsure)
            parted[row] = true;
    }
    if (2 * count(parted) < static_cast<int>(parted.size()))
        parted_ = std::move(parted);
    return Done{};
}

Status CaseJudge::judgeRung(const std::string& name, protocol::CaseResult& result) {
    protocol::Rung rung;
    rung.name = name;
    rung.tolerance = rules_.tolerance;
    std::optional<RungError> worst;
    int farthest = -1;
    for (const RankFiles& files : files_) {
        FL_TRY(const RowSums sums, sumsOf(name, files));
        if (sums.rows() == 0)
            continue;
        if (!rules_.chosen.empty())
            FL_DO(part(name, sums));
        const RungError error = rungError(sums, parted_);
        if (name == "logits")
            logitsError_ = std::max(logitsError_, rungError(sums).absolute);
        if (!worst || !(error.overall <= worst->overall)) {
            worst = error;
            farthest = files.rank;
        }
        if (sums.rows() != static_cast<std::int64_t>(case_.inputIds.size()))
            worst->overall = std::nan("");  // another number of tokens
    }
    if (!worst)
        return Error{ErrorCode::NotFound, fmt::format("no rank captured '{}'", name)};
    rung.error = worst->overall;
    rung.worstToken = worst->worstToken;
    rung.parted = count(parted_);
    rung.verdict = worst->overall <= rules_.tolerance ? "pass" : "fail";
    before_ = std::max(before_, worst->overall);
    addRung(result, std::move(rung), {"", farthest, rules_.sliceOf(farthest), worst->worstRow});
    return Done{};
}

}  // namespace fl::service
