// SPDX-License-Identifier: GPL-3.0-or-later
// Two plans side by side, a property a row, and how far the second is from the first.
#pragma once

#include <vector>

#include <QAbstractTableModel>

#include "engine/protocol/messages.h"

namespace fl::models {

class PlanCompareModel : public QAbstractTableModel {
    Q_OBJECT

public:
    enum Column { PropertyColumn, FirstColumn, SecondColumn, ChangeColumn, ColumnCount };
    enum Role {
        DiffersRole = Qt::UserRole,
        // −1: the second is worse, 1: better, 0: neither can be said.
        JudgementRole
    };

    using QAbstractTableModel::QAbstractTableModel;

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

    int differences() const;

public slots:
    void compare(const QString& firstName,
                 const fl::protocol::PlanInfo& first,
                 const QString& secondName,
                 const fl::protocol::PlanInfo& second);
    void reset();

private:
    struct Row {
        QString property;
        QString first;
        QString second;
        QString change;
        int judgement = 0;
    };
    void addText(const QString& property, const QString& first, const QString& second);
    void addCount(const QString& property, std::int64_t first, std::int64_t second, int wanted);
    void addBytes(const QString& property, std::int64_t first, std::int64_t second, int wanted);
    void addSeconds(const QString& property, double first, double second);
    void addCut(const protocol::PlanInfo& first, const protocol::PlanInfo& second);
    void addMemory(const protocol::PlanInfo& first, const protocol::PlanInfo& second);
    void addSpeed(const protocol::PlanInfo& first, const protocol::PlanInfo& second);

    QString firstName_;
    QString secondName_;
    std::vector<Row> rows_;
};

}  // namespace fl::models
