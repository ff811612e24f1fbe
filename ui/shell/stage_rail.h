// SPDX-License-Identifier: GPL-3.0-or-later
// The story of the bring-up at the left: seven stages, and the time since the checkpoint was
// opened.
#pragma once

#include <array>

#include <QTimer>
#include <QWidget>

#include "ui/widgets/theme.h"

class QBoxLayout;

namespace fl::models {
struct Models;
}
namespace fl::widgets {
class PanelHeader;
class StageRailItem;
class TextLabel;
struct StageLook;
}  // namespace fl::widgets

namespace fl::shell {

// The panel that answers a stage; empty: this version has none.
QString panelOfStage(const QString& stage);

class StageRail : public QWidget {
    Q_OBJECT

public:
    StageRail(const widgets::Theme& theme, models::Models& models, QWidget* parent = nullptr);

    // Marks the stage whose panel is open.
    void setOpenPanel(const QString& panel);
    void setNarrow(bool narrow);
    bool isNarrow() const { return narrow_; }

    widgets::PanelHeader* header() const { return header_; }
    QSize sizeHint() const override;

Q_SIGNALS:
    void stageClicked(const QString& stage);
    void cancelRequested(const QString& stage);

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    void build();
    void refresh(int row);
    void refreshAll();
    void refreshClock();
    void mark();
    widgets::StageLook look(int row) const;
    QString waitingText(int row) const;
    void addNodes(widgets::StageLook& look) const;

    const widgets::Theme& theme_;
    models::Models& models_;
    widgets::PanelHeader* header_;
    std::array<widgets::StageRailItem*, 7> items_{};
    QBoxLayout* foot_;
    widgets::TextLabel* clock_;
    widgets::TextLabel* clockNote_;
    QTimer timer_;
    QString openPanel_;
    bool narrow_ = false;
};

}  // namespace fl::shell
