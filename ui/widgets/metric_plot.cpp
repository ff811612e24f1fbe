// SPDX-License-Identifier: GPL-3.0-or-later
// Charts on QCustomPlot, drawn as the design says.
#include "ui/widgets/metric_plot.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <QTimer>
#include <qcustomplot.h>

#include "ui/widgets/button.h"
#include "ui/widgets/paint.h"
#include "ui/widgets/plot_read_out.h"
#include "ui/widgets/plot_scale.h"

namespace fl::widgets {

namespace {

constexpr int kFrameMilliseconds = 50;
constexpr int kMostMarkedPoints = 100;
constexpr double kNothing = std::numeric_limits<double>::quiet_NaN();

// Labels with the true minus sign, no ticks between them.
template <class Ticker>
class Labelled : public Ticker {
protected:
    QString getTickLabel(double tick, const QLocale&, QChar, int) override {
        return axisNumber(tick);
    }
    int getSubTickCount(double) override { return 0; }
};

// Labels of a time axis relative to `now`: "−30 s", "−2 min", "now".
class AgeTicker : public QCPAxisTicker {
public:
    double now = 0;

protected:
    double getTickStep(const QCPRange& range) override { return timeStep(range.size()); }
    QVector<double> createTickVector(double step, const QCPRange& range) override {
        return agesBack(now, step, range.lower, range.upper);
    }
    QString getTickLabel(double tick, const QLocale&, QChar, int) override {
        return ageText(now - tick);
    }
    int getSubTickCount(double) override { return 0; }
};

struct Line {
    LineSpec spec;
    QCPGraph* graph = nullptr;
    QCPItemTracer* tracer = nullptr;
};

struct Marker {
    QCPItemLine* line = nullptr;
    QCPItemText* word = nullptr;
};

}  // namespace

struct MetricPlot::Plot {
    Plot(const Theme& look, XAxis kind, QWidget* parent)
        : theme(look),
          axis(kind),
          view(new QCustomPlot(parent)) {}

    const Theme& theme;
    XAxis axis;
    QCustomPlot* view;
    PlotReadOut* readOut = nullptr;
    Button* liveButton = nullptr;
    QTimer timer;
    QSharedPointer<AgeTicker> ages = QSharedPointer<AgeTicker>::create();
    QSharedPointer<Labelled<QCPAxisTickerFixed>> steps =
        QSharedPointer<Labelled<QCPAxisTickerFixed>>::create();
    std::vector<Line> lines;
    std::vector<StackPart> parts;
    std::vector<BarGroup> groups;
    std::vector<QCPBars*> bars;
    std::vector<QCPItemLine*> separators;
    std::vector<Marker> markers;
    QCPItemStraightLine* limit = nullptr;
    QCPItemText* limitName = nullptr;
    QCPItemRect* band = nullptr;
    QCPItemText* bandName = nullptr;
    QCPItemStraightLine* cursor = nullptr;
    double limitValue = kNothing;
    double bandHigh = kNothing;
    double cursorX = kNothing;
    double window = 60;
    double now = 0;
    bool live = true;
    QString unit;
    int decimals = 1;

    void build();
    void buildItems();
    void styleAxes();
    void styleLine(Line& line) const;
    void styleItems();
    void styleBars();
    QCPItemText* text(Qt::Alignment alignment);
    QCPItemLine* vertical(double x);
    void fitX();
    void fitY();
    void layBars();
    void fillReadOut();
};

void MetricPlot::Plot::build() {
    view->setMouseTracking(true);
    view->axisRect()->setAutoMargins(QCP::msLeft | QCP::msBottom);
    view->axisRect()->setMargins(
        QMargins(0, theme.px(14), theme.px(axis == XAxis::Bars ? 12 : 18), 0));
    view->axisRect()->setMinimumMargins(QMargins(theme.px(36), 0, 0, theme.px(20)));
    view->setInteractions(axis == XAxis::Bars ? QCP::Interactions()
                                              : QCP::iRangeDrag | QCP::iRangeZoom);
    view->axisRect()->setRangeDrag(Qt::Horizontal);
    view->axisRect()->setRangeZoom(Qt::Horizontal);
    view->yAxis->setTicker(steps);
    QSharedPointer<QCPAxisTicker> numbers = QSharedPointer<Labelled<QCPAxisTicker>>::create();
    view->xAxis->setTicker(axis == XAxis::Time ? ages : numbers);
    buildItems();
}

QCPItemText* MetricPlot::Plot::text(Qt::Alignment alignment) {
    auto* item = new QCPItemText(view);
    item->setPositionAlignment(alignment);
    item->setClipToAxisRect(false);
    item->setVisible(false);
    return item;
}

QCPItemLine* MetricPlot::Plot::vertical(double x) {
    auto* line = new QCPItemLine(view);
    line->start->setTypeY(QCPItemPosition::ptAxisRectRatio);
    line->end->setTypeY(QCPItemPosition::ptAxisRectRatio);
    line->start->setCoords(x, 0);
    line->end->setCoords(x, 1);
    return line;
}

void MetricPlot::Plot::buildItems() {
    band = new QCPItemRect(view);
    band->topLeft->setTypeX(QCPItemPosition::ptAxisRectRatio);
    band->bottomRight->setTypeX(QCPItemPosition::ptAxisRectRatio);
    band->setVisible(false);
    bandName = text(Qt::AlignLeft | Qt::AlignTop);
    bandName->position->setTypeX(QCPItemPosition::ptAxisRectRatio);
    limit = new QCPItemStraightLine(view);
    limit->setVisible(false);
    limitName = text(Qt::AlignRight | Qt::AlignBottom);
    limitName->position->setTypeX(QCPItemPosition::ptAxisRectRatio);
    cursor = new QCPItemStraightLine(view);
    cursor->setVisible(false);
}

void MetricPlot::Plot::styleAxes() {
    const QFont font = theme.font(TextRole::Axis);
    view->setBackground(QBrush(theme.color(Token::Bg1)));
    for (QCPAxis* one : {view->xAxis, view->yAxis}) {
        one->setTickLabelFont(font);
        one->setTickLabelColor(theme.color(Token::T3));
        one->setLabelFont(font);
        one->setLabelColor(theme.color(Token::T3));
        one->setTickLength(0);
        one->setSubTickLength(0);
        one->setTickLabelPadding(theme.px(6));
        one->grid()->setPen(dashedPen(theme.color(Token::Grid), 1));
        one->grid()->setZeroLinePen(Qt::NoPen);
        one->setBasePen(Qt::NoPen);
    }
    view->xAxis->grid()->setVisible(axis == XAxis::Number);
    view->xAxis->setBasePen(dashedPen(theme.color(Token::Axis), 1));
    view->xAxis->setTickPen(Qt::NoPen);
    view->yAxis->setTickPen(Qt::NoPen);
}

void MetricPlot::Plot::styleLine(Line& line) const {
    const QColor color = theme.series(line.spec.series);
    const double width = line.spec.important ? 2 : 1.5;
    QVector<qreal> dashes;
    if (line.spec.style == LineStyle::Dashed) {
        dashes = {4, 3};
    } else if (line.spec.style == LineStyle::Dotted) {
        dashes = {1, 3};
    }
    line.graph->setPen(dashedPen(color, width, dashes));
    line.graph->setAntialiased(true);
    line.graph->setBrush(line.spec.filled ? QBrush(theme.seriesBand(line.spec.series)) : QBrush());
    static const QCPScatterStyle::ScatterShape kShapes[] = {
        QCPScatterStyle::ssCircle, QCPScatterStyle::ssSquare, QCPScatterStyle::ssDiamond};
    const bool marked = line.graph->dataCount() > 0 &&
                        line.graph->dataCount() < kMostMarkedPoints && axis == XAxis::Number;
    line.graph->setScatterStyle(
        marked ? QCPScatterStyle(kShapes[std::abs(line.spec.series) % 3], color, color, 5)
               : QCPScatterStyle());
    line.tracer->setStyle(QCPItemTracer::tsCircle);
    line.tracer->setSize(7);
    line.tracer->setPen(dashedPen(theme.color(Token::Bg1), 1));
    line.tracer->setBrush(color);
}

void MetricPlot::Plot::styleItems() {
    const QFont font = theme.font(TextRole::Axis);
    limit->setPen(dashedPen(theme.color(Token::Err), 1.5, {5, 3}));
    limitName->setFont(font);
    limitName->setColor(theme.color(Token::Err));
    band->setBrush(theme.color(Token::OkBg));
    band->setPen(Qt::NoPen);
    bandName->setFont(font);
    bandName->setColor(theme.color(Token::Ok));
    cursor->setPen(dashedPen(theme.color(Token::T2), 1));
    for (const Marker& marker : markers) {
        marker.line->setPen(dashedPen(theme.color(Token::Line2), 1, {3, 3}));
        marker.word->setFont(font);
        marker.word->setColor(theme.color(Token::T3));
        marker.word->setBrush(theme.color(Token::Bg1));
    }
    for (QCPItemLine* line : separators) {
        line->setPen(dashedPen(theme.color(Token::Line2), 1));
    }
}

void MetricPlot::Plot::styleBars() {
    for (std::size_t i = 0; i < bars.size(); ++i) {
        const int series = parts[i].series;
        bars[i]->setPen(Qt::NoPen);
        bars[i]->setBrush(series < 0 ? theme.color(Token::Bg3) : theme.seriesArea(series));
        bars[i]->setAntialiased(false);
        bars[i]->setAntialiasedFill(false);
    }
}

void MetricPlot::Plot::layBars() {
    for (QCPBars* one : bars) {
        view->removePlottable(one);
    }
    for (QCPItemLine* line : separators) {
        view->removeItem(line);
    }
    bars.clear();
    separators.clear();
    const int count = barCount(groups);
    QVector<double> places;
    for (int i = 0; i < count; ++i) {
        places << i;
    }
    for (const StackPart& part : parts) {
        auto* stack = new QCPBars(view->xAxis, view->yAxis);
        stack->setData(places.mid(0, part.values.size()), part.values, true);
        stack->setWidth(0.74);
        if (!bars.empty()) {
            stack->moveAbove(bars.back());
        }
        bars.push_back(stack);
    }
    auto ticker = QSharedPointer<QCPAxisTickerText>::create();
    double from = -0.5;
    for (const BarGroup& group : groups) {
        ticker->addTick(from + group.count / 2.0, group.name);
        from += group.count;
        if (from < count - 1 && groups.size() < std::size_t(count)) {
            separators.push_back(vertical(from));
        }
    }
    ticker->setSubTickCount(0);
    view->xAxis->setTicker(ticker);
    view->xAxis->setRange(-0.6, std::max(count, 1) - 0.4);
}

void MetricPlot::Plot::fitX() {
    ages->now = now;
    if (!live || axis == XAxis::Bars) {
        return;
    }
    bool found = false;
    double low = 0;
    double high = 1;
    for (const Line& line : lines) {
        bool has = false;
        const QCPRange range = line.graph->getKeyRange(has);
        if (has) {
            low = found ? std::min(low, range.lower) : range.lower;
            high = found ? std::max(high, range.upper) : range.upper;
            found = true;
        }
    }
    if (axis == XAxis::Time) {
        const double upper = now > 0 ? now : high;
        const double lower = window > 0 ? upper - window : (found ? low : upper - 60);
        view->xAxis->setRange(lower, std::max(upper, lower + 1));
    } else if (found) {
        view->xAxis->setRange(low, std::max(high, low + 1));
    }
}

void MetricPlot::Plot::fitY() {
    double top = stackTop(parts);
    for (const Line& line : lines) {
        bool has = false;
        const QCPRange range = line.graph->getValueRange(has, QCP::sdBoth, view->xAxis->range());
        if (has) {
            top = std::max(top, range.upper);
        }
    }
    for (const double value : {limitValue, bandHigh}) {
        if (!std::isnan(value)) {
            top = std::max(top, value);
        }
    }
    const int intervals = view->axisRect()->height() < theme.px(70) ? 2 : 4;
    steps->setTickStep(niceStep(top, intervals));
    view->yAxis->setRange(0, steps->tickStep() * intervals);
}

void MetricPlot::Plot::fillReadOut() {
    std::vector<KeyValue> rows;
    if (axis == XAxis::Bars) {
        const int bar = int(std::lround(cursorX));
        if (bar < 0 || bar >= barCount(groups)) {
            readOut->hide();
            return;
        }
        rows = stackRows(parts, bar, unit, decimals);
    } else {
        if (axis == XAxis::Time) {
            rows.push_back(
                {QObject::tr("Time"), QDateTime::fromMSecsSinceEpoch(qint64(cursorX * 1000))
                                          .toString(QStringLiteral("hh:mm:ss.zzz"))});
        } else {
            rows.push_back({view->xAxis->label(), axisNumber(cursorX)});
        }
        for (Line& line : lines) {
            const bool any = line.graph->dataCount() > 0;
            line.tracer->setVisible(any);
            if (any) {
                line.tracer->setGraphKey(cursorX);
                line.tracer->updatePosition();
            }
            rows.push_back(
                {line.spec.name,
                 valueText(any ? line.tracer->position->value() : kNothing, unit, decimals)});
        }
    }
    readOut->showValues(std::move(rows), view->axisRect()->rect(),
                        view->xAxis->coordToPixel(cursorX));
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
        plot_->fitX();
        plot_->fitY();
        plot_->view->replot();
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
    line.graph = plot_->view->addGraph();
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
    return plot_->view->savePng(file, 0, 0, plot_->view->devicePixelRatioF());
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
