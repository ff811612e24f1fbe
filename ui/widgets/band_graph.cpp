// SPDX-License-Identifier: GPL-3.0-or-later
// Fills the area between a curve and zero column by column into a picture.
#include <algorithm>
#include <cmath>

#include "ui/widgets/metric_plot_parts.h"

namespace fl::widgets {

namespace {

QRgb pixel(QColor color, double part) {
    color.setAlphaF(float(color.alphaF() * part));
    return qPremultiply(color.rgba());
}

// From `top` down, which may lie within a pixel.
void fillColumn(QImage& picture, int x, double top, const QColor& color) {
    const int first = std::max(0, int(std::floor(top)));
    const QRgb whole = pixel(color, 1);
    for (int y = first; y < picture.height(); ++y) {
        const double part = std::min(1.0, y + 1 - top);
        reinterpret_cast<QRgb*>(picture.scanLine(y))[x] = part < 1 ? pixel(color, part) : whole;
    }
}

// Of the columns whose middle lies between the two points.
void fillBetween(QImage& picture, const QPointF& from, const QPointF& to, const QColor& color) {
    const int first = std::max(0, int(std::ceil(from.x() - 0.5)));
    const int last = std::min(picture.width() - 1, int(std::ceil(to.x() - 0.5)) - 1);
    for (int x = first; x <= last; ++x) {
        const double share = (x + 0.5 - from.x()) / (to.x() - from.x());
        fillColumn(picture, x, from.y() + (to.y() - from.y()) * share, color);
    }
}

}  // namespace

void BandGraph::drawFill(QCPPainter* painter, QVector<QPointF>* lines) const {
    const QColor color = mBrush.color();
    if (mBrush.style() == Qt::NoBrush || color.alpha() == 0 || lines->size() < 2) {
        return;
    }
    const QRect box = mKeyAxis->axisRect()->rect();
    const double floor = mValueAxis->coordToPixel(0);
    const int high = int(std::lround(std::min(floor, box.bottom() + 1.0))) - box.top();
    const double ratio = painter->device()->devicePixelRatioF();
    QImage picture(int(std::ceil(box.width() * ratio)), int(std::ceil(high * ratio)),
                   QImage::Format_ARGB32_Premultiplied);
    if (picture.isNull()) {
        return;
    }
    picture.fill(Qt::transparent);
    const auto placed = [&](const QPointF& point) { return (point - box.topLeft()) * ratio; };
    for (qsizetype i = 1; i < lines->size(); ++i) {
        const QPointF from = placed(lines->at(i - 1));
        const QPointF to = placed(lines->at(i));
        if (to.x() > from.x() && std::isfinite(from.y() + to.y())) {
            fillBetween(picture, from, to, color);
        }
    }
    picture.setDevicePixelRatio(ratio);
    painter->drawImage(box.topLeft(), picture);
}

}  // namespace fl::widgets
