// SPDX-License-Identifier: GPL-3.0-or-later
// The stages of a bring-up in their fixed order, one row each: what the rail shows.
#pragma once

#include <array>

#include <QAbstractListModel>

#include "engine/protocol/messages.h"

namespace fl::models {

class StageModel : public QAbstractListModel {
    Q_OBJECT

public:
    enum Role {
        StageRole = Qt::UserRole,  // "load", the key of the messages
        StateRole,                 // idle running passed warnings failed stale cancelled
        SummaryRole,
        SecondsRole,
        ProgressRole,  // 0 … 1, −1: unknown
        ProgressTextRole,
        SecondsLeftRole,
    };
    static constexpr int kStageCount = 7;

    explicit StageModel(QObject* parent = nullptr);

    int rowCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QHash<int, QByteArray> roleNames() const override;

    static QString title(const QString& stage);  // "Load", translated
    const protocol::StageState& stage(int row) const { return stages_[std::size_t(row)]; }
    // State of one stage by its key; "idle" for a key that is not a stage.
    QString stateOf(const QString& stage) const;
    int runningRow() const;  // −1: none runs
    double openedAt() const { return openedAt_; }

public slots:
    // Replaces the row of that stage. A stage this program does not know is left out.
    void apply(const fl::protocol::StageState& state);
    void setOpenedAt(double unixSeconds);
    void reset();

signals:
    void stageChanged(int row);

private:
    std::array<protocol::StageState, kStageCount> stages_;
    double openedAt_ = 0;
};

}  // namespace fl::models
