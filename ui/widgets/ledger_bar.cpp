// SPDX-License-Identifier: GPL-3.0-or-later
// Draws ledgers.
#include "ui/widgets/ledger_bar.h"

#include <algorithm>
#include <cmath>

#include <QPainter>

namespace fl::widgets {

LedgerBar::LedgerBar(const Theme& theme, QWidget* parent) : QWidget(parent), theme_(theme) {
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    connect(&theme_, &Theme::changed, this, [this] {
        updateGeometry();
        update();
    });
}

void LedgerBar::setLedger(LedgerShape shape) {
    shape_ = std::move(shape);
    update();
}

void LedgerBar::setCaption(const QString& caption) {
    caption_ = caption;
    setAccessibleName(caption);
    updateGeometry();
    update();
}

QSize LedgerBar::sizeHint() const {
    return {theme_.px(200), theme_.px(12) + (caption_.isEmpty() ? 0 : theme_.px(18))};
}

QSize LedgerBar::minimumSizeHint() const {
    return {theme_.px(60), sizeHint().height()};
}

void LedgerBar::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    const QRectF bar(0, 0, width(), theme_.px(12));
    paintLedger(painter, bar, shape_, theme_);
    painter.setFont(theme_.font(TextRole::Axis));
    painter.setPen(theme_.color(Token::T2));
    painter.drawText(QRectF(0, bar.bottom() + theme_.px(2), width(), theme_.px(16)),
                     Qt::AlignLeft | Qt::AlignVCenter, caption_);
}

void paintLedger(QPainter& painter,
                 const QRectF& box,
                 const LedgerShape& shape,
                 const Theme& theme) {
    painter.fillRect(box, theme.color(Token::Bg3));
    std::int64_t total = 0;
    for (const LedgerValue& value : shape.parts) {
        total += value.bytes;
    }
    const double whole = double(std::max({shape.capacity, shape.budget, total}));
    if (whole <= 0) {
        return;
    }
    double from = box.left();
    std::int64_t sum = 0;
    for (const LedgerValue& value : shape.parts) {
        sum += value.bytes;
        // Rounded edges of the running sum: no gap and no overlap at any width.
        const double to = std::round(box.left() + box.width() * double(sum) / whole);
        painter.fillRect(QRectF(from, box.top(), to - from, box.height()),
                         theme.seriesArea(Theme::ledgerSeries(value.part)));
        from = to;
    }
    if (shape.budget > 0) {
        const double x =
            std::min(std::round(box.left() + box.width() * double(shape.budget) / whole) - 0.5,
                     box.right() - 0.5);
        QPen pen(theme.color(Token::Err), 2);
        pen.setDashPattern({2, 1.5});
        pen.setCapStyle(Qt::FlatCap);
        painter.setPen(pen);
        const double reach = box.height() > 8 ? 3 : 0;
        painter.drawLine(QPointF(x, box.top() - reach), QPointF(x, box.bottom() + reach));
    }
}

}  // namespace fl::widgets
