// SPDX-License-Identifier: GPL-3.0-or-later
// What the user points at, shared by all panels: a rank picked in the topology is marked in the
// ledger and filters the log.
#pragma once

#include <QObject>
#include <QString>

namespace fl::models {

class Selection : public QObject {
    Q_OBJECT

public:
    using QObject::QObject;

    int rank() const { return rank_; }                 // −1: none
    const QString& group() const { return group_; }    // "tp1"; empty: none
    int finding() const { return finding_; }           // row of the finding model; −1: none
    const QString& tensor() const { return tensor_; }  // full name; empty: none

    void selectRank(int rank);
    void selectGroup(const QString& name);
    void selectFinding(int row);
    void selectTensor(const QString& name);
    void clear();

signals:
    void rankSelected(int rank);
    void groupSelected(const QString& name);
    void findingSelected(int row);
    void tensorSelected(const QString& name);

private:
    int rank_ = -1;
    int finding_ = -1;
    QString group_;
    QString tensor_;
};

}  // namespace fl::models
