// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/log_filter_model.h"

#include <algorithm>
#include <cctype>

#include "ui/models/log_model.h"
#include "ui/models/text.h"

namespace fl::models {

namespace {

int levelNumber(const std::string& level) {
    if (level == "debug")
        return 0;
    if (level == "warning")
        return 2;
    return level == "error" ? 3 : 1;
}

// `word` is lower case already. Plain search without a copy of the line: 200,000 lines are
// filtered again at every key stroke.
bool contains(const std::string& line, const std::string& word) {
    const auto equal = [](char a, char b) {
        return std::tolower(static_cast<unsigned char>(a)) == static_cast<unsigned char>(b);
    };
    return std::search(line.begin(), line.end(), word.begin(), word.end(), equal) != line.end();
}

bool lineContains(const protocol::LogLine& line, const std::string& word) {
    return contains(line.text, word) || contains(line.category, word) ||
           contains(sourceText(line.rank).toStdString(), word);
}

}  // namespace

LogFilterModel::LogFilterModel(LogModel* log, QObject* parent)
    : QSortFilterProxyModel(parent),
      log_(log) {
    setSourceModel(log);
}

int LogFilterModel::firstError() const {
    const int row = log_->firstError();
    return row < 0 ? -1 : mapFromSource(log_->index(row)).row();
}

void LogFilterModel::setRank(std::optional<int> rank) {
    rank_ = rank;
    invalidateFilter();
}

void LogFilterModel::setLeastLevel(const QString& level) {
    leastLevel_ = levelNumber(level.toStdString());
    invalidateFilter();
}

void LogFilterModel::setCategory(const QString& category) {
    category_ = category.toStdString();
    invalidateFilter();
}

void LogFilterModel::setWords(const QString& words) {
    wanted_.clear();
    unwanted_.clear();
    for (const QString& word : words.toLower().split(QLatin1Char(' '), Qt::SkipEmptyParts)) {
        if (word == QLatin1String("-"))
            continue;
        if (word.startsWith(QLatin1Char('-')))
            unwanted_.push_back(word.mid(1).toStdString());
        else
            wanted_.push_back(word.toStdString());
    }
    invalidateFilter();
}

bool LogFilterModel::filterAcceptsRow(int row, const QModelIndex& parent) const {
    if (parent.isValid())
        return false;
    const protocol::LogLine& line = log_->line(row);
    if (rank_ && line.rank != *rank_)
        return false;
    if (levelNumber(line.level) < leastLevel_)
        return false;
    if (!category_.empty() && line.category != category_)
        return false;
    const auto inLine = [&](const std::string& word) { return lineContains(line, word); };
    return std::all_of(wanted_.begin(), wanted_.end(), inLine) &&
           std::none_of(unwanted_.begin(), unwanted_.end(), inLine);
}

}  // namespace fl::models
