// SPDX-License-Identifier: GPL-3.0-or-later
// What one rank holds of one layer, a slice a row.
#pragma once

#include <vector>

#include <QAbstractTableModel>

#include "engine/protocol/messages.h"

namespace fl::models {

// "rows 0–191", "columns 192–383", "experts 0–47", "whole".
QString cutText(const protocol::SliceInfo& slice);

class SliceModel : public QAbstractTableModel {
    Q_OBJECT

public:
    enum Column { TensorColumn, CutColumn, TypeColumn, BytesColumn, ColumnCount };
    enum Role { TensorRole = Qt::UserRole };

    using QAbstractTableModel::QAbstractTableModel;

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

    std::int64_t bytes() const;  // of all rows

public slots:
    // Largest first.
    void show(const std::vector<fl::protocol::SliceInfo>& slices);
    void reset();

private:
    std::vector<protocol::SliceInfo> slices_;
};

}  // namespace fl::models
