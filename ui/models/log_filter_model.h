// SPDX-License-Identifier: GPL-3.0-or-later
// The log as the filters leave it: rank, least level, category, words and words not to show.
#pragma once

#include <optional>

#include <QSortFilterProxyModel>

#include "engine/protocol/messages.h"

namespace fl::models {

class LogModel;

class LogFilterModel : public QSortFilterProxyModel {
    Q_OBJECT

public:
    explicit LogFilterModel(LogModel* log, QObject* parent = nullptr);

    // Proxy row of the first error, −1 if there is none or the filters hide it.
    int firstError() const;

public slots:
    void setRank(std::optional<int> rank);      // unset: all; −1: the control process
    void setLeastLevel(const QString& level);   // debug, info, warning, error
    void setCategory(const QString& category);  // empty: all
    // Words that must all be in the line (text, category or source, in any case); "-word" must not.
    void setWords(const QString& words);

protected:
    bool filterAcceptsRow(int row, const QModelIndex& parent) const override;

private:
    LogModel* log_;
    std::optional<int> rank_;
    int leastLevel_ = 0;
    std::string category_;
    std::vector<std::string> wanted_;
    std::vector<std::string> unwanted_;
};

}  // namespace fl::models
