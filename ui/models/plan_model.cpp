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

const protocol::RankInfo* rankOf(const protocol::PlanInfo& plan, int rank) {
    const auto found = std::find_if(plan.ranks.begin(), plan.ranks.end(),
                                    [rank](const auto& info) { return info.rank == rank; });
    return found == plan.ranks.end() ? nullptr : &*found;
}

}  // namespace

std::int64_t heldBytes(const protocol::PlanInfo& plan) {
    std::int64_t sum = 0;
    for (const protocol::RankInfo& rank : plan.ranks)
        sum += rank.ledger.weights + rank.ledger.scales;
    return sum;
}

std::int64_t replicatedBytes(const protocol::PlanInfo& plan) {
    std::int64_t sum = 0;
    for (const protocol::RankInfo& rank : plan.ranks)
        sum += rank.ledger.replicatedWeights;
    return sum;
}

std::int64_t largestRankBytes(const protocol::PlanInfo& plan) {
    std::int64_t largest = 0;
    for (const protocol::RankInfo& rank : plan.ranks)
        largest = std::max(largest, rank.ledger.total);
    return largest;
}

std::int64_t smallestFreeBytes(const protocol::PlanInfo& plan) {
    std::int64_t smallest = plan.ranks.empty() ? 0 : INT64_MAX;
    for (const protocol::RankInfo& rank : plan.ranks)
        smallest = std::min(smallest, rank.capacity - rank.ledger.total);
    return smallest;
}

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

const std::vector<protocol::AlternativeInfo>& PlanModel::others() const {
    return search_ ? search_->best : plan_->alternatives;
}

int PlanModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() || !plan_ ? 0 : int(others().size());
}

int PlanModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : ColumnCount;
}

QVariant PlanModel::data(const QModelIndex& index, int role) const {
    if (!checkIndex(index, CheckIndexOption::IndexIsValid | CheckIndexOption::ParentIsInvalid))
        return {};
    const protocol::AlternativeInfo& plan = other(index.row());
    const bool inUse = same(plan.mesh, plan_->mesh) && plan.order == plan_->order;
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
            if (plan.freeBytes < 0)
                return tr("over budget");
            return plan.order == plan_->order ? QString() : qt(plan.order);
    }
}

QVariant PlanModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal)
        return {};
    if (role == Qt::TextAlignmentRole && (section == PeakColumn || section == StepColumn))
        return int(Qt::AlignRight | Qt::AlignVCenter);
    if (role != Qt::DisplayRole)
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
    return plan_ ? rankOf(*plan_, rank) : nullptr;
}

const protocol::RankInfo* PlanModel::shownRank(int rank) const {
    return plan_ ? rankOf(shown(), rank) : nullptr;
}

bool PlanModel::showsProposal() const {
    return proposal_ && !proposal_->ranks.empty() && !fl::hasErrors(proposal_->violations);
}

const PlacementCells* PlanModel::cells() const {
    const std::optional<PlacementCells>& known = showsProposal() ? proposalCells_ : cells_;
    return known ? &*known : nullptr;
}

std::int64_t PlanModel::largestRankBytes() const {
    return plan_ ? models::largestRankBytes(*plan_) : 0;
}

std::int64_t PlanModel::smallestFreeBytes() const {
    return plan_ ? models::smallestFreeBytes(*plan_) : 0;
}

std::int64_t PlanModel::heldBytes() const {
    return plan_ ? models::heldBytes(*plan_) : 0;
}

std::int64_t PlanModel::replicatedBytes() const {
    return plan_ ? models::replicatedBytes(*plan_) : 0;
}

void PlanModel::apply(const protocol::PlanInfo& plan) {
    beginResetModel();
    plan_ = plan;
    proposal_.reset();
    search_.reset();
    cells_.reset();
    proposalCells_.reset();
    endResetModel();
    emit changed();
    emit proposalChanged();
    emit searchChanged();
}

void PlanModel::applySearch(const protocol::SearchProgress& progress) {
    if (!plan_)
        return;
    beginResetModel();
    search_ = progress;
    endResetModel();
    emit searchChanged();
}

void PlanModel::forgetSearch() {
    beginResetModel();
    search_.reset();
    endResetModel();
    emit searchChanged();
}

void PlanModel::propose(const protocol::PlanInfo& plan) {
    proposal_ = plan;
    proposalCells_.reset();
    emit proposalChanged();
}

void PlanModel::discardProposal() {
    proposal_.reset();
    proposalCells_.reset();
    emit proposalChanged();
}

void PlanModel::applyCells(PlacementCells cells) {
    cells_ = std::move(cells);
    emit cellsChanged();
}

void PlanModel::applyProposalCells(PlacementCells cells) {
    if (!proposal_)
        return;
    proposalCells_ = std::move(cells);
    emit cellsChanged();
}

void PlanModel::reset() {
    beginResetModel();
    plan_.reset();
    proposal_.reset();
    search_.reset();
    cells_.reset();
    proposalCells_.reset();
    endResetModel();
    emit changed();
    emit proposalChanged();
    emit searchChanged();
}

}  // namespace fl::models
