// SPDX-License-Identifier: GPL-3.0-or-later
// Recolours the SVG files and renders them at the size and scale asked for.
#include "ui/widgets/icons.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <QFile>
#include <QIconEngine>
#include <QPainter>
#include <QPixmapCache>
#include <QSvgRenderer>

namespace fl::widgets {

namespace {

QByteArray source(const QString& name) {
    QFile file(QStringLiteral(":/firstlight/icons/%1.svg").arg(name));
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

QPixmap rendered(const QString& name, const QColor& color, int pixels, bool large) {
    const QString key = QStringLiteral("fl-icon/%1/%2/%3/%4")
                            .arg(name, color.name(QColor::HexArgb))
                            .arg(pixels)
                            .arg(large);
    QPixmap pixmap;
    if (QPixmapCache::find(key, &pixmap)) {
        return pixmap;
    }
    QByteArray svg = source(name);
    svg.replace("currentColor", color.name().toLatin1());
    if (large) {
        // Large icons keep the weight of the small ones on screen.
        svg.replace("stroke-width=\"1.5\"", "stroke-width=\"1\"");
    }
    pixmap = QPixmap(pixels, pixels);
    pixmap.fill(Qt::transparent);
    QSvgRenderer renderer(svg);
    if (renderer.isValid()) {
        QPainter painter(&pixmap);
        renderer.render(&painter);
    }
    QPixmapCache::insert(key, pixmap);
    return pixmap;
}

class ThemedIcon : public QIconEngine {
public:
    ThemedIcon(const Theme& theme, QString name, Token color)
        : theme_(theme),
          name_(std::move(name)),
          color_(color) {}

    void paint(QPainter* painter, const QRect& rect, QIcon::Mode mode, QIcon::State) override {
        const int side = std::min(rect.width(), rect.height());
        QRectF box(0, 0, side, side);
        box.moveCenter(QRectF(rect).center());
        paintIcon(*painter, box, name_, color(mode));
    }
    QPixmap pixmap(const QSize& size, QIcon::Mode mode, QIcon::State) override {
        return rendered(name_, color(mode), std::min(size.width(), size.height()), false);
    }
    QPixmap scaledPixmap(const QSize& size, QIcon::Mode mode, QIcon::State state, qreal) override {
        return pixmap(size, mode, state);
    }
    QIconEngine* clone() const override { return new ThemedIcon(theme_, name_, color_); }

private:
    QColor color(QIcon::Mode mode) const {
        return theme_.color(mode == QIcon::Disabled ? Token::T3 : color_);
    }
    const Theme& theme_;
    QString name_;
    Token color_;
};

}  // namespace

QIcon icon(const Theme& theme, const QString& name, Token color) {
    return QIcon(new ThemedIcon(theme, name, color));
}

void paintIcon(QPainter& painter,
               const QRectF& box,
               const QString& name,
               const QColor& color,
               double degrees) {
    const double ratio = painter.device() ? painter.device()->devicePixelRatioF() : 1;
    const int pixels = int(std::lround(box.width() * ratio));
    if (pixels <= 0) {
        return;
    }
    QPixmap pixmap = rendered(name, color, pixels, box.width() > 20);
    pixmap.setDevicePixelRatio(ratio);
    if (degrees == 0) {
        painter.drawPixmap(box.topLeft(), pixmap);
        return;
    }
    painter.save();
    painter.setRenderHint(QPainter::SmoothPixmapTransform);
    painter.translate(box.center());
    painter.rotate(degrees);
    painter.drawPixmap(QPointF(-box.width() / 2, -box.height() / 2), pixmap);
    painter.restore();
}

void paintState(
    QPainter& painter, const QRectF& box, State state, const Theme& theme, double degrees) {
    paintIcon(painter, box, stateIcon(state), theme.color(stateColor(state)), degrees);
}

void paintMark(QPainter& painter, const QRectF& box, const Theme& theme) {
    QByteArray svg = source(QStringLiteral("firstlight"));
    svg.replace("currentColor", theme.css(Token::Accent).toLatin1());
    svg.replace("ringColor", theme.css(Token::Link).toLatin1());
    QSvgRenderer renderer(svg);
    renderer.render(&painter, box);
}

QPixmap markPixmap(const Theme& theme, int size, double ratio) {
    QPixmap pixmap(int(size * ratio), int(size * ratio));
    pixmap.setDevicePixelRatio(ratio);
    pixmap.fill(Qt::transparent);
    QPainter painter(&pixmap);
    paintMark(painter, QRectF(0, 0, size, size), theme);
    return pixmap;
}

}  // namespace fl::widgets
