// SPDX-License-Identifier: GPL-3.0-or-later
// How long steps, tokens and first tokens take, live, with what happened at the time.
#pragma once

#include <functional>

#include <QTimer>

#include "ui/models/latency_model.h"
#include "ui/panels/panel.h"

namespace fl::widgets {
class Button;
class MetricPlot;
class PageLayout;
class PanelHeader;
class Refresher;
class SegmentedControl;
}  // namespace fl::widgets

namespace fl::panels {

class LatencyPanel : public Panel {
    Q_OBJECT

public:
    explicit LatencyPanel(const PanelContext& context, QWidget* parent = nullptr);

    QString id() const override { return QStringLiteral("latency"); }
    QString title() const override { return tr("Latency"); }
    QString iconName() const override { return QStringLiteral("latency"); }
    PanelPlace place() const override { return PanelPlace::BelowRight; }
    widgets::PanelHeader* header() const override { return header_; }

    void setMeasure(models::LatencyModel::Measure measure);
    models::LatencyModel::Measure measure() const { return measure_; }
    // Seconds shown while live; 0: the whole run.
    void setSpan(double seconds);
    // Unix time; the wall clock unless a recording is shown.
    void setClock(std::function<double()> clock);
    QString subject() const { return subject_; }
    bool saveCsv(const QString& path) const;

private:
    void buildUi();
    QWidget* buildSpans();
    void addActions();
    void refresh();
    void refreshMarkers();
    void refreshSubject(double since);
    void askExport();

    const widgets::Theme& theme_;
    models::Models& models_;
    widgets::PanelHeader* header_ = nullptr;
    widgets::SegmentedControl* measures_ = nullptr;
    widgets::Button* spans_ = nullptr;
    widgets::PageLayout* stack_ = nullptr;
    widgets::MetricPlot* plot_ = nullptr;
    widgets::Refresher* refresher_;
    QTimer tick_;
    std::function<double()> clock_;
    models::LatencyModel::Measure measure_ = models::LatencyModel::Measure::Step;
    double span_ = 120;
    int line_ = -1;
    std::size_t markers_ = 0;
    QString subject_;
};

}  // namespace fl::panels
