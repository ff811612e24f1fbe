// SPDX-License-Identifier: Apache-2.0
#include "app/ctl/plan_text.h"

#include <algorithm>
#include <array>
#include <functional>
#include <utility>

#include <fmt/core.h>

#include "app/ctl/context.h"
#include "engine/base/text.h"
#include "engine/protocol/codec.h"

namespace fl::app {

namespace {

using protocol::LedgerInfo;
using protocol::PlanInfo;
using protocol::RankInfo;

constexpr std::array<std::pair<const char*, std::int64_t LedgerInfo::*>, 8> kCategories = {
    {{"weights", &LedgerInfo::weights},
     {"scales", &LedgerInfo::scales},
     {"kv", &LedgerInfo::kv},
     {"state", &LedgerInfo::state},
     {"activations", &LedgerInfo::activations},
     {"communication", &LedgerInfo::communication},
     {"context", &LedgerInfo::context},
     {"staging", &LedgerInfo::staging}}};

std::string layersOf(const RankInfo& rank) {
    return rank.endLayer > rank.firstLayer
               ? fmt::format("{}–{}", rank.firstLayer, rank.endLayer - 1)
               : "none";
}

// Of ranks begin … end − 1.
std::string devicesOf(const PlanInfo& plan, std::size_t begin, std::size_t end) {
    const std::string& first = plan.ranks[begin].device;
    const std::string& last = plan.ranks[end - 1].device;
    if (end - begin == 1)
        return first;
    return first == last ? fmt::format("{} × {}", end - begin, first) : first + " … " + last;
}

bool holdTheSame(const RankInfo& one, const RankInfo& other) {
    return one.node == other.node && one.stage == other.stage && one.capacity == other.capacity &&
           protocol::encode(one.ledger) == protocol::encode(other.ledger);
}

// Of the whole job: the rank that is nearest to its budget.
const RankInfo* tightest(const PlanInfo& plan) {
    const auto found =
        std::min_element(plan.ranks.begin(), plan.ranks.end(), [](const auto& a, const auto& b) {
            return a.capacity - a.ledger.total < b.capacity - b.ledger.total;
        });
    return found == plan.ranks.end() ? nullptr : &*found;
}

std::string signedBytes(std::int64_t bytes) {
    return bytes == 0 ? "" : (bytes < 0 ? "−" : "+") + formatBytes(std::abs(bytes));
}

std::string sequences(int count) {
    return formatCount(count) + (count == 1 ? " sequence" : " sequences");
}

}  // namespace

std::string planHeading(const PlanInfo& plan) {
    std::string out = fmt::format("{}: context {}, {}, compute {}, kv {}", plan.name,
                                  formatCount(plan.maxContext), sequences(plan.maxSequences),
                                  plan.compute, plan.kv);
    if (plan.ranks.empty())
        return out + "\n";
    out += fmt::format("\nmax context {} at {}; {} at context {}", formatCount(plan.fit.context),
                       sequences(plan.maxSequences), sequences(plan.fit.sequences),
                       formatCount(plan.maxContext));
    out += fmt::format("\nstep {} (bound by {}), {:.4g} tokens/s, prefill of a chunk {}",
                       formatDuration(plan.predicted.step), plan.predicted.bound,
                       plan.predicted.tokensPerSecond, formatDuration(plan.predicted.prefill));
    for (const protocol::HostInfo& host : plan.hosts) {
        if (host.capacity > 0 && host.bytes > host.capacity / 2)
            out += fmt::format("\n{} needs {} of its own memory of {}", host.node,
                               formatBytes(host.bytes), formatBytes(host.capacity));
    }
    return out + "\n";
}

std::string rankTable(const PlanInfo& plan) {
    std::vector<const std::pair<const char*, std::int64_t LedgerInfo::*>*> shown;
    for (const auto& category : kCategories) {
        const bool any =
            std::any_of(plan.ranks.begin(), plan.ranks.end(),
                        [&](const RankInfo& rank) { return rank.ledger.*category.second > 0; });
        if (any)
            shown.push_back(&category);
    }
    std::vector<std::string> headings = {"rank", "node", "device", "stage", "layers"};
    std::string right = "rllrl";
    for (const auto* category : shown) {
        headings.emplace_back(category->first);
        right += 'r';
    }
    headings.insert(headings.end(), {"total", "capacity", "free"});
    right += "rrr";
    std::vector<std::vector<std::string>> rows;
    for (std::size_t i = 0; i < plan.ranks.size();) {
        const RankInfo& rank = plan.ranks[i];
        std::size_t end = i + 1;
        while (end < plan.ranks.size() && holdTheSame(rank, plan.ranks[end]))
            ++end;
        const int last = plan.ranks[end - 1].rank;
        std::vector<std::string> row = {
            last == rank.rank ? std::to_string(last) : fmt::format("{}–{}", rank.rank, last),
            rank.node, devicesOf(plan, i, end), std::to_string(rank.stage), layersOf(rank)};
        for (const auto* category : shown)
            row.push_back(formatBytes(rank.ledger.*category->second));
        row.insert(row.end(), {formatBytes(rank.ledger.total), formatBytes(rank.capacity),
                               signedBytes(rank.capacity - rank.ledger.total)});
        rows.push_back(std::move(row));
        i = end;
    }
    return table(headings, rows, right);
}

std::string planTable(const std::vector<protocol::AlternativeInfo>& plans) {
    std::vector<std::vector<std::string>> rows;
    for (const protocol::AlternativeInfo& plan : plans) {
        rows.push_back({plan.name, plan.order, std::to_string(plan.ranks),
                        formatBytes(plan.peakBytes), formatBytes(plan.freeBytes),
                        formatDuration(plan.step), plan.bound,
                        fmt::format("{:.4g}", plan.tokensPerSecond)});
    }
    return table({"legal plan", "order", "ranks", "largest rank", "least free", "step", "bound by",
                  "tokens/s"},
                 rows, "llrrrrlr");
}

std::string comparison(const std::string& oneName,
                       const PlanInfo& one,
                       const std::string& otherName,
                       const PlanInfo& other) {
    std::vector<std::vector<std::string>> rows;
    const auto words = [&](const char* what, const std::string& a, const std::string& b) {
        rows.push_back({what, a, b, a == b ? "" : "differs"});
    };
    const auto counts = [&](const char* what, std::int64_t a, std::int64_t b) {
        rows.push_back({what, formatCount(a), formatCount(b),
                        a == b ? "" : (b > a ? "+" : "−") + formatCount(std::abs(b - a))});
    };
    const auto bytes = [&](const std::string& what, std::int64_t a, std::int64_t b) {
        rows.push_back({what, formatBytes(a), formatBytes(b), signedBytes(b - a)});
    };
    const auto seconds = [&](const char* what, double a, double b) {
        rows.push_back({what, formatDuration(a), formatDuration(b),
                        a > 0 ? fmt::format("{:+.1f} %", (b / a - 1) * 100) : ""});
    };
    words("mesh", one.name, other.name);
    words("order", one.order, other.order);
    counts("ranks", static_cast<std::int64_t>(one.ranks.size()),
           static_cast<std::int64_t>(other.ranks.size()));
    counts("context", one.maxContext, other.maxContext);
    counts("sequences", one.maxSequences, other.maxSequences);
    words("kv", one.kv, other.kv);
    words("verdict", one.verdict, other.verdict);
    const RankInfo none;
    const RankInfo* a = tightest(one) ? tightest(one) : &none;
    const RankInfo* b = tightest(other) ? tightest(other) : &none;
    for (const auto& [name, member] : kCategories) {
        if (a->ledger.*member > 0 || b->ledger.*member > 0)
            bytes(std::string("tightest rank: ") + name, a->ledger.*member, b->ledger.*member);
    }
    bytes("tightest rank: total", a->ledger.total, b->ledger.total);
    bytes("tightest rank: free", a->capacity - a->ledger.total, b->capacity - b->ledger.total);
    counts("context that fits", one.fit.context, other.fit.context);
    counts("sequences that fit", one.fit.sequences, other.fit.sequences);
    seconds("step", one.predicted.step, other.predicted.step);
    seconds("of it communication", one.predicted.communication, other.predicted.communication);
    words("bound by", one.predicted.bound, other.predicted.bound);
    seconds("prefill of a chunk", one.predicted.prefill, other.predicted.prefill);
    return table({"", oneName, otherName, "difference"}, rows, "lrrr");
}

}  // namespace fl::app
