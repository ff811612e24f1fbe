// SPDX-License-Identifier: GPL-3.0-or-later
// Plans that were kept by name, newest first.
#pragma once

#include <vector>

#include <QAbstractTableModel>

#include "engine/protocol/messages.h"

namespace fl::models {

class SavedPlanModel : public QAbstractTableModel {
    Q_OBJECT

public:
    enum Column { NameColumn, PlanColumn, PeakColumn, StepColumn, ColumnCount };

    using QAbstractTableModel::QAbstractTableModel;

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

    const protocol::SavedPlan& plan(int row) const { return plans_[std::size_t(row)]; }
    int find(const QString& name) const;  // row; −1: none

public slots:
    void apply(const fl::protocol::SavedPlans& plans);
    // One more, or another one of the same name.
    void add(const fl::protocol::SavedPlan& plan);
    void reset();

private:
    std::vector<protocol::SavedPlan> plans_;
};

}  // namespace fl::models
