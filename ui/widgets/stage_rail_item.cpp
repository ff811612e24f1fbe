// SPDX-License-Identifier: GPL-3.0-or-later
// Lays out and draws a stage.
#include "ui/widgets/stage_rail_item.h"

#include <QPainter>

#include "ui/widgets/button.h"
#include "ui/widgets/paint.h"
#include "ui/widgets/state_icon.h"

namespace fl::widgets {

namespace {
// Pixels at scale 1: the text column, the item without progress, and the parts below it.
constexpr int kLeft = 38;
constexpr int kRight = 12;
constexpr int kHeight = 52;
constexpr int kProgressHeight = 34;
constexpr int kNodeHeight = 16;
}  // namespace

StageRailItem::StageRailItem(const Theme& theme, QWidget* parent)
    : QAbstractButton(parent),
      theme_(theme) {
    icon_ = new StateIcon(theme, 16, this);
    icon_->setAttribute(Qt::WA_TransparentForMouseEvents);
    cancel_ = new Button(theme, {}, Button::Kind::Normal, Button::Size::Compact, this);
    cancel_->hide();
    setFocusPolicy(Qt::StrongFocus);
    setAttribute(Qt::WA_Hover);
    setProperty("ringInside", true);
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
    connect(cancel_, &Button::clicked, this, &StageRailItem::cancelRequested);
    connect(&theme_, &Theme::changed, this, [this] {
        placeParts();
        updateGeometry();
        update();
    });
    placeParts();
}

void StageRailItem::setLook(const StageLook& look) {
    const int height = contentHeight();
    look_ = look;
    icon_->setState(look.state);
    cancel_->setText(look.cancelText);
    setText(look.name);
    setAccessibleName(look.name + QStringLiteral(", ") + stateWord(look.state));
    setAccessibleDescription(look.summary);
    setToolTip(narrow_ ? look.name + QLatin1Char('\n') + look.summary : QString());
    placeParts();
    if (contentHeight() != height) {
        updateGeometry();
    }
    update();
}

void StageRailItem::setCurrent(bool current) {
    current_ = current;
    update();
}

void StageRailItem::setNarrow(bool narrow) {
    narrow_ = narrow;
    setToolTip(narrow ? look_.name + QLatin1Char('\n') + look_.summary : QString());
    placeParts();
    updateGeometry();
    update();
}

int StageRailItem::contentHeight() const {
    int height = kHeight;
    if (narrow_) {
        return theme_.px(height);
    }
    if (showsBar()) {
        height += kProgressHeight;
        height += look_.nodes.empty() ? 0 : 4 + int(look_.nodes.size()) * kNodeHeight;
    }
    if (isRunning() && !look_.cancelText.isEmpty()) {
        height += 34;
    }
    return theme_.px(height);
}

QSize StageRailItem::sizeHint() const {
    return {theme_.px(narrow_ ? 64 : 208), contentHeight()};
}

void StageRailItem::placeParts() {
    const int size = theme_.px(16);
    icon_->setGeometry(narrow_ ? (width() - size) / 2 : theme_.px(12), theme_.px(10), size, size);
    const bool cancellable = isRunning() && !look_.cancelText.isEmpty() && !narrow_;
    cancel_->setVisible(cancellable);
    const int left = theme_.px(kLeft);
    cancel_->setGeometry(left, contentHeight() - theme_.px(34), width() - left - theme_.px(kRight),
                         theme_.px(24));
}

void StageRailItem::resizeEvent(QResizeEvent*) {
    placeParts();
}

void StageRailItem::paintTexts(QPainter& painter) const {
    const int left = theme_.px(kLeft);
    const int right = width() - theme_.px(kRight);
    const bool idle = look_.state == State::Idle;
    painter.setFont(theme_.font(TextRole::Small));
    const int durationWidth = painter.fontMetrics().horizontalAdvance(look_.duration);
    painter.setPen(theme_.color(Token::T2));
    painter.drawText(
        QRect(right - durationWidth - 1, theme_.px(8), durationWidth + 1, theme_.px(18)),
        Qt::AlignRight | Qt::AlignVCenter, look_.duration);
    const int nameWidth = right - left - (durationWidth > 0 ? durationWidth + theme_.px(8) : 0);
    painter.setFont(theme_.font(idle ? TextRole::Base : TextRole::Strong));
    paintLine(painter, QRectF(left, theme_.px(8), nameWidth, theme_.px(18)), look_.name,
              theme_.color(idle ? Token::T2 : Token::T1), Qt::AlignLeft | Qt::AlignVCenter);
    painter.setFont(theme_.font(TextRole::Small));
    paintLine(painter, QRectF(left, theme_.px(26), right - left, theme_.px(17)), look_.summary,
              theme_.color(isRunning() ? Token::T2 : Token::T3), Qt::AlignLeft | Qt::AlignVCenter);
}

int StageRailItem::paintProgress(QPainter& painter, int top) const {
    const int left = theme_.px(kLeft);
    const int wide = width() - left - theme_.px(kRight);
    const QColor track = theme_.color(Token::Bg4);
    paintBar(painter, QRectF(left, top, wide, theme_.px(6)), track, theme_.color(Token::Accent),
             look_.progress);
    top += theme_.px(8);
    painter.setFont(theme_.font(TextRole::Small));
    painter.setPen(theme_.color(Token::T1));
    const QRect line(left, top, wide, theme_.px(18));
    painter.drawText(line, Qt::AlignLeft | Qt::AlignVCenter, look_.progressText);
    painter.drawText(line, Qt::AlignRight | Qt::AlignVCenter, look_.timeLeft);
    top += theme_.px(24);
    painter.setFont(theme_.font(TextRole::Axis));
    const int nameWidth = theme_.px(40);
    const int numberWidth = theme_.px(32);
    for (const NodeProgress& node : look_.nodes) {
        paintLine(painter, QRectF(left, top, nameWidth, theme_.px(kNodeHeight)), node.name,
                  theme_.color(Token::T2), Qt::AlignLeft | Qt::AlignVCenter);
        paintBar(painter,
                 QRectF(left + nameWidth + theme_.px(4), top + theme_.px(6),
                        wide - nameWidth - numberWidth - theme_.px(4), theme_.px(4)),
                 track, theme_.color(node.slow ? Token::Warn : Token::Accent), node.value);
        painter.setPen(theme_.color(Token::T2));
        painter.drawText(QRect(left, top, wide, theme_.px(kNodeHeight)),
                         Qt::AlignRight | Qt::AlignVCenter,
                         tr("%1 %").arg(qRound(node.value * 100)));
        top += theme_.px(kNodeHeight);
    }
    return top;
}

void StageRailItem::paintNarrow(QPainter& painter) const {
    painter.setFont(theme_.font(TextRole::Axis));
    paintLine(painter, QRectF(2, theme_.px(29), width() - 4, theme_.px(16)), look_.duration,
              theme_.color(Token::T2), Qt::AlignCenter);
}

void StageRailItem::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    const bool marked = current_ || isRunning();
    painter.fillRect(rect(), theme_.color(marked         ? Token::AccentBg
                                          : underMouse() ? Token::Bg2
                                                         : Token::Bg1));
    if (current_ || isRunning()) {
        painter.fillRect(QRect(0, 0, theme_.px(3), height() - 1), theme_.color(Token::Accent));
    }
    painter.fillRect(QRect(0, height() - 1, width(), 1), theme_.color(Token::Line));
    if (narrow_) {
        paintNarrow(painter);
        return;
    }
    paintTexts(painter);
    if (showsBar()) {
        paintProgress(painter, theme_.px(48));
    }
}

}  // namespace fl::widgets
