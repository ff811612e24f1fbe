// SPDX-License-Identifier: GPL-3.0-or-later
// The plan in use and the one being tried: mesh, ranks, ledgers, violated rules, and what each rank
// holds of each layer.
#pragma once

#include <optional>
#include <vector>

#include <QAbstractTableModel>

#include "engine/protocol/messages.h"
#include "ui/models/placement_cells.h"

namespace fl::models {

// Rows are the best legal plans: those that the engine added to the plan, or what a search has
// found so far. The rest of a plan is reached through plan().
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
    // True where the proposal can be looked at like a plan: its ranks are known, no rule is broken.
    bool showsProposal() const;
    // The proposal where it can be looked at, else the plan in use. Precondition: !empty().
    const protocol::PlanInfo& shown() const { return showsProposal() ? *proposal_ : *plan_; }
    // Of what is shown; null while the engine has not said.
    const PlacementCells* cells() const;
    // The plan of a row.
    const protocol::AlternativeInfo& other(int row) const { return others()[std::size_t(row)]; }
    // How the last search stands; null: none was asked for since this plan came.
    const protocol::SearchProgress* search() const { return search_ ? &*search_ : nullptr; }
    const protocol::RankInfo* rank(int rank) const;       // of the plan in use; null: it has none
    const protocol::RankInfo* shownRank(int rank) const;  // of what is shown
    std::int64_t largestRankBytes() const;
    std::int64_t smallestFreeBytes() const;
    // Of the plan in use.
    std::int64_t heldBytes() const;
    std::int64_t replicatedBytes() const;

public slots:
    void apply(const fl::protocol::PlanInfo& plan);
    void propose(const fl::protocol::PlanInfo& plan);
    void discardProposal();
    void applySearch(const fl::protocol::SearchProgress& progress);
    void forgetSearch();
    void applyCells(fl::models::PlacementCells cells);  // of the plan in use
    void applyProposalCells(fl::models::PlacementCells cells);
    void reset();

signals:
    void changed();
    void proposalChanged();
    void cellsChanged();
    void searchChanged();

private:
    const std::vector<protocol::AlternativeInfo>& others() const;

    std::optional<protocol::PlanInfo> plan_;
    std::optional<protocol::PlanInfo> proposal_;
    std::optional<protocol::SearchProgress> search_;
    std::optional<PlacementCells> cells_;
    std::optional<PlacementCells> proposalCells_;
};

// Weights and scales of all ranks, and the part of them that is a copy.
std::int64_t heldBytes(const protocol::PlanInfo& plan);
std::int64_t replicatedBytes(const protocol::PlanInfo& plan);
std::int64_t largestRankBytes(const protocol::PlanInfo& plan);
std::int64_t smallestFreeBytes(const protocol::PlanInfo& plan);  // 0 without ranks

// "tp3·pp2"; only factors above 1, "1 rank" if there is none.
QString meshText(const protocol::MeshInfo& mesh);

}  // namespace fl::models
