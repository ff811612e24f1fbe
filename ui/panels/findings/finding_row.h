// SPDX-License-Identifier: GPL-3.0-or-later
// One diagnosis: its sentence, and while it is chosen its evidence, its remedy and the way there.
#pragma once

#include <QWidget>

#include "engine/base/finding.h"
#include "ui/widgets/theme.h"

namespace fl::widgets {
class Button;
class StateIcon;
class TextLabel;
}  // namespace fl::widgets

namespace fl::panels {

class FindingRow : public QWidget {
    Q_OBJECT

public:
    explicit FindingRow(const widgets::Theme& theme, QWidget* parent = nullptr);

    void setFinding(const fl::Finding& finding, const QString& evidence, const QString& place);
    void setOpen(bool open);
    bool isOpen() const { return open_; }

signals:
    void chosen();
    void evidenceWanted();
    void launchWanted();
    void stepped(int by);

protected:
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void enterEvent(QEnterEvent* event) override;
    void leaveEvent(QEvent* event) override;

private:
    const widgets::Theme& theme_;
    widgets::StateIcon* icon_;
    widgets::TextLabel* message_;
    widgets::TextLabel* place_;
    widgets::TextLabel* detail_;
    QWidget* buttons_;
    widgets::Button* again_;
    bool open_ = false;
    bool hovered_ = false;
};

}  // namespace fl::panels
