// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/selection.h"

namespace fl::models {

void Selection::selectRank(int rank) {
    if (rank == rank_)
        return;
    rank_ = rank;
    emit rankSelected(rank);
}

void Selection::selectGroup(const QString& name) {
    if (name == group_)
        return;
    group_ = name;
    emit groupSelected(name);
}

void Selection::selectFinding(int row) {
    if (row == finding_)
        return;
    finding_ = row;
    emit findingSelected(row);
}

void Selection::selectTensor(const QString& name) {
    if (name == tensor_)
        return;
    tensor_ = name;
    emit tensorSelected(name);
}

void Selection::clear() {
    selectRank(-1);
    selectGroup({});
    selectFinding(-1);
    selectTensor({});
}

}  // namespace fl::models
