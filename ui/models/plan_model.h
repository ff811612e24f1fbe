// SPDX-License-Identifier: GPL-3.0-or-later
// The plan in use and the one being tried: mesh, ranks, ledgers, violated rules, and the slices of
// the ranks that were asked for.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include <QAbstractTableModel>

#include "engine/protocol/messages.h"

namespace fl::models {

// Rows are the nearest legal plans; the rest of a plan is reached through plan().
class PlanModel : public QAbstractTableModel {
    Q_OBJECT

public:
    enum Column { PlanColumn, PeakColumn, StepColumn, NoteColumn, ColumnCount };
    enum Role { InUseRole = Qt::UserRole };

    using QAbstractTableModel::QAbstractTableModel;

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

    bool empty() const { return !plan_; }
    // Precondition: !empty().
    const protocol::PlanInfo& plan() const { return *plan_; }
    // The answer to the last what-if; null while none differs from the plan in use.
    const protocol::PlanInfo* proposal() const { return proposal_ ? &*proposal_ : nullptr; }
    const protocol::RankInfo* rank(int rank) const;                  // null: not in the plan
    const std::vector<protocol::SliceInfo>* slices(int rank) const;  // null: not asked for yet
    std::int64_t largestRankBytes() const;
    std::int64_t smallestFreeBytes() const;
    std::int64_t heldBytes() const;        // weights and scales of all ranks
    std::int64_t replicatedBytes() const;  // the part of them that is a copy

public slots:
    void apply(const fl::protocol::PlanInfo& plan);
    void propose(const fl::protocol::PlanInfo& plan);
    void discardProposal();
    void applySlices(int rank, const fl::protocol::SlicesReply& reply);
    void reset();

signals:
    void changed();
    void proposalChanged();
    void slicesChanged(int rank);

private:
    std::optional<protocol::PlanInfo> plan_;
    std::optional<protocol::PlanInfo> proposal_;
    std::map<int, std::vector<protocol::SliceInfo>> slices_;
};

// "tp3·pp2"; only factors above 1, "1 rank" if there is none.
QString meshText(const protocol::MeshInfo& mesh);

}  // namespace fl::models
