// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/memory/memory_panel.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include <QAction>
#include <QBoxLayout>

#include "ui/models/models.h"
#include "ui/models/text.h"
#include "ui/panels/memory/memory_bars.h"
#include "ui/widgets/button.h"
#include "ui/widgets/empty_state.h"
#include "ui/widgets/message_strip.h"
#include "ui/widgets/metric_plot.h"
#include "ui/widgets/page_layout.h"
#include "ui/widgets/panel_header.h"
#include "ui/widgets/refresher.h"

namespace fl::panels {

using models::bytesText;
using widgets::Button;
using widgets::MetricPlot;
using widgets::State;

namespace {

constexpr std::size_t kMostLines = 5;
constexpr std::size_t kPoints = 400;

}  // namespace

MemoryPanel::MemoryPanel(const PanelContext& context, QWidget* parent)
    : Panel(parent),
      theme_(context.theme),
      models_(context.models),
      refresher_(new widgets::Refresher(this, [this] { refresh(); })) {
    buildUi();
    addActions();
    const auto later = [this] { refresher_->later(); };
    connect(&models_.memory, &models::MemoryModel::changed, this, later);
    connect(&theme_, &widgets::Theme::changed, this, later);
    refresh();
}

void MemoryPanel::buildUi() {
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    header_ = new widgets::PanelHeader(theme_, title(), this);
    mode_ = new Button(theme_, {}, Button::Kind::Quiet, Button::Size::Compact, this);
    mode_->setIconName(QStringLiteral("latency"));
    mode_->setToolTip(tr("Show memory over time"));
    mode_->setCheckable(true);
    connect(mode_, &Button::clicked, this, [this](bool on) { setOverTime(on); });
    header_->addRight(mode_);
    column->addWidget(header_);
    strip_ = new widgets::MessageStrip(theme_, widgets::MessageStrip::Shape::Line, this);
    strip_->hide();
    column->addWidget(strip_);
    stack_ = new widgets::PageLayout;
    column->addLayout(stack_, 1);
    bars_ = new MetricPlot(theme_, widgets::XAxis::Bars, this);
    bars_->setAccessibleName(tr("Memory of each rank"));
    stack_->addWidget(bars_);
    lines_ = new MetricPlot(theme_, widgets::XAxis::Time, this);
    lines_->setAccessibleName(tr("Memory over time"));
    lines_->setWindow(120);
    stack_->addWidget(lines_);
    auto* empty = new widgets::EmptyState(theme_, QStringLiteral("memory"), this);
    empty->setTitle(tr("No plan yet"));
    empty->setBody(tr("What each rank holds stands here beside its plan and its budget."));
    connect(empty->addButton(tr("Open a checkpoint…")), &Button::clicked, this,
            [this] { emit actionRequested(QStringLiteral("open")); });
    stack_->addWidget(empty);
}

void MemoryPanel::addActions() {
    auto* time = new QAction(tr("Memory: now or over time"), this);
    connect(time, &QAction::triggered, this, [this] { setOverTime(!overTime_); });
    addAction(time);
    setContextMenuPolicy(Qt::ActionsContextMenu);
}

void MemoryPanel::setOverTime(bool on) {
    overTime_ = on;
    mode_->setChecked(on);
    mode_->setToolTip(on ? tr("Show memory as it is now") : tr("Show memory over time"));
    refresh();
}

void MemoryPanel::refresh() {
    const bool empty = models_.memory.empty();
    mode_->setVisible(!empty);
    if (empty) {
        stack_->setCurrentIndex(2);
        header_->setSubject({});
        header_->setLegend({});
        strip_->clear();
        return;
    }
    stack_->setCurrentIndex(overTime_ ? 1 : 0);
    overTime_ ? refreshLines() : refreshBars();
    refreshStrip();
}

void MemoryPanel::refreshBars() {
    const MemoryBars bars = memoryBars(models_.memory);
    header_->setSubject(bars.planned ? tr("%1, planned").arg(bars.unit) : bars.unit);
    header_->setLegend(bars.legend);
    bars_->setUnit(bars.unit);
    bars_->setBars(bars.parts, bars.groups);
    const bool known = bars.budget > 0;
    bars_->setLimit(
        known ? bars.budget : std::numeric_limits<double>::quiet_NaN(),
        known ? tr("budget %1").arg(bars.budget, 0, 'f', bars.budget < 100 ? 1 : 0) : QString());
    bars_->refresh();
}

// One line a node, its fullest rank; with one node, one line a rank.
void MemoryPanel::refreshLines() {
    const QString unit =
        models::unitOf(std::max(models_.memory.largestBudget(), models_.memory.peak()));
    const double scale = models::unitBytes(unit);
    std::map<QString, const models::RankMemory*> shown;
    const auto& ranks = models_.memory.ranks();
    const bool oneNode = std::all_of(ranks.begin(), ranks.end(), [&](const auto& rank) {
        return rank.node == ranks.front().node;
    });
    for (const models::RankMemory& rank : ranks) {
        const QString name = oneNode ? QStringLiteral("r%1").arg(rank.rank) : rank.node;
        const models::RankMemory*& kept = shown[name];
        if (kept == nullptr || kept->used.total < rank.used.total)
            kept = &rank;
    }
    lines_->clearLines();
    double now = 0;
    int series = 1;
    for (const auto& [name, rank] : shown) {
        if (rank->total.empty() || series > int(kMostLines))
            continue;
        now = std::max(now, rank->total.last().time);
        const int line = lines_->addLine({name, series++, widgets::LineStyle::Solid, false, false});
        QVector<double> x;
        QVector<double> y;
        for (const models::TimedValue& point : rank->total.decimated(0, 1e12, kPoints)) {
            x << point.time;
            y << point.value / scale;
        }
        lines_->setLine(line, x, y);
    }
    header_->setSubject(unit);
    header_->setLegend(lines_->legend());
    lines_->setUnit(unit);
    lines_->setNow(now);
    lines_->refresh();
}

void MemoryPanel::refreshStrip() {
    std::vector<widgets::StripMessage> messages;
    for (const models::RankMemory& rank : models_.memory.ranks()) {
        const std::int64_t held = rank.measured ? rank.used.total : rank.planned.total;
        if (rank.budget <= 0 || held <= rank.budget)
            continue;
        const QString sentence = rank.measured ? tr("Rank %1 holds %2, its budget is %3")
                                               : tr("Rank %1 would hold %2, its budget is %3");
        messages.push_back({State::Failed,
                            sentence.arg(rank.rank).arg(bytesText(held), bytesText(rank.budget)),
                            {},
                            {},
                            {}});
    }
    strip_->show(messages);
}

}  // namespace fl::panels
