// SPDX-License-Identifier: Apache-2.0
// How far budgets reach, and what a machine's own memory has to hold.
#include <algorithm>
#include <limits>

#include "engine/plan/ledger.h"

namespace fl::plan {

namespace {

constexpr std::int64_t kPageEntry = 4;  // of a page table
// Staging of all ranks of a node together, and the most that one of them takes.
constexpr std::int64_t kNodeStaging = std::int64_t{32} << 20;
constexpr std::int64_t kRankStaging = std::int64_t{8} << 20;

// Code, libraries, MPI and the model's description in one process that runs a rank.
constexpr std::int64_t kProcessBytes = std::int64_t{64} << 20;

}  // namespace

std::int64_t stagingBytes(int ranksOnNode) {
    return std::min(kRankStaging, kNodeStaging / std::max(1, ranksOnNode));
}

Fit fitOf(const PlanOptions& options, const std::vector<FitQuestion>& ranks, std::int64_t longest) {
    const std::int64_t pages = pagesPerSequence(options);
    const std::int64_t asked = options.maxSequences;
    Fit fit{longest, std::numeric_limits<int>::max(), -1};
    for (const FitQuestion& rank : ranks) {
        const RankCost& cost = *rank.cost;
        const std::int64_t perPage = cost.kvBytesPerPage + kPageEntry;
        const std::int64_t room = rank.capacity - (cost.ledger.total() - asked * pages * perPage);
        const std::int64_t context =
            std::max<std::int64_t>(0, room) / (perPage * asked) * options.pageTokens;
        const std::int64_t perSequence = pages * perPage + cost.bytesPerSequence;
        const std::int64_t free = rank.capacity - cost.ledger.total() + asked * perSequence;
        const std::int64_t sequences = std::max<std::int64_t>(0, free) / perSequence;
        if (sequences < fit.sequences || fit.rank < 0)
            fit.rank = rank.rank;
        fit.context = std::min(fit.context, context);
        fit.sequences = static_cast<int>(std::min<std::int64_t>(fit.sequences, sequences));
    }
    return ranks.empty() ? Fit{} : fit;
}

std::vector<HostLedger> hostLedgers(const Plan& plan, const topology::Cluster& cluster) {
    std::vector<HostLedger> out;
    for (std::size_t n = 0; n < cluster.nodes.size(); ++n)
        out.push_back({static_cast<int>(n), 0, 0, cluster.nodes[n].memoryBytes});
    for (const RankPlan& rank : plan.ranks)
        ++out[static_cast<std::size_t>(rank.node)].ranks;
    for (const RankPlan& rank : plan.ranks) {
        HostLedger& host = out[static_cast<std::size_t>(rank.node)];
        const topology::Node& node = cluster.nodes[static_cast<std::size_t>(rank.node)];
        host.bytes += kProcessBytes + stagingBytes(host.ranks);
        if (node.devices[static_cast<std::size_t>(rank.device)].kind == "cpu")
            host.bytes += rank.ledger.total();
    }
    std::erase_if(out, [](const HostLedger& host) { return host.ranks == 0; });
    return out;
}

}  // namespace fl::plan
