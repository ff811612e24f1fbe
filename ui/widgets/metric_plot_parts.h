// SPDX-License-Identifier: GPL-3.0-or-later
// What a MetricPlot is made of: the QCustomPlot items and how they are styled and laid out. Only
// metric_plot*.cpp include this.
#pragma once

#include <limits>
#include <vector>

#include <QTimer>
#include <qcustomplot.h>

#include "ui/widgets/button.h"
#include "ui/widgets/metric_plot.h"
#include "ui/widgets/plot_read_out.h"
#include "ui/widgets/plot_scale.h"

namespace fl::widgets {

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

// Layers and tokens are counted: nothing between two of them.
class CountTicker : public Labelled<QCPAxisTicker> {
protected:
    double getTickStep(const QCPRange& range) override {
        return std::max(1.0, Labelled<QCPAxisTicker>::getTickStep(range));
    }
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

// Without a size there is no picture to paint into, and QCustomPlot would say so each time.
class View : public QCustomPlot {
public:
    using QCustomPlot::QCustomPlot;

protected:
    void resizeEvent(QResizeEvent* event) override {
        if (!event->size().isEmpty()) {
            QCustomPlot::resizeEvent(event);
        }
    }
};

// Powers of ten, and nothing between them.
class PowerTicker : public QCPAxisTickerLog {
protected:
    QString getTickLabel(double tick, const QLocale&, QChar, int) override {
        return powerText(tick);
    }
    int getSubTickCount(double) override { return 0; }
};

// A curve whose filled area never makes the window wait: Qt fills polygons of more than a hundred
// rows in threads of its pool and waits for them, however long a busy machine takes to run those.
class BandGraph : public QCPGraph {
public:
    using QCPGraph::QCPGraph;

protected:
    void drawFill(QCPPainter* painter, QVector<QPointF>* lines) const override;
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

struct MetricPlot::Plot {
    Plot(const Theme& look, XAxis kind, QWidget* parent)
        : theme(look),
          axis(kind),
          view(new View(parent)) {}

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
    bool logarithmic = false;
    QString unit;
    int decimals = 1;

    void build();
    void placeWords() const;
    void buildItems();
    void styleAxes();
    void styleLine(Line& line) const;
    void styleItems();
    void styleBars();
    QCPItemText* text(Qt::Alignment alignment);
    QCPItemLine* vertical(double x);
    void draw();
    void fitX();
    void fitY();
    void fitPowers(double top);
    void layBars();
    void fillReadOut();
};

}  // namespace fl::widgets
