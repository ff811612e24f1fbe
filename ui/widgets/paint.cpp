// SPDX-License-Identifier: GPL-3.0-or-later
// Shapes that several widgets draw.
#include "ui/widgets/paint.h"

#include <algorithm>

#include <QPainter>
#include <QPainterPath>

namespace fl::widgets {

void paintBox(QPainter& painter,
              const QRectF& rect,
              const QColor& ground,
              const QColor& border,
              double radius,
              double width) {
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    if (border.isValid()) {
        // Two fills instead of a stroke: the corner of a stroke lets the ground shine through.
        painter.setBrush(border);
        if (ground.isValid()) {
            painter.drawRoundedRect(rect, radius, radius);
        } else {
            QPainterPath ring;
            ring.addRoundedRect(rect, radius, radius);
            const double inner = std::max(0.0, radius - width);
            ring.addRoundedRect(rect.adjusted(width, width, -width, -width), inner, inner);
            painter.drawPath(ring);
        }
    }
    if (ground.isValid()) {
        const double inset = border.isValid() ? width : 0;
        const double inner = std::max(0.0, radius - inset);
        painter.setBrush(ground);
        painter.drawRoundedRect(rect.adjusted(inset, inset, -inset, -inset), inner, inner);
    }
    painter.restore();
}

void paintBar(
    QPainter& painter, const QRectF& rect, const QColor& track, const QColor& fill, double value) {
    const double radius = rect.height() / 2;
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    QPainterPath outline;
    outline.addRoundedRect(rect, radius, radius);
    painter.fillPath(outline, track);
    if (value > 0) {
        painter.setClipPath(outline);
        QRectF part = rect;
        part.setWidth(rect.width() * std::clamp(value, 0.0, 1.0));
        painter.fillRect(part, fill);
    }
    painter.restore();
}

int paintLine(QPainter& painter,
              const QRectF& rect,
              const QString& text,
              const QColor& color,
              int alignment) {
    const QFontMetrics metrics = painter.fontMetrics();
    QString shown = text;
    if (metrics.horizontalAdvance(text) > rect.width() + 0.5) {
        shown = metrics.elidedText(text, Qt::ElideMiddle, int(rect.width()));
    }
    painter.setPen(color);
    painter.drawText(rect, alignment | Qt::TextSingleLine, shown);
    return metrics.horizontalAdvance(shown);
}

QPen dashedPen(const QColor& color, double width, const QVector<qreal>& dashes) {
    QPen pen(color, width);
    pen.setCapStyle(dashes.isEmpty() ? Qt::RoundCap : Qt::FlatCap);
    if (!dashes.isEmpty()) {
        QVector<qreal> pattern;
        for (const qreal dash : dashes) {
            pattern << dash / width;
        }
        pen.setDashPattern(pattern);
    }
    return pen;
}

}  // namespace fl::widgets
