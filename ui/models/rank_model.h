// SPDX-License-Identifier: GPL-3.0-or-later
// One row a rank: which process, in which phase, how far it has loaded, and which one was lost.
#pragma once

#include <optional>
#include <vector>

#include <QAbstractTableModel>

#include "engine/protocol/messages.h"

namespace fl::models {

class RankModel : public QAbstractTableModel {
    Q_OBJECT

public:
    enum Column {
        RankColumn,
        HostColumn,
        PhaseColumn,
        LoadedColumn,
        CollectiveColumn,
        ColumnCount
    };
    enum Role { RankRole = Qt::UserRole, PhaseRole, FractionRole };

    using QAbstractTableModel::QAbstractTableModel;

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

    const protocol::RankState* state(int rank) const;    // null: no such rank yet
    const protocol::LoadProgress* load(int rank) const;  // null: has not begun to load
    // Null while every rank lives.
    const protocol::RankLost* lost() const { return lost_ ? &*lost_ : nullptr; }
    int countIn(const QString& phase) const;

public slots:
    void apply(const fl::protocol::RankState& state);
    void applyLoad(const fl::protocol::LoadProgress& progress);
    void applyLost(const fl::protocol::RankLost& lost);
    // A new launch begins: earlier ranks and their loss are history.
    void reset();

signals:
    void rankChanged(int rank);
    void rankLost(int rank);

private:
    struct Row {
        protocol::RankState state;
        std::optional<protocol::LoadProgress> load;
    };
    std::size_t rowFor(int rank);  // inserts it if needed
    const Row* find(int rank) const;

    std::vector<Row> rows_;  // ascending by rank
    std::optional<protocol::RankLost> lost_;
};

// "Rank 13 died during Launch: signal 7 (SIGBUS), 12.4 s after its start".
QString lostSentence(const protocol::RankLost& lost);
// "SIGBUS", "exit 3", "silent": what fits on a device card.
QString lostWord(const protocol::RankLost& lost);
// The phase in the user's language.
QString phaseText(const QString& phase);

}  // namespace fl::models
