// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/memory_model.h"

#include <algorithm>

#include "ui/models/text.h"

namespace fl::models {

const RankMemory* MemoryModel::rank(int rank) const {
    const auto found =
        std::lower_bound(ranks_.begin(), ranks_.end(), rank,
                         [](const RankMemory& r, int wanted) { return r.rank < wanted; });
    return found != ranks_.end() && found->rank == rank ? &*found : nullptr;
}

bool MemoryModel::measured() const {
    return std::any_of(ranks_.begin(), ranks_.end(),
                       [](const RankMemory& r) { return r.measured; });
}

std::int64_t MemoryModel::largestBudget() const {
    std::int64_t largest = 0;
    for (const RankMemory& rank : ranks_)
        largest = std::max(largest, rank.budget);
    return largest;
}

std::int64_t MemoryModel::peak() const {
    std::int64_t peak = 0;
    for (const RankMemory& rank : ranks_)
        peak = std::max({peak, rank.peak, rank.measured ? rank.used.total : 0});
    return peak;
}

RankMemory& MemoryModel::rowFor(int rank) {
    auto found = std::lower_bound(ranks_.begin(), ranks_.end(), rank,
                                  [](const RankMemory& r, int wanted) { return r.rank < wanted; });
    if (found == ranks_.end() || found->rank != rank) {
        found = ranks_.insert(found, RankMemory());
        found->rank = rank;
    }
    return *found;
}

void MemoryModel::applyPlan(const protocol::PlanInfo& plan) {
    std::vector<RankMemory> before = std::move(ranks_);
    ranks_.clear();
    for (const protocol::RankInfo& info : plan.ranks) {
        RankMemory& row = rowFor(info.rank);
        for (RankMemory& old : before) {
            if (old.rank == info.rank && old.measured)
                row = std::move(old);
        }
        row.rank = info.rank;
        row.node = qt(info.node);
        row.planned = info.ledger;
        row.budget = info.capacity;
    }
    emit changed();
}

void MemoryModel::applySample(const protocol::MemorySample& sample) {
    RankMemory& row = rowFor(sample.rank);
    row.used = sample.used;
    row.measured = true;
    row.budget = sample.budget > 0 ? sample.budget : row.budget;
    row.peak = std::max(row.peak, sample.peak);
    row.resident = sample.resident;
    row.utilisation = sample.utilisation;
    row.temperature = sample.temperature;
    row.total.append(sample.time, double(sample.used.total));
    emit changed();
}

void MemoryModel::forgetSamples() {
    for (RankMemory& row : ranks_) {
        row.used = {};
        row.measured = false;
        row.peak = 0;
        row.resident = 0;
        row.utilisation = -1;
        row.temperature = -1000;
        row.total.clear();
    }
    emit changed();
}

void MemoryModel::reset() {
    ranks_.clear();
    emit changed();
}

}  // namespace fl::models
