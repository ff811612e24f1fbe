// SPDX-License-Identifier: GPL-3.0-or-later
// What each rank holds now, beside what the plan said and what the card allows.
#pragma once

#include <vector>

#include <QObject>
#include <QString>

#include "engine/protocol/messages.h"
#include "ui/models/metric_series.h"

namespace fl::models {

struct RankMemory {
    int rank = 0;
    QString node;
    protocol::LedgerInfo planned;
    protocol::LedgerInfo used;
    bool measured = false;  // a sample has come
    std::int64_t budget = 0;
    std::int64_t peak = 0;
    std::int64_t resident = 0;
    double utilisation = -1;
    double temperature = -1000;
    MetricSeries total{7200};
};

class MemoryModel : public QObject {
    Q_OBJECT

public:
    using QObject::QObject;

    const std::vector<RankMemory>& ranks() const { return ranks_; }  // ascending
    const RankMemory* rank(int rank) const;  // null: neither planned nor seen
    bool empty() const { return ranks_.empty(); }
    bool measured() const;
    std::int64_t largestBudget() const;
    std::int64_t peak() const;  // of the fullest rank

public slots:
    // Ranks, plan and budget; samples of ranks that stay are kept.
    void applyPlan(const fl::protocol::PlanInfo& plan);
    void applySample(const fl::protocol::MemorySample& sample);
    // Forgets measured values; the plan stays.
    void forgetSamples();
    void reset();

signals:
    void changed();

private:
    RankMemory& rowFor(int rank);

    std::vector<RankMemory> ranks_;
};

}  // namespace fl::models
