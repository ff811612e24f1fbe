// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/stage_model.h"

#include "ui/models/stage_text.h"
#include "ui/models/text.h"

namespace fl::models {

namespace {

constexpr std::array<const char*, StageModel::kStageCount> kStages = {
    "inspect", "plan", "launch", "load", "validate", "baseline", "probe"};

int rowOf(const std::string& stage) {
    for (std::size_t row = 0; row < kStages.size(); ++row) {
        if (stage == kStages[row])
            return int(row);
    }
    return -1;
}

}  // namespace

StageModel::StageModel(QObject* parent) : QAbstractListModel(parent) {
    for (std::size_t row = 0; row < kStages.size(); ++row)
        stages_[row].stage = kStages[row];
}

int StageModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : kStageCount;
}

QVariant StageModel::data(const QModelIndex& index, int role) const {
    if (!checkIndex(index, CheckIndexOption::IndexIsValid | CheckIndexOption::ParentIsInvalid))
        return {};
    const protocol::StageState& state = stages_[std::size_t(index.row())];
    switch (role) {
        case Qt::DisplayRole:
            return title(qt(state.stage));
        case Qt::AccessibleTextRole:
            return tr("%1: %2").arg(title(qt(state.stage)), qt(state.state));
        case StageRole:
            return qt(state.stage);
        case StateRole:
            return qt(state.state);
        case SummaryRole:
            return stageText(state.summary);
        case SecondsRole:
            return state.seconds;
        case ProgressRole:
            return state.progress;
        case ProgressTextRole:
            return stageText(state.progressText);
        case SecondsLeftRole:
            return state.secondsLeft;
        default:
            return {};
    }
}

QHash<int, QByteArray> StageModel::roleNames() const {
    return {{StageRole, "stage"},
            {StateRole, "state"},
            {SummaryRole, "summary"},
            {SecondsRole, "seconds"},
            {ProgressRole, "progress"},
            {ProgressTextRole, "progressText"},
            {SecondsLeftRole, "secondsLeft"}};
}

QString StageModel::title(const QString& stage) {
    const std::array<QString, kStageCount> titles = {tr("Inspect"), tr("Plan"),     tr("Launch"),
                                                     tr("Load"),    tr("Validate"), tr("Baseline"),
                                                     tr("Probe")};
    const int row = rowOf(stage.toStdString());
    return row < 0 ? stage : titles[std::size_t(row)];
}

QString StageModel::stateOf(const QString& stage) const {
    const int row = rowOf(stage.toStdString());
    return row < 0 ? QStringLiteral("idle") : qt(stages_[std::size_t(row)].state);
}

int StageModel::runningRow() const {
    for (int row = 0; row < kStageCount; ++row) {
        if (stages_[std::size_t(row)].state == "running")
            return row;
    }
    return -1;
}

void StageModel::apply(const protocol::StageState& state) {
    const int row = rowOf(state.stage);
    if (row < 0)
        return;
    stages_[std::size_t(row)] = state;
    emit dataChanged(index(row), index(row));
    emit stageChanged(row);
}

void StageModel::setOpenedAt(double unixSeconds) {
    openedAt_ = unixSeconds;
}

void StageModel::reset() {
    beginResetModel();
    for (std::size_t row = 0; row < kStages.size(); ++row) {
        stages_[row] = {};
        stages_[row].stage = kStages[row];
    }
    openedAt_ = 0;
    endResetModel();
}

}  // namespace fl::models
