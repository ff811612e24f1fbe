// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/plan_model.h"

#include <algorithm>
#include <utility>

#include "ui/models/text.h"

namespace fl::models {

namespace {

bool same(const protocol::MeshInfo& a, const protocol::MeshInfo& b) {
    return a.dp == b.dp && a.pp == b.pp && a.ep == b.ep && a.tp == b.tp;
}

}  // namespace

QString meshText(const protocol::MeshInfo& mesh) {
    QStringList parts;
    const std::pair<const char*, int> factors[] = {
        {"tp", mesh.tp}, {"pp", mesh.pp}, {"ep", mesh.ep}, {"dp", mesh.dp}};
    for (const auto& [name, value] : factors) {
        if (value > 1)
            parts << QString::fromLatin1(name) + QString::number(value);
    }
    return parts.isEmpty() ? QStringLiteral("tp1") : parts.join(QStringLiteral("·"));
}

int PlanModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() || !plan_ ? 0 : int(plan_->alternatives.size());
}

int PlanModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : ColumnCount;
}

QVariant PlanModel::data(const QModelIndex& index, int role) const {
    if (!checkIndex(index, CheckIndexOption::IndexIsValid | CheckIndexOption::ParentIsInvalid))
        return {};
    const protocol::AlternativeInfo& plan = plan_->alternatives[std::size_t(index.row())];
    const bool inUse = same(plan.mesh, plan_->mesh);
    if (role == InUseRole)
        return inUse;
    if (role == Qt::TextAlignmentRole &&
        (index.column() == PeakColumn || index.column() == StepColumn))
        return int(Qt::AlignRight | Qt::AlignVCenter);
    if (role != Qt::DisplayRole)
        return {};
    switch (index.column()) {
        case PlanColumn:
            return meshText(plan.mesh);
        case PeakColumn:
            return bytesIn(plan.peakBytes, unitOf(largestRankBytes()));
        case StepColumn:
            return plan.step > 0 ? QString::number(plan.step * 1000, 'f', 1) : tr("not known");
        default:
            if (inUse)
                return tr("in use");
            return plan.freeBytes < 0 ? tr("over budget") : QString();
    }
}

QVariant PlanModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole)
        return {};
    switch (section) {
        case PlanColumn:
            return tr("Plan");
        case PeakColumn:
            return tr("Peak %1").arg(unitOf(largestRankBytes()));
        case StepColumn:
            return tr("Step ms");
        default:
            return QString();
    }
}

const protocol::RankInfo* PlanModel::rank(int rank) const {
    if (!plan_)
        return nullptr;
    for (const protocol::RankInfo& info : plan_->ranks) {
        if (info.rank == rank)
            return &info;
    }
    return nullptr;
}

const std::vector<protocol::SliceInfo>* PlanModel::slices(int rank) const {
    const auto found = slices_.find(rank);
    return found == slices_.end() ? nullptr : &found->second;
}

std::int64_t PlanModel::largestRankBytes() const {
    std::int64_t largest = 0;
    for (std::size_t i = 0; plan_ && i < plan_->ranks.size(); ++i)
        largest = std::max(largest, plan_->ranks[i].ledger.total);
    return largest;
}

std::int64_t PlanModel::smallestFreeBytes() const {
    if (!plan_ || plan_->ranks.empty())
        return 0;
    std::int64_t smallest = plan_->ranks.front().capacity - plan_->ranks.front().ledger.total;
    for (const protocol::RankInfo& rank : plan_->ranks)
        smallest = std::min(smallest, rank.capacity - rank.ledger.total);
    return smallest;
}

std::int64_t PlanModel::heldBytes() const {
    std::int64_t sum = 0;
    for (std::size_t i = 0; plan_ && i < plan_->ranks.size(); ++i)
        sum += plan_->ranks[i].ledger.weights + plan_->ranks[i].ledger.scales;
    return sum;
}

std::int64_t PlanModel::replicatedBytes() const {
    std::int64_t sum = 0;
    for (std::size_t i = 0; plan_ && i < plan_->ranks.size(); ++i)
        sum += plan_->ranks[i].ledger.replicatedWeights;
    return sum;
}

void PlanModel::apply(const protocol::PlanInfo& plan) {
    beginResetModel();
    plan_ = plan;
    proposal_.reset();
    slices_.clear();
    endResetModel();
    emit changed();
    emit proposalChanged();
}

void PlanModel::propose(const protocol::PlanInfo& plan) {
    proposal_ = plan;
    emit proposalChanged();
}

void PlanModel::discardProposal() {
    proposal_.reset();
    emit proposalChanged();
}

void PlanModel::applySlices(int rank, const protocol::SlicesReply& reply) {
    slices_[rank] = reply.slices;
    emit slicesChanged(rank);
}

void PlanModel::reset() {
    beginResetModel();
    plan_.reset();
    proposal_.reset();
    slices_.clear();
    endResetModel();
    emit changed();
    emit proposalChanged();
}

}  // namespace fl::models
