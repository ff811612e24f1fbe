// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/shard_model.h"

#include <algorithm>

#include "ui/models/text.h"

namespace fl::models {

int ShardModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : int(shards_.size());
}

int ShardModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : ColumnCount;
}

// A rank reads the files of its own layers in order, from the one it was first seen in: a file that
// ranks have gone past, while none stands in it, is read.
double ShardModel::fractionOf(std::size_t row) const {
    int past = 0;
    int standing = 0;
    double inside = 0;
    for (const Reader& reader : readers_) {
        if (reader.first < 0 || reader.first > int(row))
            continue;
        if (reader.shard > int(row) || (reader.shard == int(row) && reader.fraction >= 1)) {
            ++past;
        } else if (reader.shard == int(row)) {
            ++standing;
            inside += shards_.size() == 1 ? reader.fraction : 0.5;
        }
    }
    return past + standing > 0 ? (past + inside) / (past + standing) : 0;
}

QString ShardModel::stateOf(std::size_t row) const {
    const std::string& found = shards_[row].state;
    if (found != "whole")
        return qt(found);
    if (readers_.empty())
        return QStringLiteral("checked");
    const double fraction = fractionOf(row);
    if (fraction <= 0)
        return QStringLiteral("waiting");
    return fraction >= 1 ? QStringLiteral("read") : QStringLiteral("reading");
}

QVariant ShardModel::data(const QModelIndex& index, int role) const {
    if (!checkIndex(index, CheckIndexOption::IndexIsValid | CheckIndexOption::ParentIsInvalid))
        return {};
    const auto row = std::size_t(index.row());
    const protocol::ShardInfo& shard = shards_[row];
    if (role == StateRole)
        return stateOf(row);
    if (role == FractionRole)
        return fractionOf(row);
    if (role == BytesRole)
        return qlonglong(shard.bytes);
    if (role == Qt::TextAlignmentRole && index.column() != FileColumn)
        return int(Qt::AlignRight | Qt::AlignVCenter);
    if (role != Qt::DisplayRole)
        return {};
    switch (index.column()) {
        case FileColumn:
            return qt(shard.file);
        case BytesColumn:
            return bytesText(shard.bytes);
        case TensorsColumn:
            return countText(shard.tensors);
        default:
            return stateOf(row);
    }
}

QVariant ShardModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole)
        return {};
    switch (section) {
        case FileColumn:
            return tr("File");
        case BytesColumn:
            return tr("Bytes");
        case TensorsColumn:
            return tr("Tensors");
        default:
            return tr("State");
    }
}

int ShardModel::countOf(const QString& state) const {
    int count = 0;
    for (std::size_t row = 0; row < shards_.size(); ++row)
        count += stateOf(row) == state ? 1 : 0;
    return count;
}

void ShardModel::apply(const protocol::Census& census) {
    beginResetModel();
    shards_ = census.shards;
    readers_.clear();
    endResetModel();
}

void ShardModel::applyLoad(const protocol::LoadProgress& progress) {
    if (shards_.empty())
        return;
    auto reader = std::find_if(readers_.begin(), readers_.end(),
                               [&](const Reader& r) { return r.rank == progress.rank; });
    if (reader == readers_.end())
        reader = readers_.insert(reader, Reader{progress.rank, -1, -1, 0});
    const auto shard = std::find_if(shards_.begin(), shards_.end(), [&](const auto& s) {
        return !progress.file.empty() && s.file == progress.file;
    });
    if (shard != shards_.end()) {
        const int row = int(shard - shards_.begin());
        reader->first = reader->first < 0 ? row : std::min(reader->first, row);
        reader->shard = std::max(reader->shard, row);
    }
    reader->fraction = progress.bytes > 0 ? double(progress.bytesDone) / double(progress.bytes) : 1;
    emit dataChanged(index(0, 0), index(rowCount() - 1, ColumnCount - 1));
}

void ShardModel::forgetLoad() {
    readers_.clear();
    if (!shards_.empty())
        emit dataChanged(index(0, 0), index(rowCount() - 1, ColumnCount - 1));
}

void ShardModel::reset() {
    beginResetModel();
    shards_.clear();
    readers_.clear();
    endResetModel();
}

}  // namespace fl::models
