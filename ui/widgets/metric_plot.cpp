// SPDX-License-Identifier: GPL-3.0-or-later
// What charts show and how they are touched.
#include "ui/widgets/metric_plot.h"

#include <cmath>

#include "ui/widgets/metric_plot_parts.h"

namespace fl::widgets {

namespace {
constexpr int kFrameMilliseconds = 50;
}

MetricPlot::MetricPlot(const Theme& theme, XAxis axis, QWidget* parent)
    : QWidget(parent),
      plot_(std::make_unique<Plot>(theme, axis, this)) {
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->addWidget(plot_->view);
    plot_->readOut = new PlotReadOut(theme, plot_->view);
    plot_->liveButton =
        new Button(theme, tr("Live"), Button::Kind::Normal, Button::Size::Compact, plot_->view);
    plot_->liveButton->setIconName(QStringLiteral("live"));
    plot_->liveButton->setToolTip(tr("Follow the newest values again"));
    plot_->liveButton->hide();
    plot_->build();
    plot_->timer.setSingleShot(true);
    plot_->timer.setInterval(kFrameMilliseconds);
    connect(&plot_->timer, &QTimer::timeout, this, [this] {
        if (isVisible()) {
            plot_->draw();
        }
    });
    connect(&theme, &Theme::changed, this, &MetricPlot::restyle);
    connect(plot_->liveButton, &Button::clicked, this, [this] { setLive(true); });
    connect(plot_->view, &QCustomPlot::mouseDoubleClick, this, [this] { setLive(true); });
    if (axis != XAxis::Bars) {
        connect(plot_->view, &QCustomPlot::mouseWheel, this, [this] { setLive(false); });
        connect(plot_->view, &QCustomPlot::mousePress, this, [this] { setLive(false); });
    }
    connect(plot_->view, &QCustomPlot::mouseMove, this, [this](QMouseEvent* event) {
        const bool inside = plot_->view->axisRect()->rect().contains(event->pos());
        const double x = inside ? plot_->view->xAxis->pixelToCoord(event->pos().x()) : kNothing;
        setCursor(x);
        Q_EMIT cursorMoved(x);
    });
    restyle();
}

MetricPlot::~MetricPlot() = default;

void MetricPlot::restyle() {
    plot_->styleAxes();
    for (Line& line : plot_->lines) {
        plot_->styleLine(line);
    }
    plot_->styleBars();
    plot_->styleItems();
    refresh();
}

void MetricPlot::refresh() {
    if (!plot_->timer.isActive()) {
        plot_->timer.start();
    }
}

int MetricPlot::addLine(const LineSpec& spec) {
    Line line;
    line.spec = spec;
    line.graph = new BandGraph(plot_->view->xAxis, plot_->view->yAxis);
    line.graph->setAdaptiveSampling(true);
    line.tracer = new QCPItemTracer(plot_->view);
    line.tracer->setInterpolating(false);
    line.tracer->setVisible(false);
    plot_->styleLine(line);
    plot_->lines.push_back(line);
    return int(plot_->lines.size()) - 1;
}

void MetricPlot::setLine(int line, const QVector<double>& x, const QVector<double>& y) {
    Line& one = plot_->lines[std::size_t(line)];
    one.graph->setData(x, y, true);
    one.tracer->setGraph(x.isEmpty() ? nullptr : one.graph);
    plot_->styleLine(one);
    refresh();
}

void MetricPlot::clearLines() {
    for (const Line& line : plot_->lines) {
        plot_->view->removeItem(line.tracer);
        plot_->view->removeGraph(line.graph);
    }
    plot_->lines.clear();
    refresh();
}

void MetricPlot::setWindow(double seconds) {
    plot_->window = seconds;
    refresh();
}

void MetricPlot::setNow(double unixSeconds) {
    if (plot_->live) {
        plot_->now = unixSeconds;
        refresh();
    }
}

void MetricPlot::setBars(const std::vector<StackPart>& parts, const std::vector<BarGroup>& groups) {
    plot_->parts = parts;
    plot_->groups = groups;
    plot_->layBars();
    plot_->styleBars();
    plot_->styleItems();
    refresh();
}

void MetricPlot::setLimit(double value, const QString& name) {
    plot_->limitValue = value;
    const bool shown = !std::isnan(value);
    plot_->limit->setVisible(shown);
    plot_->limitName->setVisible(shown);
    if (shown) {
        plot_->limit->point1->setCoords(0, value);
        plot_->limit->point2->setCoords(1, value);
        plot_->limitName->position->setCoords(1, value);
        plot_->limitName->setText(name);
    }
    refresh();
}

void MetricPlot::setBand(double low, double high, const QString& name) {
    plot_->bandHigh = high;
    const bool shown = !std::isnan(low + high);
    plot_->band->setVisible(shown);
    plot_->bandName->setVisible(shown);
    if (shown) {
        plot_->band->topLeft->setCoords(0, high);
        plot_->band->bottomRight->setCoords(1, low);
        plot_->bandName->position->setCoords(0.01, high);
        plot_->bandName->setText(name);
    }
    refresh();
}

void MetricPlot::addMarker(double x, const QString& word) {
    Marker marker;
    marker.line = plot_->vertical(x);
    marker.word = plot_->text(Qt::AlignLeft | Qt::AlignTop);
    marker.word->setClipToAxisRect(true);
    marker.word->setVisible(true);
    marker.word->setPadding(QMargins(4, 0, 0, 0));
    marker.word->position->setTypeY(QCPItemPosition::ptAxisRectRatio);
    marker.word->position->setCoords(x, 0);
    marker.word->setText(word);
    plot_->markers.push_back(marker);
    plot_->styleItems();
    refresh();
}

void MetricPlot::clearMarkers() {
    for (const Marker& marker : plot_->markers) {
        plot_->view->removeItem(marker.line);
        plot_->view->removeItem(marker.word);
    }
    plot_->markers.clear();
    refresh();
}

QStringList MetricPlot::shownMarkers() const {
    QStringList words;
    for (auto marker = plot_->markers.rbegin(); marker != plot_->markers.rend(); ++marker) {
        if (marker->word->visible()) {
            words << marker->word->text();
        }
    }
    return words;
}

void MetricPlot::setLogarithmic(bool on) {
    plot_->logarithmic = on;
    plot_->view->yAxis->setScaleType(on ? QCPAxis::stLogarithmic : QCPAxis::stLinear);
    if (on) {
        plot_->view->yAxis->setTicker(QSharedPointer<PowerTicker>::create());
    } else {
        plot_->view->yAxis->setTicker(plot_->steps);
    }
    refresh();
}

void MetricPlot::setXName(const QString& name) {
    plot_->view->xAxis->setLabel(name);
}

void MetricPlot::setUnit(const QString& unit, int decimals) {
    plot_->unit = unit;
    plot_->decimals = decimals;
}

bool MetricPlot::isLive() const {
    return plot_->live;
}

void MetricPlot::setLive(bool live) {
    if (live == plot_->live) {
        return;
    }
    plot_->live = live;
    plot_->liveButton->setVisible(!live);
    plot_->liveButton->adjustSize();
    plot_->liveButton->move(width() - plot_->liveButton->width() - plot_->theme.px(12), 4);
    refresh();
    Q_EMIT liveChanged(live);
}

void MetricPlot::setCursor(double x) {
    plot_->cursorX = x;
    const bool shown = !std::isnan(x);
    plot_->cursor->setVisible(shown && plot_->axis != XAxis::Bars);
    if (shown) {
        plot_->cursor->point1->setCoords(x, 0);
        plot_->cursor->point2->setCoords(x, 1);
        plot_->fillReadOut();
    } else {
        plot_->readOut->hide();
        for (const Line& line : plot_->lines) {
            line.tracer->setVisible(false);
        }
    }
    refresh();
}

std::vector<LegendEntry> MetricPlot::legend() const {
    std::vector<LegendEntry> entries;
    for (const StackPart& part : plot_->parts) {
        entries.push_back({part.name, part.series, false, false});
    }
    for (const Line& line : plot_->lines) {
        entries.push_back(
            {line.spec.name, line.spec.series, true, line.spec.style != LineStyle::Solid});
    }
    return entries;
}

QString MetricPlot::toCsv() const {
    QString csv;
    for (const StackPart& part : plot_->parts) {
        csv += part.name;
        for (const double value : part.values) {
            csv += QLatin1Char(',') + QString::number(value, 'g', 12);
        }
        csv += QLatin1Char('\n');
    }
    for (const Line& line : plot_->lines) {
        for (const QCPGraphData& point : *line.graph->data()) {
            csv += line.spec.name + QLatin1Char(',') + QString::number(point.key, 'f', 6) +
                   QLatin1Char(',') + QString::number(point.value, 'g', 12) + QLatin1Char('\n');
        }
    }
    return csv;
}

bool MetricPlot::savePng(const QString& file) const {
    plot_->draw();
    return plot_->view->savePng(file, 0, 0, plot_->view->devicePixelRatioF());
}

// What was set while nobody saw it.
void MetricPlot::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    refresh();
}

void MetricPlot::leaveEvent(QEvent* event) {
    QWidget::leaveEvent(event);
    setCursor(kNothing);
    Q_EMIT cursorMoved(kNothing);
}

QSize MetricPlot::sizeHint() const {
    return {plot_->theme.px(360), plot_->theme.px(150)};
}

QSize MetricPlot::minimumSizeHint() const {
    return {plot_->theme.px(180), plot_->theme.px(90)};
}

}  // namespace fl::widgets
