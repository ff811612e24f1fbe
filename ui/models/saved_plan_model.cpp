// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/saved_plan_model.h"

#include <algorithm>

#include "ui/models/text.h"

namespace fl::models {

int SavedPlanModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : int(plans_.size());
}

int SavedPlanModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : ColumnCount;
}

QVariant SavedPlanModel::data(const QModelIndex& index, int role) const {
    if (!checkIndex(index, CheckIndexOption::IndexIsValid | CheckIndexOption::ParentIsInvalid))
        return {};
    const protocol::SavedPlan& saved = plan(index.row());
    if (role == Qt::ToolTipRole)
        return tr("%1, saved at %2").arg(qt(saved.name), clockText(saved.savedAt));
    if (role == Qt::TextAlignmentRole && index.column() >= PeakColumn)
        return int(Qt::AlignRight | Qt::AlignVCenter);
    if (role != Qt::DisplayRole)
        return {};
    switch (index.column()) {
        case NameColumn:
            return qt(saved.name);
        case PlanColumn:
            return qt(saved.plan.name);
        case PeakColumn:
            return bytesText(saved.plan.peakBytes);
        default:
            return saved.plan.step > 0 ? durationText(saved.plan.step) : tr("not known");
    }
}

QVariant SavedPlanModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal)
        return {};
    if (role == Qt::TextAlignmentRole && section >= PeakColumn)
        return int(Qt::AlignRight | Qt::AlignVCenter);
    if (role != Qt::DisplayRole)
        return {};
    const QString titles[] = {tr("Saved"), tr("Plan"), tr("Peak"), tr("Step")};
    return section >= 0 && section < ColumnCount ? titles[section] : QString();
}

int SavedPlanModel::find(const QString& name) const {
    const auto found = std::find_if(plans_.begin(), plans_.end(),
                                    [&](const auto& saved) { return qt(saved.name) == name; });
    return found == plans_.end() ? -1 : int(found - plans_.begin());
}

void SavedPlanModel::apply(const protocol::SavedPlans& plans) {
    beginResetModel();
    plans_ = plans.plans;
    endResetModel();
}

void SavedPlanModel::add(const protocol::SavedPlan& plan) {
    beginResetModel();
    std::erase_if(plans_, [&](const auto& saved) { return saved.name == plan.name; });
    plans_.insert(plans_.begin(), plan);
    endResetModel();
}

void SavedPlanModel::reset() {
    apply({});
}

}  // namespace fl::models
