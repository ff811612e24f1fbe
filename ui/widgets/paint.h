// SPDX-License-Identifier: GPL-3.0-or-later
// Shapes that several widgets draw.
#pragma once

#include <QColor>
#include <QPen>
#include <QRectF>
#include <QString>
#include <QVector>

class QPainter;

namespace fl::widgets {

// A box filled with `ground` and outlined by a crisp pen of `width` inside `rect`; an invalid
// colour leaves that part out.
void paintBox(QPainter& painter,
              const QRectF& rect,
              const QColor& ground,
              const QColor& border,
              double radius,
              double width = 1);

// A bar that is fully round at both ends, `value` of it (0 … 1) filled.
void paintBar(
    QPainter& painter, const QRectF& rect, const QColor& track, const QColor& fill, double value);

// One line of text, elided in the middle if it is too long. Returns the width taken.
int paintLine(
    QPainter& painter, const QRectF& rect, const QString& text, const QColor& color, int alignment);

// A pen whose dashes are lengths in pixels, whatever its width; without dashes it is solid.
QPen dashedPen(const QColor& color, double width, const QVector<qreal>& dashes = {});

}  // namespace fl::widgets
