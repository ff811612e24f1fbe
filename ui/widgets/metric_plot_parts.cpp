// SPDX-License-Identifier: GPL-3.0-or-later
// Styles and lays out the items of a chart, as the design says.
#include "ui/widgets/metric_plot_parts.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "ui/widgets/paint.h"

namespace fl::widgets {

namespace {
constexpr int kMostMarkedPoints = 100;
}

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
    QSharedPointer<QCPAxisTicker> numbers = QSharedPointer<CountTicker>::create();
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

void MetricPlot::Plot::draw() {
    fitX();
    fitY();
    placeWords();
    if (!view->size().isEmpty()) {
        // Shown with the next picture of the window, not in one of its own at once.
        view->replot(QCustomPlot::rpQueuedRefresh);
    }
}

// A marker's word stands right of its line, or left of it where it would be cut or lie on another
// word; the newest have the first choice, and one without room is left out. Its line always shows.
void MetricPlot::Plot::placeWords() const {
    const QFontMetrics metrics(theme.font(TextRole::Axis));
    const QRect box = view->axisRect()->rect();
    std::vector<std::pair<double, double>> taken;
    const auto isFree = [&](double from, double to) {
        return from >= box.left() && to <= box.right() + 1 &&
               std::none_of(taken.begin(), taken.end(), [&](const auto& other) {
                   return from < other.second && other.first < to;
               });
    };
    for (auto marker = markers.rbegin(); marker != markers.rend(); ++marker) {
        const double x = view->xAxis->coordToPixel(marker->line->start->key());
        const double wide = metrics.horizontalAdvance(marker->word->text()) + theme.px(6);
        const bool right = isFree(x, x + wide);
        const bool shown = right || isFree(x - wide, x);
        marker->word->setVisible(shown);
        marker->word->setPositionAlignment(Qt::AlignTop | (right ? Qt::AlignLeft : Qt::AlignRight));
        marker->word->setPadding(right ? QMargins(4, 0, 0, 0) : QMargins(0, 0, 4, 0));
        if (shown) {
            taken.emplace_back(right ? x : x - wide, right ? x + wide : x);
        }
    }
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
    if (logarithmic) {
        fitPowers(top);
        return;
    }
    const int intervals = view->axisRect()->height() < theme.px(70) ? 2 : 4;
    steps->setTickStep(niceStep(top, intervals));
    view->yAxis->setRange(0, steps->tickStep() * intervals);
}

void MetricPlot::Plot::fitPowers(double top) {
    double least = top;
    for (const Line& line : lines) {
        bool has = false;
        const QCPRange range = line.graph->getValueRange(has, QCP::sdPositive);
        if (has) {
            least = std::min(least, range.lower);
        }
    }
    constexpr int kMostPowers = 5;
    const double high = std::ceil(std::log10(top > 0 ? top : 1) + 0.05);
    const double low = least > 0 ? std::floor(std::log10(least)) : high - 1;
    view->yAxis->setRange(std::pow(10, std::clamp(low, high - kMostPowers, high - 1)),
                          std::pow(10, high));
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

}  // namespace fl::widgets
