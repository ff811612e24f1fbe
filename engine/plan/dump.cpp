// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include "engine/base/text.h"
#include "engine/plan/plan.h"

namespace fl::plan {

static std::string rankLine(const RankPlan& rank) {
    std::string out =
        fmt::format("rank {}: node {} device {}, dp {} stage {} tp {}", rank.rank, rank.node,
                    rank.device, rank.where.dp, rank.where.pp, rank.where.tp);
    for (std::size_t i = 0; i < kCategoryCount; ++i) {
        const auto category = static_cast<Category>(i);
        if (rank.ledger[category] > 0)
            out += fmt::format(", {} {}", name(category), formatBytes(rank.ledger[category]));
    }
    return out + fmt::format(", free {} of {}\n", formatBytes(rank.ledger.free()),
                             formatBytes(rank.ledger.capacity));
}

std::string dump(const Plan& plan) {
    std::string out = fmt::format("plan {}: {} ranks\n", text(plan.mesh), plan.mesh.ranks());
    for (std::size_t i = 0; i < plan.stages.size(); ++i) {
        const Stage& stage = plan.stages[i];
        out += fmt::format("stage {}: layers {}–{}{}{}\n", i, stage.firstLayer, stage.endLayer - 1,
                           stage.embeds ? ", embedding" : "", stage.answers ? ", head" : "");
    }
    for (const RankPlan& rank : plan.ranks)
        out += rankLine(rank);
    if (!plan.ranks.empty()) {
        out += fmt::format("step {} (bound by {})\n", formatDuration(plan.predicted.stepSeconds),
                           plan.predicted.bound);
    }
    for (const Finding& finding : plan.findings)
        out += fl::text(finding) + "\n";
    return out;
}

}  // namespace fl::plan
