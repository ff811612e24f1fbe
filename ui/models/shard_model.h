// SPDX-License-Identifier: GPL-3.0-or-later
// The checkpoint's files, one row each, with how far they are read while ranks load.
#pragma once

#include <vector>

#include <QAbstractTableModel>

#include "engine/protocol/messages.h"

namespace fl::models {

class ShardModel : public QAbstractTableModel {
    Q_OBJECT

public:
    enum Column { FileColumn, BytesColumn, TensorsColumn, StateColumn, ColumnCount };
    enum Role {
        StateRole = Qt::UserRole,  // checked, reading, read, waiting, warning, broken
        FractionRole,              // read so far, 0 … 1
        BytesRole,
    };

    using QAbstractTableModel::QAbstractTableModel;

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

    int countOf(const QString& state) const;

public slots:
    void apply(const fl::protocol::Census& census);
    // Ranks read files in order, so that a file all ranks have gone past is read.
    void applyLoad(const fl::protocol::LoadProgress& progress);
    void forgetLoad();  // shards show what Inspect found again
    void reset();

private:
    struct Reader {
        int rank = 0;
        int first = -1;  // file it was first seen in
        int shard = -1;
        double fraction = 0;  // of all its bytes
    };
    QString stateOf(std::size_t row) const;
    double fractionOf(std::size_t row) const;

    std::vector<protocol::ShardInfo> shards_;
    std::vector<Reader> readers_;
};

}  // namespace fl::models
