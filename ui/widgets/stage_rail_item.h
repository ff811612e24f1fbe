// SPDX-License-Identifier: GPL-3.0-or-later
// One stage in the rail: state, name, duration, what came of it; while it runs, how far it is and
// a button that cancels it.
#pragma once

#include <vector>

#include <QAbstractButton>

#include "ui/widgets/state.h"

namespace fl::widgets {

class Button;
class StateIcon;

struct NodeProgress {
    QString name;
    double value = 0;
    bool slow = false;
};

struct StageLook {
    QString name;
    State state = State::Idle;
    QString duration;      // "41.3 s"; empty: none
    QString summary;       // the sub-line
    double progress = -1;  // 0 … 1, −1: unknown
    QString progressText;  // "64 %, 3.43 GiB/s"
    QString timeLeft;      // "3:17 left"
    std::vector<NodeProgress> nodes;
    QString cancelText;  // "Cancel load"; empty: nothing to cancel
};

class StageRailItem : public QAbstractButton {
    Q_OBJECT

public:
    explicit StageRailItem(const Theme& theme, QWidget* parent = nullptr);

    void setLook(const StageLook& look);
    const StageLook& look() const { return look_; }
    // The stage of the open panel.
    void setCurrent(bool current);
    // Icon and duration only.
    void setNarrow(bool narrow);

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return sizeHint(); }

Q_SIGNALS:
    void cancelRequested();

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    bool isRunning() const { return look_.state == State::Running; }
    bool showsBar() const { return isRunning() && look_.progress >= 0; }
    int contentHeight() const;
    void placeParts();
    void paintTexts(QPainter& painter) const;
    int paintProgress(QPainter& painter, int top) const;
    void paintNarrow(QPainter& painter) const;

    const Theme& theme_;
    StageLook look_;
    StateIcon* icon_;
    Button* cancel_;
    bool current_ = false;
    bool narrow_ = false;
};

}  // namespace fl::widgets
