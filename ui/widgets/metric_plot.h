// SPDX-License-Identifier: GPL-3.0-or-later
// Charts of measured values: lines over time or over a number, or stacked bars per rank. The only
// wrapper around QCustomPlot, so that the library can be replaced.
//
// Drawn as the design says: horizontal grid only, limits dashed, live until touched. Dragging and
// the wheel pause (liveChanged); a double click or setLive(true) returns.
#pragma once

#include <memory>
#include <vector>

#include <QStringList>
#include <QVector>
#include <QWidget>

#include "ui/widgets/panel_header.h"
#include "ui/widgets/plot_stack.h"
#include "ui/widgets/theme.h"

namespace fl::widgets {

enum class LineStyle { Solid, Dashed, Dotted };

struct LineSpec {
    QString name;
    int series = 1;  // 0: link (an earlier run)
    LineStyle style = LineStyle::Solid;
    bool filled = false;     // 18 % down to zero
    bool important = false;  // pen 2 instead of 1.5
};

enum class XAxis { Time, Number, Bars };

class MetricPlot : public QWidget {
    Q_OBJECT

public:
    MetricPlot(const Theme& theme, XAxis axis, QWidget* parent = nullptr);
    ~MetricPlot() override;

    // Lines. x of XAxis::Time is unix seconds, written as "−30 s … now".
    int addLine(const LineSpec& spec);
    void setLine(int line, const QVector<double>& x, const QVector<double>& y);
    void clearLines();
    // Seconds shown while live; 0: everything.
    void setWindow(double seconds);
    void setNow(double unixSeconds);

    // Bars.
    void setBars(const std::vector<StackPart>& parts, const std::vector<BarGroup>& groups);

    // A dashed line with its name at the right end; NaN takes it away.
    void setLimit(double value, const QString& name);
    void setBand(double low, double high, const QString& name);
    // A dashed vertical with a word at the top: a stage begins, an alert.
    void addMarker(double x, const QString& word);
    void clearMarkers();
    // The words that have room, from the newest marker back.
    QStringList shownMarkers() const;
    // The values span powers of ten: five of them at most, down from the highest.
    void setLogarithmic(bool on);
    // Meaning of a number axis, below it: "token".
    void setXName(const QString& name);
    // "47.2 GiB": how the read-out writes values; `decimals` digits and the unit.
    void setUnit(const QString& unit, int decimals = 1);

    bool isLive() const;
    void setLive(bool live);
    // Several charts share one cursor: connect cursorMoved to setCursor. NaN: none.
    void setCursor(double x);
    std::vector<LegendEntry> legend() const;

    QString toCsv() const;
    bool savePng(const QString& file) const;
    // Redraws at most 20 times a second; call it after a batch of changes.
    void refresh();

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

Q_SIGNALS:
    void liveChanged(bool live);
    void cursorMoved(double x);

protected:
    void leaveEvent(QEvent* event) override;
    void showEvent(QShowEvent* event) override;

private:
    struct Plot;
    void restyle();
    std::unique_ptr<Plot> plot_;
};

}  // namespace fl::widgets
