// SPDX-License-Identifier: GPL-3.0-or-later
// The lines of all ranks and of the control process, merged by time, the newest 200,000 of them.
#pragma once

#include <deque>
#include <vector>

#include <QAbstractListModel>

#include "engine/protocol/messages.h"

namespace fl::models {

// "r08" or "ctl": who wrote the line.
QString sourceText(int rank);

class LogModel : public QAbstractListModel {
    Q_OBJECT

public:
    enum Role { TimeRole = Qt::UserRole, RankRole, LevelRole, CategoryRole, TextRole, SourceRole };
    static constexpr int kDefaultLimit = 200'000;

    explicit LogModel(QObject* parent = nullptr, int limit = kDefaultLimit);

    int rowCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;

    const protocol::LogLine& line(int row) const { return lines_[std::size_t(row)]; }
    // Row of the earliest error still kept; −1: none. Until it is dropped it is the cause to read.
    int firstError() const;
    // Highest rank seen, −1: none: the choices of the rank filter.
    int lastRank() const { return lastRank_; }

public slots:
    void append(const fl::protocol::LogLine& line);
    void appendAll(const std::vector<fl::protocol::LogLine>& lines);
    void reset();

signals:
    void firstErrorChanged();
    void rankSeen(int rank);

private:
    void insert(const protocol::LogLine& line);
    void drop();

    std::deque<protocol::LogLine> lines_;
    int limit_;
    int lastRank_ = -1;
    std::int64_t dropped_ = 0;
    std::int64_t firstError_ = -1;  // counted with dropped lines
};

}  // namespace fl::models
