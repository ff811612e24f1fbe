// SPDX-License-Identifier: GPL-3.0-or-later
// Draws the bar.
#include "ui/widgets/progress_bar.h"

#include <algorithm>
#include <cmath>

#include <QPainter>

#include "ui/widgets/paint.h"

namespace fl::widgets {

ProgressBar::ProgressBar(const Theme& theme, int thickness, QWidget* parent)
    : QWidget(parent),
      theme_(theme),
      thickness_(thickness) {
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    connect(&theme_, &Theme::changed, this, [this] {
        updateGeometry();
        update();
    });
}

void ProgressBar::setValue(double value) {
    value_ = value;
    setAccessibleName(value < 0 ? tr("progress not known")
                                : tr("%1 %").arg(int(std::lround(value * 100))));
    update();
}

void ProgressBar::setSlow(bool slow) {
    slow_ = slow;
    update();
}

QSize ProgressBar::sizeHint() const {
    return {theme_.px(120), theme_.px(thickness_)};
}

QSize ProgressBar::minimumSizeHint() const {
    return {theme_.px(20), theme_.px(thickness_)};
}

void ProgressBar::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    const int thickness = theme_.px(thickness_);
    paintBar(painter, QRectF(0, (height() - thickness) / 2, width(), thickness),
             theme_.color(Token::Bg4), theme_.color(slow_ ? Token::Warn : Token::Accent),
             std::max(0.0, value_));
}

}  // namespace fl::widgets
