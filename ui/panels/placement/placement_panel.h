// SPDX-License-Identifier: GPL-3.0-or-later
// Who holds what: the map of layers and ranks, the ledger beside it, and a plan to try.
#pragma once

#include <map>

#include "ui/models/slice_model.h"
#include "ui/panels/framed_panel.h"
#include "ui/panels/placement/placement_grid.h"

class QBoxLayout;
class QSplitter;
class QStackedWidget;
class QTableView;

namespace fl::widgets {
class HoverCard;
class Refresher;
class SegmentedControl;
class TextLabel;
}  // namespace fl::widgets

namespace fl::panels {

class CellView;
class CompareView;
class LedgerStack;
class PlacementMap;
class PlanRequests;
class PlansPage;
class WhatIf;

class PlacementPanel : public FramedPanel {
    Q_OBJECT

public:
    enum class Side { Ledger, Plans, Tensors, Compare };

    explicit PlacementPanel(const PanelContext& context, QWidget* parent = nullptr);

    QString id() const override { return QStringLiteral("placement"); }
    QString title() const override { return tr("Placement"); }
    QString iconName() const override { return QStringLiteral("placement"); }
    PanelPlace place() const override { return PanelPlace::Middle; }
    void reveal(const QString& what) override;

    void setColourBy(ColourBy by);
    void showSide(Side side);
    // Shows what this rank holds of this row of the map, as in PlacementGrid.
    void showCell(int rank, int row);
    const models::SliceModel& cellSlices() const { return slices_; }

signals:
    // The user committed to these settings; the request has been sent.
    void planUsed(const fl::protocol::JobSettings& settings);

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    void buildUi();
    QWidget* buildBar();
    QWidget* buildMap();
    QWidget* buildSide();
    QWidget* buildPlans();
    QWidget* buildTensors();
    void addActions();
    void connectModels();
    void connectRequests();
    void refresh();
    void refreshMap();
    void refreshLedger();
    void refreshCompare();
    void showHeld();
    void refreshProposal();
    void hover(int column, int row, const QRect& cell);
    void hoverPart(int expert, int other, const QRect& box);
    void choose(int column, int row);
    void placeCell();
    void hideCell();
    void showList(bool shown);
    void refreshCell();
    void takeCell(int rank, int row, const std::vector<protocol::SliceInfo>& slices);
    void moveBoundary(int stage, int layer);
    void use(const protocol::JobSettings& settings);
    QString rowName(int row) const;
    const protocol::PlanInfo* planNamed(const QString& name);

    models::Models& models_;
    client::EngineClient& client_;
    PlanRequests* requests_;
    models::SliceModel slices_;
    widgets::SegmentedControl* colours_ = nullptr;
    widgets::TextLabel* held_ = nullptr;
    QSplitter* split_ = nullptr;
    QBoxLayout* mapRow_ = nullptr;
    PlacementMap* map_ = nullptr;
    CellView* cell_ = nullptr;
    widgets::SegmentedControl* sides_ = nullptr;
    QStackedWidget* side_ = nullptr;
    LedgerStack* ledger_ = nullptr;
    PlansPage* plans_ = nullptr;
    CompareView* compare_ = nullptr;
    QBoxLayout* tensorsColumn_ = nullptr;
    QTableView* tensors_ = nullptr;
    widgets::TextLabel* tensorsTitle_ = nullptr;
    WhatIf* whatIf_ = nullptr;
    widgets::HoverCard* card_ = nullptr;
    widgets::Refresher* refresher_;
    ColourBy by_ = ColourBy::Bytes;
    bool sized_ = false;
    int cellRank_ = -1;
    int cellRow_ = 0;
    std::map<QString, protocol::PlanInfo> looked_;  // saved plans, by name
};

}  // namespace fl::panels
