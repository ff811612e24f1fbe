// SPDX-License-Identifier: GPL-3.0-or-later
// Fills the rail from the stage model.
#include "ui/shell/stage_rail.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <map>
#include <vector>

#include <QCoreApplication>
#include <QDateTime>
#include <QPainter>
#include <QVBoxLayout>

#include "ui/models/models.h"
#include "ui/models/stage_text.h"
#include "ui/models/text.h"
#include "ui/widgets/card.h"
#include "ui/widgets/panel_header.h"
#include "ui/widgets/stage_rail_item.h"
#include "ui/widgets/text_label.h"

namespace fl::shell {

using models::qt;
using widgets::State;
using widgets::TextRole;
using widgets::Token;

namespace {

// Text changes at 4 Hz at most.
constexpr int kClockMilliseconds = 250;

struct StageEntry {
    const char* key;
    const char* question;
    const char* panel;
    const char* cancel;
};
constexpr StageEntry kStages[] = {
    {"inspect", QT_TRANSLATE_NOOP("StageRail", "Is the checkpoint whole?"), "checkpoint",
     QT_TRANSLATE_NOOP("StageRail", "Cancel check")},
    {"plan", QT_TRANSLATE_NOOP("StageRail", "Will it fit, and how is it cut?"), "placement",
     QT_TRANSLATE_NOOP("StageRail", "Cancel plan")},
    {"launch", QT_TRANSLATE_NOOP("StageRail", "Do the ranks find each other?"), "topology",
     QT_TRANSLATE_NOOP("StageRail", "Cancel launch")},
    {"load", QT_TRANSLATE_NOOP("StageRail", "Right bytes, right device?"), "topology",
     QT_TRANSLATE_NOOP("StageRail", "Cancel load")},
    {"validate", QT_TRANSLATE_NOOP("StageRail", "Is it right?"), "validate",
     QT_TRANSLATE_NOOP("StageRail", "Cancel validation")},
    {"baseline", QT_TRANSLATE_NOOP("StageRail", "How fast, and is that good?"), "", ""},
    {"probe", QT_TRANSLATE_NOOP("StageRail", "What does it say?"), "chat", ""},
};
constexpr int kCount = int(std::size(kStages));

// "3:17 left", "12 s left".
QString leftText(double seconds) {
    const int whole = int(seconds + 0.5);
    if (seconds < 0) {
        return {};
    }
    if (whole < 60) {
        return StageRail::tr("%1 s left").arg(whole);
    }
    return StageRail::tr("%1:%2 left").arg(whole / 60).arg(whole % 60, 2, 10, QLatin1Char('0'));
}

// A node that is this much behind the median holds the others up.
constexpr double kSlowShare = 0.7;

}  // namespace

QString panelOfStage(const QString& stage) {
    for (const StageEntry& entry : kStages) {
        if (stage == QLatin1String(entry.key)) {
            return QString::fromLatin1(entry.panel);
        }
    }
    return {};
}

StageRail::StageRail(const widgets::Theme& theme, models::Models& models, QWidget* parent)
    : QWidget(parent),
      theme_(theme),
      models_(models) {
    build();
    connect(&models.stages, &models::StageModel::stageChanged, this, &StageRail::refreshAll);
    connect(&models, &models::Models::snapshotApplied, this, &StageRail::refreshAll);
    connect(&models.stages, &QAbstractItemModel::modelReset, this, &StageRail::refreshAll);
    connect(&timer_, &QTimer::timeout, this, [this] {
        refreshClock();
        if (const int row = models_.stages.runningRow(); row >= 0) {
            refresh(row);
        }
    });
    timer_.start(kClockMilliseconds);
    refreshAll();
}

void StageRail::build() {
    header_ = new widgets::PanelHeader(theme_, tr("Bring-up"), this);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(header_);
    for (int row = 0; row < kCount; ++row) {
        auto* item = new widgets::StageRailItem(theme_, this);
        const QString stage = QString::fromLatin1(kStages[row].key);
        connect(item, &QAbstractButton::clicked, this,
                [this, stage] { Q_EMIT stageClicked(stage); });
        connect(item, &widgets::StageRailItem::cancelRequested, this,
                [this, stage] { Q_EMIT cancelRequested(stage); });
        column->addWidget(item);
        items_[std::size_t(row)] = item;
    }
    column->addStretch(1);
    column->addWidget(new widgets::Hairline(theme_, Qt::Horizontal, this));
    clock_ = new widgets::TextLabel(theme_, TextRole::Clock, Token::T1, this);
    clockNote_ = new widgets::TextLabel(theme_, TextRole::Small, Token::T3, this);
    clockNote_->setElide(Qt::ElideRight);
    foot_ = new QVBoxLayout;
    foot_->setContentsMargins(theme_.px(12), theme_.px(10), 0, theme_.px(10));
    foot_->setSpacing(0);
    foot_->addWidget(clock_);
    foot_->addWidget(clockNote_);
    column->addLayout(foot_);
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Expanding);
}

QSize StageRail::sizeHint() const {
    return {theme_.px(narrow_ ? 64 : 208), theme_.px(400)};
}

void StageRail::setNarrow(bool narrow) {
    if (narrow == narrow_) {
        return;
    }
    narrow_ = narrow;
    for (widgets::StageRailItem* item : items_) {
        item->setNarrow(narrow);
    }
    header_->setTitle(narrow ? QString() : tr("Bring-up"));
    clockNote_->setVisible(!narrow);
    clock_->setRole(narrow ? TextRole::Axis : TextRole::Clock);
    foot_->setContentsMargins(theme_.px(narrow ? 6 : 12), theme_.px(10), 0, theme_.px(10));
    refreshClock();
    updateGeometry();
}

void StageRail::setOpenPanel(const QString& panel) {
    openPanel_ = panel;
    mark();
}

// Several stages may be answered by one panel: of those the running one is meant, else the last
// that has begun.
void StageRail::mark() {
    int marked = -1;
    for (int row = 0; row < kCount; ++row) {
        if (openPanel_ != QLatin1String(kStages[row].panel) || openPanel_.isEmpty()) {
            continue;
        }
        const bool begun = models_.stages.stage(row).state != "idle";
        if (marked < 0 || begun) {
            marked = row;
        }
    }
    const bool open = !models_.settings.checkpoint.empty();
    for (int row = 0; row < kCount; ++row) {
        items_[std::size_t(row)]->setCurrent(open && row == marked);
    }
}

QString StageRail::waitingText(int row) const {
    if (models_.settings.checkpoint.empty()) {
        return QCoreApplication::translate("StageRail", kStages[row].question);
    }
    if (kStages[row].panel[0] == '\0') {
        return tr("Not in this window yet");
    }
    if (row == 0) {
        return tr("Ready");
    }
    const int before = row == kCount - 1 ? 3 : row - 1;
    const State state = widgets::stateFromWord(qt(models_.stages.stage(before).state));
    if (state == State::Passed || state == State::Warning) {
        return tr("Ready");
    }
    return tr("Waits for %1")
        .arg(models::StageModel::title(QString::fromLatin1(kStages[before].key)));
}

void StageRail::addNodes(widgets::StageLook& look) const {
    struct Sum {
        double done = 0;
        double all = 0;
    };
    std::map<QString, Sum> nodes;
    for (int row = 0; row < models_.ranks.rowCount(); ++row) {
        const int rank =
            models_.ranks.data(models_.ranks.index(row, 0), models::RankModel::RankRole).toInt();
        const auto* load = models_.ranks.load(rank);
        const auto* state = models_.ranks.state(rank);
        if (load && state) {
            Sum& sum = nodes[qt(state->host)];
            sum.done += double(load->bytesDone);
            sum.all += double(load->bytes);
        }
    }
    if (nodes.size() < 2) {
        return;
    }
    std::vector<double> shares;
    for (const auto& [name, sum] : nodes) {
        shares.push_back(sum.all > 0 ? sum.done / sum.all : 0);
        look.nodes.push_back({name, shares.back(), false});
    }
    std::nth_element(shares.begin(), shares.begin() + std::ptrdiff_t(shares.size() / 2),
                     shares.end());
    for (widgets::NodeProgress& node : look.nodes) {
        node.slow = node.value < kSlowShare * shares[shares.size() / 2];
    }
    constexpr std::size_t kMostNodes = 6;
    look.nodes.resize(std::min(look.nodes.size(), kMostNodes));
}

widgets::StageLook StageRail::look(int row) const {
    const protocol::StageState& stage = models_.stages.stage(row);
    widgets::StageLook look;
    look.name = models::StageModel::title(QString::fromLatin1(kStages[row].key));
    look.state = widgets::stateFromWord(qt(stage.state));
    look.summary = models::stageText(stage.summary);
    if (look.summary.isEmpty() && look.state == State::Idle) {
        look.summary = waitingText(row);
    }
    double seconds = stage.seconds;
    if (look.state == State::Running && stage.startedAt > 0) {
        seconds =
            std::max(seconds, double(QDateTime::currentMSecsSinceEpoch()) / 1000 - stage.startedAt);
    }
    if (look.state != State::Idle && seconds > 0) {
        look.duration =
            models::durationText(look.state == State::Running ? std::floor(seconds) : seconds);
    }
    if (look.state == State::Running) {
        look.progress = stage.progress;
        look.progressText = models::stageText(stage.progressText);
        look.timeLeft = leftText(stage.secondsLeft);
        look.cancelText = kStages[row].cancel[0] == '\0'
                              ? QString()
                              : QCoreApplication::translate("StageRail", kStages[row].cancel);
        if (stage.stage == "load") {
            addNodes(look);
        }
    }
    return look;
}

void StageRail::refresh(int row) {
    items_[std::size_t(row)]->setLook(look(row));
}

void StageRail::refreshAll() {
    for (int row = 0; row < kCount; ++row) {
        refresh(row);
    }
    mark();
    refreshClock();
}

void StageRail::refreshClock() {
    const double opened = models_.stages.openedAt();
    qint64 seconds = 0;
    if (opened > 0) {
        seconds = std::max(qint64{0},
                           qint64(double(QDateTime::currentMSecsSinceEpoch()) / 1000 - opened));
    }
    const QString text = QStringLiteral("%1:%2:%3")
                             .arg(seconds / 3600, 2, 10, QLatin1Char('0'))
                             .arg(seconds / 60 % 60, 2, 10, QLatin1Char('0'))
                             .arg(seconds % 60, 2, 10, QLatin1Char('0'));
    clock_->setText(narrow_ ? text : QStringLiteral("T+") + text);
    clockNote_->setText(opened > 0 ? tr("since the checkpoint was opened")
                                   : tr("starts with a checkpoint"));
}

void StageRail::paintEvent(QPaintEvent*) {
    QPainter(this).fillRect(rect(), theme_.color(Token::Bg1));
}

}  // namespace fl::shell
