// SPDX-License-Identifier: GPL-3.0-or-later
// Who holds what: the map of layers and ranks, the ledger beside it, and a plan to try.
#pragma once

#include "ui/models/slice_model.h"
#include "ui/panels/framed_panel.h"
#include "ui/panels/placement/placement_grid.h"

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

class LedgerStack;
class PlacementMap;
class WhatIf;

class PlacementPanel : public FramedPanel {
    Q_OBJECT

public:
    enum class Side { Ledger, Plans, Tensors };

    explicit PlacementPanel(const PanelContext& context, QWidget* parent = nullptr);

    QString id() const override { return QStringLiteral("placement"); }
    QString title() const override { return tr("Placement"); }
    QString iconName() const override { return QStringLiteral("placement"); }
    PanelPlace place() const override { return PanelPlace::Middle; }
    void reveal(const QString& what) override;

    void setColourBy(ColourBy by);
    void showSide(Side side);
    // Lists what this rank holds of this layer; −1: embedding, norm and head.
    void showCell(int rank, int layer);
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
    void connectModels();
    void refresh();
    void refreshLedger();
    void showHeld();
    void refreshProposal();
    void hover(int column, int row, const QRect& cell);
    void choose(int column, int row);
    void moveBoundary(int stage, int layer);
    void askSlices(int rank);
    void propose(const protocol::JobSettings& settings);
    void use(const protocol::JobSettings& settings);
    void showCellRows();

    models::Models& models_;
    client::EngineClient& client_;
    models::SliceModel slices_;
    widgets::SegmentedControl* colours_ = nullptr;
    widgets::TextLabel* held_ = nullptr;
    QSplitter* split_ = nullptr;
    PlacementMap* map_ = nullptr;
    widgets::SegmentedControl* sides_ = nullptr;
    QStackedWidget* side_ = nullptr;
    LedgerStack* ledger_ = nullptr;
    QTableView* plans_ = nullptr;
    QTableView* tensors_ = nullptr;
    widgets::TextLabel* tensorsTitle_ = nullptr;
    WhatIf* whatIf_ = nullptr;
    widgets::HoverCard* card_ = nullptr;
    widgets::Refresher* refresher_;
    ColourBy by_ = ColourBy::Bytes;
    bool sized_ = false;
    int cellRank_ = -1;
    int cellLayer_ = 0;
    int asked_ = 0;  // number of the last what-if; older answers are dropped
};

}  // namespace fl::panels
