// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/topology/fabric_item.h"

#include <utility>

#include <QCoreApplication>
#include <QPainter>
#include <QStyleOptionGraphicsItem>

#include "ui/panels/topology/node_item.h"
#include "ui/widgets/icons.h"
#include "ui/widgets/paint.h"

namespace fl::panels {

using widgets::TextRole;
using widgets::Token;

namespace {

constexpr double kReadable = 0.5;  // scale below which labels are left out

bool at(const std::vector<bool>& flags, std::size_t i) {
    return i < flags.size() && flags[i];
}

struct Words {
    Q_DECLARE_TR_FUNCTIONS(Topology)
};

}  // namespace

FabricItem::FabricItem(const widgets::Theme& theme, const TopologyLayout& layout)
    : theme_(theme),
      box_(layout.fabric),
      bounds_(layout.bounds.adjusted(-4, -4, 4, 4)),
      wires_(layout.wires),
      labels_(layout.labels) {
    for (const WireLabel& label : labels_)
        bounds_ |= label.box.adjusted(0, -24, 0, 0);
    setZValue(-1);
}

void FabricItem::setText(FabricText text) {
    text_ = std::move(text);
    update();
}

QRectF FabricItem::boundingRect() const {
    return bounds_;
}

void FabricItem::paint(QPainter* painter, const QStyleOptionGraphicsItem*, QWidget*) {
    if (box_.isNull())
        return;
    painter->setRenderHint(QPainter::Antialiasing);
    paintWires(*painter);
    paintFabric(*painter);
    if (QStyleOptionGraphicsItem::levelOfDetailFromTransform(painter->worldTransform()) >=
        kReadable)
        paintLabels(*painter);
}

void FabricItem::paintWires(QPainter& painter) const {
    for (std::size_t i = 0; i < wires_.size(); ++i) {
        const bool slow = at(text_.slowWires, i);
        const bool lit = at(text_.litWires, i);
        const QColor color = slow  ? theme_.color(Token::Warn)
                             : lit ? theme_.series(3)
                                   : theme_.color(Token::Link);
        // Dashes of parallel wires would run into each other.
        QPen pen(color, slow ? 1.5 : lit ? 3 : 1.5);
        pen.setJoinStyle(Qt::MiterJoin);
        pen.setCapStyle(Qt::FlatCap);
        if (slow)
            pen.setDashPattern({5 / pen.widthF(), 3 / pen.widthF()});
        painter.setPen(pen);
        painter.setBrush(Qt::NoBrush);
        painter.drawPolyline(wires_[i].path);
    }
}

void FabricItem::paintFabric(QPainter& painter) const {
    widgets::paintBox(painter, box_, theme_.color(Token::Bg2), theme_.color(Token::Line2), 6);
    painter.setFont(sceneFont(theme_, TextRole::Strong, 12));
    painter.setPen(theme_.color(Token::T1));
    painter.drawText(QRectF(box_.left(), box_.top() + 5, box_.width(), 18), Qt::AlignCenter,
                     Words::tr("Fabric"));
    painter.setFont(sceneFont(theme_, TextRole::Axis, 11));
    painter.setPen(theme_.color(Token::T3));
    painter.drawText(QRectF(box_.left(), box_.top() + 21, box_.width(), 16), Qt::AlignCenter,
                     Words::tr("network"));
    for (int i = 0; i < 4; ++i) {
        const QRectF slot(box_.center().x() - 18, box_.top() + 45 + i * 16, 36, 11);
        widgets::paintBox(painter, slot, theme_.color(Token::Bg3), theme_.color(Token::Line2), 2);
        painter.fillRect(QRectF(slot.left() + 4, slot.center().y() - 1, 3, 3),
                         theme_.color(Token::Ok));
        painter.fillRect(QRectF(slot.left() + 11, slot.center().y() - 0.5, 20, 1),
                         theme_.color(Token::Line2));
    }
    painter.setPen(theme_.color(Token::T2));
    painter.drawText(QRectF(box_.left(), box_.bottom() - 37, box_.width(), 16), Qt::AlignCenter,
                     text_.count);
    painter.setPen(theme_.color(Token::T3));
    painter.setFont(sceneFont(theme_, TextRole::Axis, 10));
    painter.drawText(QRectF(box_.left(), box_.bottom() - 22, box_.width(), 16), Qt::AlignCenter,
                     text_.unit);
}

void FabricItem::paintLabels(QPainter& painter) const {
    for (std::size_t i = 0; i < labels_.size() && i < text_.labels.size(); ++i) {
        const QRectF& box = labels_[i].box;
        const int side =
            (labels_[i].rightAligned ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter;
        const bool slow = at(text_.slowLabels, i);
        painter.setFont(sceneFont(theme_, slow ? TextRole::AxisStrong : TextRole::Axis, 11));
        painter.setPen(theme_.color(slow ? Token::Warn : Token::T2));
        const QRectF line(box.left(), box.top(), box.width(), 16);
        painter.drawText(line, side, text_.labels[i]);
        painter.setFont(sceneFont(theme_, TextRole::Axis, 11));
        painter.setPen(theme_.color(Token::T3));
        painter.drawText(QRectF(box.left(), box.top() + 14, box.width(), 16), side,
                         Words::tr("GB/s"));
        if (slow) {
            const double x = labels_[i].rightAligned ? box.right() - 44 : box.left() + 22;
            widgets::paintIcon(painter, QRectF(x, box.top() - 22, 20, 20),
                               QStringLiteral("warning"), theme_.color(Token::Warn));
        }
    }
}

}  // namespace fl::panels
