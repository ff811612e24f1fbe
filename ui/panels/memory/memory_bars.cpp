// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/memory/memory_bars.h"

#include <algorithm>
#include <array>

#include <QCoreApplication>

#include "ui/models/ledger.h"
#include "ui/models/text.h"
#include "ui/widgets/theme.h"

namespace fl::panels {

using widgets::Theme;

namespace {

constexpr int kPlanned = -1;
// More would not fit beside the title; the last entry is "Planned".
constexpr std::size_t kMostNamed = 3;
// Names of nodes below the bars; of more nodes some go without, or they would overlap.
constexpr std::size_t kMostNodeNames = 8;

// What is stacked: what was measured, or the plan while nothing runs.
const protocol::LedgerInfo& stacked(const models::RankMemory& rank, bool planned) {
    return planned ? rank.planned : rank.used;
}

// Categories that some rank uses, largest first.
std::vector<std::size_t> usedParts(const models::MemoryModel& memory, bool planned) {
    std::array<std::int64_t, models::kLedgerParts> sums{};
    for (const models::RankMemory& rank : memory.ranks()) {
        const auto parts = models::ledgerParts(stacked(rank, planned));
        for (std::size_t part = 0; part < parts.size(); ++part)
            sums[part] += parts[part];
    }
    std::vector<std::size_t> used;
    for (std::size_t part = 0; part < sums.size(); ++part) {
        if (sums[part] > 0)
            used.push_back(part);
    }
    std::stable_sort(used.begin(), used.end(),
                     [&](std::size_t a, std::size_t b) { return sums[a] > sums[b]; });
    return used;
}

}  // namespace

MemoryBars memoryBars(const models::MemoryModel& memory) {
    MemoryBars bars;
    bars.unit = models::unitOf(std::max(memory.largestBudget(), memory.peak()));
    const double scale = models::unitBytes(bars.unit);
    bars.planned = !memory.measured();
    std::vector<std::size_t> used = usedParts(memory, bars.planned);
    for (std::size_t i = 0; i < std::min(used.size(), kMostNamed); ++i) {
        const auto part = static_cast<widgets::LedgerPart>(used[i]);
        bars.legend.push_back({Theme::ledgerName(part), Theme::ledgerSeries(part), false, false});
    }
    // Drawn in the ledger's order, whatever their size.
    std::sort(used.begin(), used.end());
    for (const std::size_t part : used) {
        const auto kind = static_cast<widgets::LedgerPart>(part);
        widgets::StackPart stack{Theme::ledgerName(kind), Theme::ledgerSeries(kind), {}};
        for (const models::RankMemory& rank : memory.ranks())
            stack.values << double(models::ledgerParts(stacked(rank, bars.planned))[part]) / scale;
        bars.parts.push_back(std::move(stack));
    }
    const QString planned = QCoreApplication::translate("MemoryPanel", "Planned");
    widgets::StackPart rest{planned, kPlanned, {}};
    for (const models::RankMemory& rank : memory.ranks()) {
        const std::int64_t total = stacked(rank, bars.planned).total;
        rest.values << double(std::max<std::int64_t>(0, rank.planned.total - total)) / scale;
        if (rank.budget > 0 && (bars.budget <= 0 || double(rank.budget) / scale < bars.budget))
            bars.budget = double(rank.budget) / scale;
        if (bars.groups.empty() || bars.groups.back().name != rank.node)
            bars.groups.push_back({rank.node, 0});
        ++bars.groups.back().count;
    }
    const std::size_t every = bars.groups.size() / (kMostNodeNames + 1) + 1;
    for (std::size_t i = 0; i < bars.groups.size(); ++i) {
        if (i % every != 0)
            bars.groups[i].name.clear();
    }
    if (bars.planned)
        return bars;
    bars.parts.push_back(std::move(rest));
    bars.legend.push_back({planned, kPlanned, false, false});
    return bars;
}

}  // namespace fl::panels
