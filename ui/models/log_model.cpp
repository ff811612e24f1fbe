// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/log_model.h"

#include <algorithm>

#include "ui/models/text.h"

namespace fl::models {

namespace {
// Lines are dropped in blocks, so that a full log does not move its rows at every line.
constexpr int kDropBlock = 1000;
}  // namespace

QString sourceText(int rank) {
    return rank < 0 ? QStringLiteral("ctl")
                    : QStringLiteral("r%1").arg(rank, 2, 10, QLatin1Char('0'));
}

LogModel::LogModel(QObject* parent, int limit) : QAbstractListModel(parent), limit_(limit) {}

int LogModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : int(lines_.size());
}

QVariant LogModel::data(const QModelIndex& index, int role) const {
    if (!checkIndex(index, CheckIndexOption::IndexIsValid | CheckIndexOption::ParentIsInvalid))
        return {};
    const protocol::LogLine& line = lines_[std::size_t(index.row())];
    switch (role) {
        case Qt::DisplayRole:
        case Qt::AccessibleTextRole:
            return QStringLiteral("%1 %2 %3 %4")
                .arg(clockText(line.time), sourceText(line.rank), qt(line.category), qt(line.text));
        case TimeRole:
            return line.time;
        case RankRole:
            return line.rank;
        case LevelRole:
            return qt(line.level);
        case CategoryRole:
            return qt(line.category);
        case TextRole:
            return qt(line.text);
        case SourceRole:
            return sourceText(line.rank);
        default:
            return {};
    }
}

int LogModel::firstError() const {
    return firstError_ < 0 ? -1 : int(firstError_ - dropped_);
}

// Ranks' lines arrive a little out of order: the place is near the end, so it is sought from there.
void LogModel::insert(const protocol::LogLine& line) {
    auto place = lines_.end();
    while (place != lines_.begin() && std::prev(place)->time > line.time)
        --place;
    const int row = int(place - lines_.begin());
    beginInsertRows({}, row, row);
    lines_.insert(place, line);
    endInsertRows();
    const std::int64_t counted = row + dropped_;
    const bool earlier = firstError_ < 0 || counted <= firstError_;
    if (firstError_ >= counted)
        ++firstError_;
    if (line.level == "error" && earlier) {
        firstError_ = counted;
        emit firstErrorChanged();
    }
    if (line.rank > lastRank_) {
        lastRank_ = line.rank;
        emit rankSeen(line.rank);
    }
}

void LogModel::drop() {
    const int excess = int(lines_.size()) - limit_;
    if (excess <= 0)
        return;
    const int count = std::min(std::max(excess, kDropBlock), int(lines_.size()));
    beginRemoveRows({}, 0, count - 1);
    lines_.erase(lines_.begin(), lines_.begin() + count);
    dropped_ += count;
    endRemoveRows();
    if (firstError_ < 0 || firstError_ >= dropped_)
        return;
    const auto next = std::find_if(lines_.begin(), lines_.end(),
                                   [](const auto& line) { return line.level == "error"; });
    firstError_ = next == lines_.end() ? -1 : dropped_ + (next - lines_.begin());
    emit firstErrorChanged();
}

void LogModel::append(const protocol::LogLine& line) {
    insert(line);
    drop();
}

void LogModel::appendAll(const std::vector<protocol::LogLine>& lines) {
    for (const protocol::LogLine& line : lines)
        append(line);
}

void LogModel::reset() {
    beginResetModel();
    lines_.clear();
    dropped_ = 0;
    firstError_ = -1;
    lastRank_ = -1;
    endResetModel();
    emit firstErrorChanged();
}

}  // namespace fl::models
