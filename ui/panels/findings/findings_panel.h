// SPDX-License-Identifier: GPL-3.0-or-later
// One diagnosis a row, the worst first; the chosen one shows its evidence and its remedy.
#pragma once

#include <vector>

#include <QTimer>

#include "ui/panels/panel.h"

class QBoxLayout;
class QScrollArea;

namespace fl::widgets {
class Button;
class PageLayout;
class PanelHeader;
class StateIcon;
class TextLabel;
}  // namespace fl::widgets

namespace fl::panels {

class FindingRow;

class FindingsPanel : public Panel {
    Q_OBJECT

public:
    explicit FindingsPanel(const PanelContext& context, QWidget* parent = nullptr);

    QString id() const override { return QStringLiteral("findings"); }
    QString title() const override { return tr("Findings"); }
    QString iconName() const override { return QStringLiteral("findings"); }
    PanelPlace place() const override { return PanelPlace::BottomLeft; }
    widgets::PanelHeader* header() const override { return header_; }
    void reveal(const QString& what) override;  // a code

    int openRow() const { return open_; }
    void open(int row);  // −1: none

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    struct Count {
        QWidget* box = nullptr;
        widgets::StateIcon* icon = nullptr;
        widgets::TextLabel* text = nullptr;
    };
    void buildUi();
    Count addCount(widgets::PanelHeader* header);
    void refresh();
    void refreshCounts();
    void showEvidence(int row);
    void copy() const;

    const widgets::Theme& theme_;
    models::Models& models_;
    widgets::PanelHeader* header_ = nullptr;
    widgets::PageLayout* stack_ = nullptr;
    QScrollArea* scroll_ = nullptr;
    QBoxLayout* list_ = nullptr;
    widgets::TextLabel* more_ = nullptr;
    widgets::Button* copy_ = nullptr;
    Count errors_;
    Count warnings_;
    Count notes_;
    std::vector<FindingRow*> rows_;
    QTimer soon_;
    int open_ = -1;
    bool touched_ = false;  // the user chose a row
};

}  // namespace fl::panels
