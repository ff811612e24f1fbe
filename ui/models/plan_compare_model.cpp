// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/plan_compare_model.h"

#include <algorithm>

#include "ui/models/plan_model.h"
#include "ui/models/text.h"

namespace fl::models {

namespace {

using protocol::PlanInfo;
using protocol::RankInfo;

// What each property should be, to be called better.
constexpr int kLess = -1;
constexpr int kMore = 1;
constexpr int kEither = 0;

// The largest of what ranks have, as that is what must fit.
template <class Part>
std::int64_t most(const PlanInfo& plan, Part part) {
    std::int64_t value = 0;
    for (const RankInfo& rank : plan.ranks)
        value = std::max(value, std::int64_t(part(rank)));
    return value;
}

QString layersText(const PlanInfo& plan) {
    QStringList parts;
    for (const int layers : plan.stageLayers)
        parts << QString::number(layers);
    return parts.join(QStringLiteral(" + "));
}

QString signedText(double difference, const QString& amount) {
    return (difference < 0 ? QStringLiteral("−") : QStringLiteral("+")) + amount;
}

int judged(double difference, int wanted) {
    return difference == 0 || wanted == kEither    ? 0
           : (difference > 0) == (wanted == kMore) ? 1
                                                   : -1;
}

}  // namespace

int PlanCompareModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : int(rows_.size());
}

int PlanCompareModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : ColumnCount;
}

QVariant PlanCompareModel::data(const QModelIndex& index, int role) const {
    if (!checkIndex(index, CheckIndexOption::IndexIsValid | CheckIndexOption::ParentIsInvalid))
        return {};
    const Row& row = rows_[std::size_t(index.row())];
    if (role == DiffersRole)
        return row.first != row.second;
    if (role == JudgementRole)
        return row.judgement;
    if (role == Qt::TextAlignmentRole && index.column() > PropertyColumn)
        return int(Qt::AlignRight | Qt::AlignVCenter);
    if (role != Qt::DisplayRole)
        return {};
    const QString texts[] = {row.property, row.first, row.second, row.change};
    return texts[index.column()];
}

QVariant PlanCompareModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal)
        return {};
    if (role == Qt::TextAlignmentRole && section > PropertyColumn)
        return int(Qt::AlignRight | Qt::AlignVCenter);
    if (role != Qt::DisplayRole)
        return {};
    const QString titles[] = {tr("Property"), firstName_, secondName_, tr("Difference")};
    return section >= 0 && section < ColumnCount ? titles[section] : QString();
}

int PlanCompareModel::differences() const {
    return int(std::count_if(rows_.begin(), rows_.end(),
                             [](const Row& row) { return row.first != row.second; }));
}

void PlanCompareModel::addText(const QString& property,
                               const QString& first,
                               const QString& second) {
    rows_.push_back({property, first, second, {}, 0});
}

void PlanCompareModel::addCount(const QString& property,
                                std::int64_t first,
                                std::int64_t second,
                                int wanted) {
    const std::int64_t difference = second - first;
    rows_.push_back({property, countText(first), countText(second),
                     difference == 0
                         ? QString()
                         : signedText(double(difference), countText(std::abs(difference))),
                     judged(double(difference), wanted)});
}

void PlanCompareModel::addBytes(const QString& property,
                                std::int64_t first,
                                std::int64_t second,
                                int wanted) {
    const std::int64_t difference = second - first;
    const auto text = [](std::int64_t bytes) {
        return bytes < 0 ? QStringLiteral("−") + bytesText(-bytes) : bytesText(bytes);
    };
    rows_.push_back({property, text(first), text(second),
                     difference == 0
                         ? QString()
                         : signedText(double(difference), bytesText(std::abs(difference))),
                     judged(double(difference), wanted)});
}

void PlanCompareModel::addSeconds(const QString& property, double first, double second) {
    const double difference = second - first;
    const auto text = [](double seconds) {
        return seconds > 0 ? durationText(seconds) : tr("not known");
    };
    const bool known = first > 0 && second > 0;
    rows_.push_back({property, text(first), text(second),
                     !known || difference == 0
                         ? QString()
                         : signedText(difference, durationText(std::abs(difference))),
                     known ? judged(difference, kLess) : 0});
}

void PlanCompareModel::addCut(const PlanInfo& first, const PlanInfo& second) {
    addCount(tr("Tensor parallel"), first.mesh.tp, second.mesh.tp, kEither);
    addCount(tr("Pipeline stages"), first.mesh.pp, second.mesh.pp, kEither);
    addCount(tr("Expert parallel"), first.mesh.ep, second.mesh.ep, kEither);
    addCount(tr("Data parallel"), first.mesh.dp, second.mesh.dp, kEither);
    addCount(tr("Ranks"), std::int64_t(first.ranks.size()), std::int64_t(second.ranks.size()),
             kEither);
    addText(tr("Rank order"), qt(first.order), qt(second.order));
    addText(tr("Layers per stage"), layersText(first), layersText(second));
    addCount(tr("Longest context"), first.maxContext, second.maxContext, kMore);
    addCount(tr("Sequences at once"), first.maxSequences, second.maxSequences, kMore);
    addText(tr("KV cache"), qt(first.kv), qt(second.kv));
    addText(tr("Compute"), qt(first.compute), qt(second.compute));
    addCount(tr("Violated rules"), std::int64_t(first.violations.size()),
             std::int64_t(second.violations.size()), kLess);
}

void PlanCompareModel::addMemory(const PlanInfo& first, const PlanInfo& second) {
    const auto add = [&](const QString& property, auto part) {
        const std::int64_t a = most(first, part);
        const std::int64_t b = most(second, part);
        if (a != 0 || b != 0)
            addBytes(property, a, b, kLess);
    };
    add(tr("Fullest rank"), [](const RankInfo& rank) { return rank.ledger.total; });
    addBytes(tr("Least free"), smallestFreeBytes(first), smallestFreeBytes(second), kMore);
    add(tr("Weights a rank"), [](const RankInfo& rank) { return rank.ledger.weights; });
    add(tr("Scales a rank"), [](const RankInfo& rank) { return rank.ledger.scales; });
    add(tr("KV cache a rank"), [](const RankInfo& rank) { return rank.ledger.kv; });
    add(tr("State a rank"), [](const RankInfo& rank) { return rank.ledger.state; });
    add(tr("Activations a rank"), [](const RankInfo& rank) { return rank.ledger.activations; });
    add(tr("Communication a rank"), [](const RankInfo& rank) { return rank.ledger.communication; });
}

void PlanCompareModel::addSpeed(const PlanInfo& first, const PlanInfo& second) {
    const protocol::PredictedInfo& a = first.predicted;
    const protocol::PredictedInfo& b = second.predicted;
    addSeconds(tr("Step, predicted"), a.step, b.step);
    addText(tr("Bound by"), qt(a.bound), qt(b.bound));
    addSeconds(tr("Communication of it"), a.communication, b.communication);
    addSeconds(tr("Prefill of a chunk"), a.prefill, b.prefill);
    addCount(tr("Tokens a second"), std::int64_t(a.tokensPerSecond),
             std::int64_t(b.tokensPerSecond), kMore);
}

void PlanCompareModel::compare(const QString& firstName,
                               const PlanInfo& first,
                               const QString& secondName,
                               const PlanInfo& second) {
    beginResetModel();
    firstName_ = firstName;
    secondName_ = secondName;
    rows_.clear();
    addCut(first, second);
    addMemory(first, second);
    addSpeed(first, second);
    endResetModel();
}

void PlanCompareModel::reset() {
    beginResetModel();
    rows_.clear();
    endResetModel();
}

}  // namespace fl::models
