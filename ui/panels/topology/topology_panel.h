// SPDX-License-Identifier: GPL-3.0-or-later
// Machines and cards as they are wired, with what each card does at the moment.
#pragma once

#include "ui/panels/framed_panel.h"
#include "ui/panels/topology/topology_scene.h"

class QBoxLayout;

namespace fl::widgets {
class Button;
class Chip;
class HoverCard;
class Refresher;
class SegmentedControl;
class TextLabel;
}  // namespace fl::widgets

namespace fl::panels {

class TopologyView;

class TopologyPanel : public FramedPanel {
    Q_OBJECT

public:
    explicit TopologyPanel(const PanelContext& context, QWidget* parent = nullptr);

    QString id() const override { return QStringLiteral("topology"); }
    QString title() const override { return tr("Topology"); }
    QString iconName() const override { return QStringLiteral("topology"); }
    PanelPlace place() const override { return PanelPlace::Middle; }
    void reveal(const QString& what) override;

    TopologyMeasure measure() const { return measure_; }
    const LitGroups& lit() const { return lit_; }
    // Writes the scene by the ending of `path`: .svg or .png. False if it cannot be written.
    bool exportTo(const QString& path);

protected:
    void showEvent(QShowEvent* event) override;

private:
    void buildUi();
    QWidget* buildBar();
    void connectModels();
    void addActions();
    void rebuild();
    void rebuildChips();
    void refresh();
    void refreshSentence();
    void refreshBadge();
    void refreshOrder();
    void chooseKind(const QString& kind);
    void chooseRank(int rank);
    void step(int by);
    void hover(int rank, const QRect& card);
    void askExport(const QString& ending);

    models::Models& models_;
    TopologyScene* scene_;
    TopologyView* view_ = nullptr;
    QBoxLayout* chipRow_ = nullptr;
    std::vector<widgets::Chip*> chips_;
    QWidget* swatch_ = nullptr;
    widgets::TextLabel* sentence_ = nullptr;
    widgets::SegmentedControl* measures_ = nullptr;
    widgets::HoverCard* card_ = nullptr;
    widgets::Refresher* refresher_;
    bool layoutStale_ = false;
    bool kindChosen_ = false;
    TopologyMeasure measure_ = TopologyMeasure::Memory;
    LitGroups lit_;
};

}  // namespace fl::panels
