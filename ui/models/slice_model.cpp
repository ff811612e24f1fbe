// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/slice_model.h"

#include <algorithm>

#include "ui/models/text.h"

namespace fl::models {

QString cutText(const protocol::SliceInfo& slice) {
    const auto range = [](std::int64_t begin, std::int64_t end) {
        return QStringLiteral("%1–%2").arg(countText(begin), countText(end - 1));
    };
    if (slice.expertCount > 0)
        return SliceModel::tr("experts %1")
            .arg(range(slice.firstExpert, slice.firstExpert + slice.expertCount));
    if (slice.axis == 0)
        return SliceModel::tr("rows %1").arg(range(slice.begin, slice.end));
    return slice.axis > 0 ? SliceModel::tr("columns %1").arg(range(slice.begin, slice.end))
                          : SliceModel::tr("whole");
}

// All rows are of one layer: what comes after its number tells them apart.
static QString shortName(const protocol::SliceInfo& slice) {
    const QString name = qt(slice.tensor);
    const QString layer = QStringLiteral(".%1.").arg(slice.layer);
    const qsizetype at = slice.layer < 0 ? -1 : name.indexOf(layer);
    return at < 0 ? name : name.mid(at + layer.size());
}

int SliceModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : int(slices_.size());
}

int SliceModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : ColumnCount;
}

QVariant SliceModel::data(const QModelIndex& index, int role) const {
    if (!checkIndex(index, CheckIndexOption::IndexIsValid | CheckIndexOption::ParentIsInvalid))
        return {};
    const protocol::SliceInfo& slice = slices_[std::size_t(index.row())];
    if (role == TensorRole || (role == Qt::ToolTipRole && index.column() == TensorColumn))
        return qt(slice.tensor);
    if (role == Qt::TextAlignmentRole && index.column() == BytesColumn)
        return int(Qt::AlignRight | Qt::AlignVCenter);
    if (role != Qt::DisplayRole)
        return {};
    switch (index.column()) {
        case TensorColumn:
            return shortName(slice);
        case CutColumn:
            return cutText(slice);
        case TypeColumn:
            return qt(slice.dtype);
        default:
            return bytesText(slice.bytes);
    }
}

QVariant SliceModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal)
        return {};
    if (role == Qt::TextAlignmentRole && section == BytesColumn)
        return int(Qt::AlignRight | Qt::AlignVCenter);
    if (role != Qt::DisplayRole)
        return {};
    const QString titles[] = {tr("Tensor"), tr("Cut"), tr("Type"), tr("Bytes")};
    return section >= 0 && section < ColumnCount ? titles[section] : QString();
}

std::int64_t SliceModel::bytes() const {
    std::int64_t sum = 0;
    for (const protocol::SliceInfo& slice : slices_)
        sum += slice.bytes;
    return sum;
}

void SliceModel::show(const std::vector<protocol::SliceInfo>& slices) {
    beginResetModel();
    slices_ = slices;
    std::stable_sort(slices_.begin(), slices_.end(),
                     [](const auto& a, const auto& b) { return a.bytes > b.bytes; });
    endResetModel();
}

void SliceModel::reset() {
    beginResetModel();
    slices_.clear();
    endResetModel();
}

}  // namespace fl::models
