// SPDX-License-Identifier: GPL-3.0-or-later
// Compares the loaded model with a reference folder, rung by rung: the verdict in one sentence,
// the ladder, and the error of each layer.
#pragma once

#include "ui/panels/framed_panel.h"

class QComboBox;
class QTableView;

namespace fl::widgets {
class Button;
class MetricPlot;
class PanelHeader;
class ProgressBar;
class SegmentedControl;
class TextLabel;
}  // namespace fl::widgets

namespace fl::panels {

class ValidatePanel : public FramedPanel {
    Q_OBJECT

public:
    explicit ValidatePanel(const PanelContext& context, QWidget* parent = nullptr);

    QString id() const override { return QStringLiteral("validate"); }
    QString title() const override { return tr("Validate"); }
    QString iconName() const override { return QStringLiteral("passed"); }
    PanelPlace place() const override { return PanelPlace::Middle; }

    // Folder with cases.json. Empty: the checkpoint's own folder `golden`, where it has one.
    void setReference(const QString& folder);
    QString reference() const;
    void run();
    void cancel();

private:
    void buildUi();
    QWidget* buildBar();
    QWidget* buildLadder();
    QWidget* buildErrors();
    void addActions();
    void refresh();
    void refreshBar();
    void refreshResult();
    void refreshErrors();
    void chooseFolder();
    QString blocked() const;  // why it cannot run now; empty: it can
    bool running() const;

    models::Models& models_;
    client::EngineClient& client_;
    QString chosenFolder_;
    widgets::Button* referenceButton_ = nullptr;
    QComboBox* cases_ = nullptr;
    widgets::TextLabel* count_ = nullptr;
    widgets::ProgressBar* progress_ = nullptr;
    widgets::TextLabel* progressText_ = nullptr;
    widgets::Button* run_ = nullptr;
    widgets::Button* cancel_ = nullptr;
    widgets::Button* start_ = nullptr;
    QTableView* ladder_ = nullptr;
    widgets::PanelHeader* ladderHeader_ = nullptr;
    widgets::PanelHeader* errorsHeader_ = nullptr;
    widgets::SegmentedControl* measure_ = nullptr;
    widgets::MetricPlot* plot_ = nullptr;
};

}  // namespace fl::panels
