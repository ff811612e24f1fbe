// SPDX-License-Identifier: GPL-3.0-or-later
// What the last validation found: its cases, and the rungs of the chosen one.
#pragma once

#include <vector>

#include <QAbstractTableModel>
#include <QStringList>

#include "engine/protocol/messages.h"

namespace fl::models {

// Errors of one decoder layer, −1 where the reference has no such rung.
struct LayerError {
    int layer = 0;
    double residual = -1;  // after the layer
    double mixer = -1;     // attention, or what stands in its place
    double mlp = -1;       // dense or experts
};

class ValidateModel : public QAbstractTableModel {
    Q_OBJECT

public:
    enum Column { NameColumn, ErrorColumn, LimitColumn, ColumnCount };
    enum Role {
        VerdictRole = Qt::UserRole,  // pass, fail, skipped, follows
        RungRole,                    // name of the row's first rung
        FirstFailureRole             // true: what failed before all else
    };

    using QAbstractTableModel::QAbstractTableModel;

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

    bool empty() const { return cases_.empty(); }
    QStringList caseNames() const;  // "red-circle", with its replica where there are several
    int failedCases() const;
    int chosen() const { return chosen_; }
    void choose(int row);
    // Precondition: !empty().
    const protocol::CaseResult& result() const { return cases_[std::size_t(chosen_)]; }
    // "First divergence: layer 34, MLP, rank 21"; "All 9 cases agree with the reference".
    QString sentence() const;
    QString detail() const;  // slice and token of the first divergence, how far off
    // Of the chosen case, ascending.
    std::vector<LayerError> layers(bool worstToken) const;
    double tolerance() const;   // of the layers; 0: unknown
    int firstBadLayer() const;  // −1: none

    // Row of the first failure, −1: none.
    int firstFailedRow() const;
    // "layer.34.mlp" → "Layer 34, MLP".
    static QString rungText(const QString& rung);
    // "6.0e-3"; "0".
    static QString errorText(double error);

public slots:
    // The first case that fails is chosen.
    void apply(const fl::protocol::ValidateReply& reply);
    void reset();

signals:
    void changed();

private:
    // Rungs `first` to `last` of the chosen case. The layer that fails first has a row for each of
    // its rungs; those before it, and those behind it, are one row.
    struct Row {
        int first = 0;
        int last = 0;
    };
    void buildRows();
    // First rung that fails, −1: none. What comes after it follows from it.
    int firstFailure() const;
    QString verdictOf(int index) const;
    QString nameOf(const Row& row) const;
    QString errorOf(const Row& row) const;

    std::vector<protocol::CaseResult> cases_;
    std::vector<Row> rows_;
    int chosen_ = 0;
};

}  // namespace fl::models
