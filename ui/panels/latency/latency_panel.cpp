// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/latency/latency_panel.h"

#include <QAction>
#include <QBoxLayout>
#include <QDateTime>
#include <QFile>
#include <QFileDialog>
#include <QMenu>

#include "ui/models/models.h"
#include "ui/widgets/button.h"
#include "ui/widgets/empty_state.h"
#include "ui/widgets/metric_plot.h"
#include "ui/widgets/page_layout.h"
#include "ui/widgets/panel_header.h"
#include "ui/widgets/refresher.h"
#include "ui/widgets/segmented_control.h"

namespace fl::panels {

using models::LatencyModel;
using models::MetricSeries;
using widgets::Button;
using Measure = LatencyModel::Measure;

namespace {

// Text numbers change four times a second at most, and time itself moves the curve.
constexpr int kTickMilliseconds = 250;
constexpr std::size_t kPoints = 600;
// Narrower, the percentiles do not fit beside the controls.
constexpr int kPercentilesFrom = 470;

double wallClock() {
    return double(QDateTime::currentMSecsSinceEpoch()) / 1000.0;
}

}  // namespace

LatencyPanel::LatencyPanel(const PanelContext& context, QWidget* parent)
    : Panel(parent),
      theme_(context.theme),
      models_(context.models),
      refresher_(new widgets::Refresher(this, [this] { refresh(); })),
      clock_(wallClock) {
    tick_.setInterval(kTickMilliseconds);
    connect(&tick_, &QTimer::timeout, this, [this] {
        if (isVisible() && plot_->isLive() && !models_.latency.empty())
            refresh();
    });
    tick_.start();
    buildUi();
    addActions();
    connect(&models_.latency, &LatencyModel::changed, refresher_, &widgets::Refresher::later);
    refresh();
}

void LatencyPanel::buildUi() {
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    header_ = new widgets::PanelHeader(theme_, title(), this);
    header_->setSubject(tr("ms"));
    header_->addRight(buildSpans());
    measures_ = new widgets::SegmentedControl(theme_, this);
    measures_->setAccessibleName(tr("What is measured"));
    measures_->setSegments({tr("Step"), tr("ITL"), tr("TTFT")});
    measures_->setCurrent(int(measure_));
    connect(measures_, &widgets::SegmentedControl::chosen, this,
            [this](int index) { setMeasure(Measure(index)); });
    header_->addRight(measures_);
    column->addWidget(header_);
    stack_ = new widgets::PageLayout;
    column->addLayout(stack_, 1);
    plot_ = new widgets::MetricPlot(theme_, widgets::XAxis::Time, this);
    plot_->setAccessibleName(tr("Latency over time"));
    plot_->setUnit(tr("ms"));
    plot_->setWindow(span_);
    stack_->addWidget(plot_);
    auto* empty = new widgets::EmptyState(theme_, QStringLiteral("latency"), this);
    empty->setTitle(tr("Nothing has run yet"));
    empty->setBody(tr("Times appear here with the first answer."));
    connect(empty->addButton(tr("Go to the chat")), &Button::clicked, this,
            [this] { emit panelRequested(QStringLiteral("chat"), {}); });
    stack_->addWidget(empty);
}

QWidget* LatencyPanel::buildSpans() {
    spans_ = new Button(theme_, tr("2 min"), Button::Kind::Quiet, Button::Size::Compact, this);
    spans_->setDropDown(true);
    spans_->setToolTip(tr("How much of the run is shown"));
    auto* menu = new QMenu(spans_);
    const std::pair<QString, double> spans[] = {{tr("1 min"), 60},
                                                {tr("2 min"), 120},
                                                {tr("10 min"), 600},
                                                {tr("1 h"), 3600},
                                                {tr("Whole run"), 0}};
    for (const auto& [name, seconds] : spans) {
        menu->addAction(name, this, [this, text = name, span = seconds] {
            spans_->setText(text);
            setSpan(span);
        });
    }
    connect(spans_, &Button::clicked, menu,
            [this, menu] { menu->popup(spans_->mapToGlobal(QPoint(0, spans_->height() + 2))); });
    return spans_;
}

void LatencyPanel::addActions() {
    const auto add = [this](const QString& text, auto use) {
        auto* action = new QAction(text, this);
        connect(action, &QAction::triggered, this, use);
        addAction(action);
    };
    add(tr("Latency: live"), [this] { plot_->setLive(true); });
    add(tr("Latency: export as CSV or PNG…"), [this] { askExport(); });
    setContextMenuPolicy(Qt::ActionsContextMenu);
}

void LatencyPanel::setMeasure(Measure measure) {
    measure_ = measure;
    measures_->setCurrent(int(measure));
    plot_->clearLines();
    line_ = -1;
    refresh();
}

void LatencyPanel::setSpan(double seconds) {
    span_ = seconds;
    plot_->setWindow(seconds);
    plot_->setLive(true);
    refresh();
}

void LatencyPanel::setClock(std::function<double()> clock) {
    clock_ = std::move(clock);
    refresh();
}

void LatencyPanel::refreshMarkers() {
    const auto& markers = models_.latency.markers();
    if (markers.size() < markers_) {
        plot_->clearMarkers();
        markers_ = 0;
    }
    for (; markers_ < markers.size(); ++markers_)
        plot_->addMarker(markers[markers_].time, markers[markers_].word);
}

void LatencyPanel::refreshSubject(double since) {
    const MetricSeries& series = models_.latency.series(measure_);
    const double p50 = series.percentile(0.5, since) * 1000;
    const double p99 = series.percentile(0.99, since) * 1000;
    subject_ =
        p50 > 0 ? tr("ms, p50 %1, p99 %2").arg(p50, 0, 'f', 1).arg(p99, 0, 'f', 1) : tr("ms");
    // Whole or not at all: half a number is none.
    header_->setSubject(width() > theme_.px(kPercentilesFrom) ? subject_ : tr("ms"));
}

void LatencyPanel::refresh() {
    const bool empty = models_.latency.empty();
    stack_->setCurrentIndex(empty ? 1 : 0);
    spans_->setVisible(!empty);
    for (const Measure measure : {Measure::Step, Measure::InterToken, Measure::FirstToken}) {
        const bool none = models_.latency.series(measure).empty();
        measures_->setBlocked(int(measure), none ? tr("Waits for the first answer") : QString());
    }
    const double now = clock_();
    refreshSubject(span_ > 0 ? now - span_ : 0);
    refreshMarkers();
    if (empty)
        return;
    const MetricSeries& series = models_.latency.series(measure_);
    if (line_ < 0)
        line_ = plot_->addLine(
            {measures_->text(int(measure_)), 1, widgets::LineStyle::Solid, true, false});
    // Live shows a window; once paused, all of the run can be dragged to.
    const double from = plot_->isLive() && span_ > 0 ? now - span_ * 1.1 : 0;
    QVector<double> x;
    QVector<double> y;
    for (const models::TimedValue& point : series.decimated(from, now, kPoints)) {
        x << point.time;
        y << point.value * 1000;
    }
    plot_->setNow(now);
    plot_->setLine(line_, x, y);
    plot_->refresh();
}

bool LatencyPanel::saveCsv(const QString& path) const {
    QFile file(path);
    return file.open(QIODevice::WriteOnly) && file.write(plot_->toCsv().toUtf8()) >= 0;
}

void LatencyPanel::askExport() {
    auto* dialog = new QFileDialog(this, tr("Export latency"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->setNameFilters({tr("Table (*.csv)"), tr("Picture (*.png)")});
    dialog->selectFile(QStringLiteral("latency.csv"));
    connect(dialog, &QFileDialog::fileSelected, this, [this](const QString& path) {
        const bool written =
            path.endsWith(QLatin1String(".png")) ? plot_->savePng(path) : saveCsv(path);
        if (!written)
            header_->setSubject(tr("%1 cannot be written").arg(path));
    });
    dialog->open();
}

}  // namespace fl::panels
