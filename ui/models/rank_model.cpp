// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/rank_model.h"

#include <algorithm>
#include <utility>

#include <QCoreApplication>

#include "ui/models/stage_model.h"
#include "ui/models/text.h"

namespace fl::models {

QString lostSentence(const protocol::RankLost& lost) {
    const bool silent = lost.signal == 0 && qt(lost.cause).startsWith(QLatin1String("silent"));
    const QString stage = StageModel::title(qt(lost.stage));
    const QString form =
        silent ? RankModel::tr("Rank %1 fell silent during %2: %3, %4 after its start")
               : RankModel::tr("Rank %1 died during %2: %3, %4 after its start");
    return form.arg(lost.rank).arg(stage, qt(lost.cause), durationText(lost.seconds));
}

QString lostWord(const protocol::RankLost& lost) {
    const QString cause = qt(lost.cause);
    const int open = int(cause.indexOf(QLatin1Char('(')));
    const int close = int(cause.indexOf(QLatin1Char(')')));
    if (open >= 0 && close > open)
        return cause.mid(open + 1, close - open - 1);
    if (cause.startsWith(QLatin1String("silent")))
        return RankModel::tr("silent");
    if (cause.startsWith(QLatin1String("exit code ")))
        return RankModel::tr("exit %1").arg(cause.mid(10));
    return RankModel::tr("lost");
}

QString phaseText(const QString& phase) {
    const std::pair<const char*, QString> words[] = {
        {"starting", RankModel::tr("starts")}, {"mpi", RankModel::tr("joins")},
        {"device", RankModel::tr("device")},   {"groups", RankModel::tr("groups")},
        {"preflight", RankModel::tr("tests")}, {"ready", RankModel::tr("ready")},
        {"loading", RankModel::tr("loads")},   {"loaded", RankModel::tr("loaded")},
        {"serving", RankModel::tr("serves")},  {"stopped", RankModel::tr("stopped")},
        {"lost", RankModel::tr("lost")},       {"planned", RankModel::tr("planned")}};
    for (const auto& [key, word] : words) {
        if (phase == QLatin1String(key))
            return word;
    }
    return phase;
}

int RankModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : int(rows_.size());
}

int RankModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : ColumnCount;
}

QVariant RankModel::data(const QModelIndex& index, int role) const {
    if (!checkIndex(index, CheckIndexOption::IndexIsValid | CheckIndexOption::ParentIsInvalid))
        return {};
    const Row& row = rows_[std::size_t(index.row())];
    const double fraction =
        row.load && row.load->bytes > 0 ? double(row.load->bytesDone) / double(row.load->bytes) : 0;
    switch (role) {
        case RankRole:
            return row.state.rank;
        case PhaseRole:
            return qt(row.state.phase);
        case FractionRole:
            return fraction;
        case Qt::DisplayRole:
            break;
        default:
            return {};
    }
    switch (index.column()) {
        case RankColumn:
            return row.state.rank;
        case HostColumn:
            return qt(row.state.host);
        case PhaseColumn:
            return phaseText(qt(row.state.phase));
        case LoadedColumn:
            return tr("%1 %").arg(fraction * 100, 0, 'f', 0);
        default:
            return row.state.collective.empty() ? tr("none") : qt(row.state.collective);
    }
}

QVariant RankModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole)
        return {};
    const QString titles[] = {tr("Rank"), tr("Host"), tr("Phase"), tr("Loaded"), tr("Collective")};
    return section >= 0 && section < ColumnCount ? titles[section] : QString();
}

const RankModel::Row* RankModel::find(int rank) const {
    const auto found =
        std::lower_bound(rows_.begin(), rows_.end(), rank,
                         [](const Row& r, int wanted) { return r.state.rank < wanted; });
    return found != rows_.end() && found->state.rank == rank ? &*found : nullptr;
}

const protocol::RankState* RankModel::state(int rank) const {
    const Row* row = find(rank);
    return row != nullptr ? &row->state : nullptr;
}

const protocol::LoadProgress* RankModel::load(int rank) const {
    const Row* row = find(rank);
    return row != nullptr && row->load ? &*row->load : nullptr;
}

int RankModel::countIn(const QString& phase) const {
    const std::string wanted = phase.toStdString();
    return int(std::count_if(rows_.begin(), rows_.end(),
                             [&](const Row& row) { return row.state.phase == wanted; }));
}

std::size_t RankModel::rowFor(int rank) {
    const auto found =
        std::lower_bound(rows_.begin(), rows_.end(), rank,
                         [](const Row& r, int wanted) { return r.state.rank < wanted; });
    const auto row = std::size_t(found - rows_.begin());
    if (found != rows_.end() && found->state.rank == rank)
        return row;
    beginInsertRows({}, int(row), int(row));
    Row fresh;
    fresh.state.rank = rank;
    rows_.insert(found, std::move(fresh));
    endInsertRows();
    return row;
}

void RankModel::apply(const protocol::RankState& state) {
    const std::size_t row = rowFor(state.rank);
    rows_[row].state = state;
    emit dataChanged(index(int(row), 0), index(int(row), ColumnCount - 1));
    emit rankChanged(state.rank);
}

void RankModel::applyLoad(const protocol::LoadProgress& progress) {
    const std::size_t row = rowFor(progress.rank);
    rows_[row].load = progress;
    emit dataChanged(index(int(row), 0), index(int(row), ColumnCount - 1));
    emit rankChanged(progress.rank);
}

void RankModel::applyLost(const protocol::RankLost& lost) {
    lost_ = lost;
    const std::size_t row = rowFor(lost.rank);
    rows_[row].state.phase = "lost";
    rows_[row].state.host = lost.host;
    emit dataChanged(index(int(row), 0), index(int(row), ColumnCount - 1));
    emit rankChanged(lost.rank);
    emit rankLost(lost.rank);
}

void RankModel::reset() {
    beginResetModel();
    rows_.clear();
    lost_.reset();
    endResetModel();
    emit rankChanged(-1);
}

}  // namespace fl::models
