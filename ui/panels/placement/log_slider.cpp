// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/placement/log_slider.h"

#include <algorithm>
#include <cmath>

#include <QMouseEvent>
#include <QPainter>

#include "ui/widgets/paint.h"

namespace fl::panels {

using widgets::Token;

namespace {

constexpr int kHandle = 12;
constexpr int kTrack = 4;

// Even steps are powers of two, odd ones half as much again.
std::int64_t amountOf(int step) {
    const std::int64_t power = std::int64_t{1} << (step / 2);
    return step % 2 == 0 ? power : power + power / 2;
}

int stepOf(std::int64_t amount) {
    int step = 0;
    while (step < 60 && std::abs(amountOf(step + 1) - amount) <= std::abs(amountOf(step) - amount))
        ++step;
    return step;
}

}  // namespace

LogSlider::LogSlider(const widgets::Theme& theme, const QString& name, QWidget* parent)
    : QSlider(Qt::Horizontal, parent),
      theme_(theme) {
    setAccessibleName(name);
    setAmounts(1, 2);
    connect(this, &QSlider::valueChanged, this,
            [this](int step) { emit amountChosen(amountOf(step)); });
    connect(&theme_, &widgets::Theme::changed, this, qOverload<>(&QWidget::update));
}

void LogSlider::setAmounts(std::int64_t least, std::int64_t most) {
    const QSignalBlocker quiet(this);
    setRange(stepOf(least), stepOf(most));
    setPageStep(2);
}

void LogSlider::setAmount(std::int64_t amount) {
    const QSignalBlocker quiet(this);
    setValue(stepOf(amount));
    update();
}

std::int64_t LogSlider::amount() const {
    return amountOf(value());
}

QSize LogSlider::sizeHint() const {
    return {theme_.px(120), theme_.px(18)};
}

QSize LogSlider::minimumSizeHint() const {
    return {theme_.px(60), theme_.px(18)};
}

void LogSlider::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const double handle = theme_.px(kHandle);
    const double room = width() - handle;
    const double share =
        maximum() > minimum() ? double(value() - minimum()) / (maximum() - minimum()) : 0;
    const double x = handle / 2 + room * share;
    const double high = theme_.px(kTrack);
    const QRectF track(handle / 2, (height() - high) / 2.0, room, high);
    widgets::paintBox(painter, track, theme_.color(Token::Bg4), QColor(), high / 2);
    QRectF filled = track;
    filled.setRight(x);
    widgets::paintBox(painter, filled, theme_.color(isEnabled() ? Token::Accent : Token::Line2),
                      QColor(), high / 2);
    widgets::paintBox(painter,
                      QRectF(x - handle / 2, (height() - handle) / 2, handle, handle)
                          .adjusted(0.5, 0.5, -0.5, -0.5),
                      theme_.color(isSliderDown() ? Token::AccentBg : Token::Bg3),
                      theme_.color(Token::Accent), handle / 2, 1.5);
}

void LogSlider::take(int x) {
    const double handle = theme_.px(kHandle);
    const double share = std::clamp((x - handle / 2) / std::max(1.0, width() - handle), 0.0, 1.0);
    setValue(minimum() + int(std::lround(share * (maximum() - minimum()))));
}

void LogSlider::mousePressEvent(QMouseEvent* event) {
    setSliderDown(true);
    take(event->pos().x());
}

void LogSlider::mouseMoveEvent(QMouseEvent* event) {
    if ((event->buttons() & Qt::LeftButton) != 0)
        take(event->pos().x());
}

void LogSlider::mouseReleaseEvent(QMouseEvent*) {
    setSliderDown(false);
    update();
}

}  // namespace fl::panels
