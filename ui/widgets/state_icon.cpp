// SPDX-License-Identifier: GPL-3.0-or-later
// Paints and turns the state's icon.
#include "ui/widgets/state_icon.h"

#include <QPainter>

#include "ui/widgets/icons.h"

namespace fl::widgets {

namespace {
constexpr int kFrameMilliseconds = 50;  // 20 Hz, as everything that moves
constexpr double kTurnMilliseconds = 1200;
}  // namespace

StateIcon::StateIcon(const Theme& theme, int size, QWidget* parent)
    : QWidget(parent),
      theme_(theme),
      size_(size) {
    setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
    timer_.setInterval(kFrameMilliseconds);
    connect(&timer_, &QTimer::timeout, this, [this] {
        degrees_ += 360.0 * kFrameMilliseconds / kTurnMilliseconds;
        update();
    });
    connect(&theme_, &Theme::changed, this, [this] {
        updateGeometry();
        update();
    });
    setState(State::Idle);
}

void StateIcon::setState(State state) {
    state_ = state;
    setAccessibleName(stateWord(state));
    turn();
    update();
}

void StateIcon::setMotion(bool on) {
    motion_ = on;
    turn();
}

void StateIcon::turn() {
    if (state_ == State::Running && motion_ && isVisible()) {
        timer_.start();
    } else {
        timer_.stop();
        degrees_ = 0;
    }
}

QSize StateIcon::sizeHint() const {
    return {theme_.px(size_), theme_.px(size_)};
}

void StateIcon::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    const int side = theme_.px(size_);
    paintState(painter, QRectF(0, (height() - side) / 2, side, side), state_, theme_, degrees_);
}

void StateIcon::showEvent(QShowEvent*) {
    turn();
}
void StateIcon::hideEvent(QHideEvent*) {
    turn();
}

}  // namespace fl::widgets
