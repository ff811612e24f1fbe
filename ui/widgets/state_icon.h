// SPDX-License-Identifier: GPL-3.0-or-later
// The icon of a state as a widget; the arc of a running one turns once in 1.2 s.
#pragma once

#include <QTimer>
#include <QWidget>

#include "ui/widgets/state.h"
#include "ui/widgets/theme.h"

namespace fl::widgets {

class StateIcon : public QWidget {
    Q_OBJECT

public:
    explicit StateIcon(const Theme& theme, int size = 16, QWidget* parent = nullptr);

    void setState(State state);
    State state() const { return state_; }
    // Off when the desktop asks for reduced motion.
    void setMotion(bool on);

    QSize sizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;
    void showEvent(QShowEvent* event) override;
    void hideEvent(QHideEvent* event) override;

private:
    void turn();

    const Theme& theme_;
    int size_;
    State state_ = State::Idle;
    bool motion_ = true;
    double degrees_ = 0;
    QTimer timer_;
};

}  // namespace fl::widgets
