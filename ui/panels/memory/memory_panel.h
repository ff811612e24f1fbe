// SPDX-License-Identifier: GPL-3.0-or-later
// What each rank holds, stacked by category, against its plan and its budget; or over time.
#pragma once

#include "ui/panels/panel.h"

namespace fl::widgets {
class Button;
class MessageStrip;
class MetricPlot;
class PageLayout;
class PanelHeader;
class Refresher;
}  // namespace fl::widgets

namespace fl::panels {

class MemoryPanel : public Panel {
    Q_OBJECT

public:
    explicit MemoryPanel(const PanelContext& context, QWidget* parent = nullptr);

    QString id() const override { return QStringLiteral("memory"); }
    QString title() const override { return tr("Memory"); }
    QString iconName() const override { return QStringLiteral("memory"); }
    PanelPlace place() const override { return PanelPlace::BelowLeft; }
    widgets::PanelHeader* header() const override { return header_; }

    // Stacks of now, or the totals over time.
    void setOverTime(bool on);
    bool isOverTime() const { return overTime_; }
    const widgets::MetricPlot* plot() const { return overTime_ ? lines_ : bars_; }

private:
    void buildUi();
    void addActions();
    void refresh();
    void refreshBars();
    void refreshLines();
    void refreshStrip();

    const widgets::Theme& theme_;
    models::Models& models_;
    widgets::PanelHeader* header_ = nullptr;
    widgets::Button* mode_ = nullptr;
    widgets::MessageStrip* strip_ = nullptr;
    widgets::PageLayout* stack_ = nullptr;
    widgets::MetricPlot* bars_ = nullptr;
    widgets::MetricPlot* lines_ = nullptr;
    widgets::Refresher* refresher_;
    bool overTime_ = false;
};

}  // namespace fl::panels
