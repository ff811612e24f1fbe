// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/topology/node_item.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <QPainter>
#include <QStyleOptionGraphicsItem>

#include "ui/widgets/paint.h"

namespace fl::panels {

using widgets::TextRole;
using widgets::Token;

namespace {

// Width of a card on screen from which on its parts are drawn.
constexpr double kAll = 70;
constexpr double kRankAndBar = 36;
constexpr double kBarOnly = 14;

}  // namespace

QFont sceneFont(const widgets::Theme& theme, TextRole role, int pixels) {
    QFont font = theme.font(role);
    font.setPixelSize(pixels);
    return font;
}

NodeItem::NodeItem(const widgets::Theme& theme, NodeBox box)
    : theme_(theme),
      box_(std::move(box)) {}

void NodeItem::setText(NodeText text) {
    text_ = std::move(text);
    update();
}

void NodeItem::setCards(std::vector<CardState> cards) {
    cards_ = std::move(cards);
    update();
}

void NodeItem::setLink(const QColor& lit, bool formed) {
    linkColor_ = lit;
    linkFormed_ = formed;
    update();
}

int NodeItem::cardAt(const QPointF& place) const {
    for (std::size_t i = 0; i < box_.cards.size(); ++i) {
        if (box_.cards[i].contains(place))
            return int(i);
    }
    return -1;
}

QRectF NodeItem::boundingRect() const {
    return box_.box.adjusted(-2, -2, 2, 2);
}

void NodeItem::paint(QPainter* painter, const QStyleOptionGraphicsItem*, QWidget*) {
    const double scale =
        QStyleOptionGraphicsItem::levelOfDetailFromTransform(painter->worldTransform());
    const double width = kCardWidth * scale;
    painter->setRenderHint(QPainter::Antialiasing);
    widgets::paintBox(*painter, box_.box, theme_.color(Token::Bg1), theme_.color(Token::Line2), 6);
    if (width < kBarOnly) {
        paintCells(*painter);
        return;
    }
    if (width >= kRankAndBar) {
        paintHeader(*painter);
        paintLinks(*painter);
        paintCaptions(*painter);
    }
    for (std::size_t i = 0; i < cards_.size() && i < box_.cards.size(); ++i)
        paintCard(*painter, box_.cards[i], cards_[i], width);
}

void NodeItem::paintHeader(QPainter& painter) const {
    const QRectF line(box_.box.left() + 12, box_.box.top() + 4, box_.box.width() - 24, 24);
    painter.setFont(sceneFont(theme_, TextRole::Strong, 13));
    const double name = painter.fontMetrics().horizontalAdvance(text_.name);
    painter.setPen(theme_.color(Token::T1));
    painter.drawText(line, Qt::AlignLeft | Qt::AlignVCenter, text_.name);
    painter.setFont(sceneFont(theme_, TextRole::Axis, 11));
    const double stage = painter.fontMetrics().horizontalAdvance(text_.stage);
    const QString kind =
        text_.badge.isEmpty() ? text_.kind : text_.badge + QStringLiteral("   ") + text_.kind;
    const QRectF rest = line.adjusted(name + 9, 0.5, -stage - 9, 0.5);
    widgets::paintLine(painter, rest, kind, theme_.color(Token::T3),
                       Qt::AlignLeft | Qt::AlignVCenter);
    painter.setPen(theme_.color(Token::T2));
    painter.drawText(line.adjusted(0, 0.5, 0, 0.5), Qt::AlignRight | Qt::AlignVCenter, text_.stage);
}

// Drawn over the links, which open around the words.
void NodeItem::paintCaptions(QPainter& painter) const {
    painter.setFont(sceneFont(theme_, TextRole::Axis, 11));
    for (std::size_t row = 0; row < box_.captions.size() && row < text_.captions.size(); ++row) {
        QRectF box = box_.captions[row];
        box.setWidth(painter.fontMetrics().horizontalAdvance(text_.captions[row]) + 6);
        painter.fillRect(box, theme_.color(Token::Bg1));
        painter.setPen(theme_.color(Token::T2));
        painter.drawText(box, Qt::AlignLeft | Qt::AlignVCenter, text_.captions[row]);
    }
}

// Each card hangs on the bar by a stub; the bar opens around its label.
void NodeItem::paintLinks(QPainter& painter) const {
    if (text_.link.isEmpty())
        return;
    const Token usual = !linkFormed_ ? Token::Line2 : text_.linkSlow ? Token::Warn : Token::Link;
    const QColor color = linkColor_.isValid() ? linkColor_ : theme_.color(usual);
    QPen pen(color, linkColor_.isValid() ? 3 : 1.5);
    pen.setCapStyle(Qt::FlatCap);
    if (text_.linkSlow && !linkColor_.isValid())
        pen.setDashPattern({5 / pen.widthF(), 3 / pen.widthF()});
    painter.setPen(pen);
    for (const QRectF& card : box_.cards) {
        for (const double bar : box_.bars) {
            const double reach = 17;
            if (bar > card.bottom() && bar - card.bottom() < reach)
                painter.drawLine(QPointF(card.center().x(), card.bottom()),
                                 QPointF(card.center().x(), bar));
            if (bar < card.top() && card.top() - bar < reach + 20)
                painter.drawLine(QPointF(card.center().x(), bar),
                                 QPointF(card.center().x(), card.top()));
        }
    }
    for (const double bar : box_.bars)
        paintBar(painter, bar);
}

void NodeItem::paintBar(QPainter& painter, double y) const {
    const QPen pen = painter.pen();
    const double left = box_.box.left() + 20;
    const double right = box_.box.right() - 20;
    painter.drawLine(QPointF(left, y), QPointF(right, y));
    painter.setFont(sceneFont(theme_, TextRole::Axis, 11));
    const QString label =
        text_.linkRate.isEmpty() ? text_.link : text_.link + QLatin1Char(' ') + text_.linkRate;
    const double width = painter.fontMetrics().horizontalAdvance(label);
    const QRectF box(box_.box.center().x() - width / 2 - 12, y - 9, width + 24, 18);
    painter.fillRect(box, theme_.color(Token::Bg1));
    painter.setPen(theme_.color(text_.linkSlow         ? Token::Warn
                                : linkColor_.isValid() ? Token::T1
                                                       : Token::T2));
    painter.drawText(box, Qt::AlignCenter, label);
    painter.setPen(pen);
}

void NodeItem::paintCard(QPainter& painter,
                         const QRectF& box,
                         const CardState& card,
                         double width) const {
    const QColor ground = theme_.color(card.dead ? Token::ErrBg : Token::Bg2);
    QColor border = theme_.color(card.dead ? Token::Err : Token::Line2);
    double line = card.dead ? 2 : 1;
    if (card.outline.isValid() && !card.dead) {
        border = card.outline;
        line = 2;
    }
    widgets::paintBox(painter, box, ground, border, 4, line);
    if (card.selected)
        widgets::paintBox(painter, box.adjusted(-3, -3, 3, 3), QColor(), theme_.color(Token::T1), 6,
                          1.5);
    const bool all = width >= kAll;
    const QRectF bar(box.left() + 7,
                     all ? box.top() + 20 : box.center().y() - (width >= kRankAndBar ? -4 : 3),
                     box.width() - 14, 6);
    painter.fillRect(bar, theme_.color(Token::Bg4));
    if (card.bar > 0)
        painter.fillRect(QRectF(bar.left(), bar.top(), bar.width() * card.bar, bar.height()),
                         theme_.series(1));
    if (card.tick > 0) {
        const double x = std::round(bar.left() + bar.width() * card.tick);
        painter.fillRect(QRectF(x, bar.top() - 2, 1.2, bar.height() + 4), theme_.color(Token::T1));
    }
    if (width >= kRankAndBar)
        paintCardText(painter, box, card, all);
}

void NodeItem::paintCardText(QPainter& painter,
                             const QRectF& box,
                             const CardState& card,
                             bool all) const {
    const QRectF top(box.left() + 7, box.top() + 2, box.width() - 14, 17);
    painter.setFont(sceneFont(theme_, TextRole::AxisStrong, all ? 11 : 15));
    painter.setPen(theme_.color(Token::T1));
    painter.drawText(top, Qt::AlignLeft | Qt::AlignVCenter, card.name);
    if (!all)
        return;
    painter.setFont(sceneFont(theme_, TextRole::Axis, 11));
    painter.setPen(theme_.color(card.valueColor));
    painter.drawText(top, Qt::AlignRight | Qt::AlignVCenter, card.value);
    const QRectF bottom(box.left() + 7, box.bottom() - 18, box.width() - 14, 16);
    painter.setPen(theme_.color(card.leftColor));
    painter.drawText(bottom, Qt::AlignLeft | Qt::AlignVCenter, card.left);
    painter.setPen(theme_.color(Token::T3));
    painter.drawText(bottom, Qt::AlignRight | Qt::AlignVCenter, card.right);
}

// From far away a node is one cell per device, coloured by the measure.
void NodeItem::paintCells(QPainter& painter) const {
    painter.setRenderHint(QPainter::Antialiasing, false);
    for (std::size_t i = 0; i < cards_.size() && i < box_.cards.size(); ++i) {
        const QColor color =
            cards_[i].dead ? theme_.color(Token::Err) : theme_.sequential(cards_[i].bar);
        painter.fillRect(box_.cards[i].adjusted(-2, -2, 2, 2), color);
    }
}

}  // namespace fl::panels
