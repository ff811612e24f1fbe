// SPDX-License-Identifier: GPL-3.0-or-later
// Diagnoses, worst first; equal ones folded.
#pragma once

#include <vector>

#include <QAbstractListModel>

#include "engine/base/finding.h"

namespace fl::models {

class FindingModel : public QAbstractListModel {
    Q_OBJECT

public:
    enum Role {
        CodeRole = Qt::UserRole,
        SeverityRole,  // "error", "warning", "note"
        StageRole,
        DetailRole,  // evidence, then remedy
        EvidenceRole,
        RemedyRole,
        PlaceRole,  // "r13", "32 ranks", "shard 3", right of the row
        RankRole,
        TensorRole,
        CountRole,
    };

    using QAbstractListModel::QAbstractListModel;

    int rowCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;

    const fl::Finding& finding(int row) const { return findings_[std::size_t(row)]; }
    int count(fl::Severity severity) const;
    // All rows, or one, as lines to paste into a report.
    QString asText(int row = -1) const;

public slots:
    void add(const fl::Finding& finding);
    void setAll(const std::vector<fl::Finding>& findings);
    // A stage that runs again answers anew: its old findings go.
    void forgetStage(const QString& stage);
    void reset();

signals:
    void changed();

private:
    std::vector<fl::Finding> findings_;
};

}  // namespace fl::models
