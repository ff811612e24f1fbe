// SPDX-License-Identifier: GPL-3.0-or-later
// Draws the buttons: one ground up on hover, accent tint when pressed, t3 when disabled.
#include "ui/widgets/button.h"

#include <QEvent>
#include <QPainter>

#include "ui/widgets/icons.h"
#include "ui/widgets/paint.h"

namespace fl::widgets {

Button::Button(const Theme& theme, const QString& text, Kind kind, Size size, QWidget* parent)
    : QPushButton(text, parent),
      theme_(theme),
      kind_(kind),
      size_(size) {
    setAttribute(Qt::WA_Hover);
    setFocusPolicy(Qt::StrongFocus);
    setSizePolicy(QSizePolicy::Minimum, QSizePolicy::Fixed);
    setAutoDefault(false);
    connect(&theme_, &Theme::changed, this, [this] {
        updateGeometry();
        update();
    });
}

void Button::setKind(Kind kind) {
    kind_ = kind;
    update();
}

void Button::setIconName(const QString& name) {
    iconName_ = name;
    updateGeometry();
    update();
}

void Button::setValue(const QString& value) {
    value_ = value;
    setAccessibleName(text() + QLatin1Char(' ') + value);
    updateGeometry();
    update();
}

void Button::setDropDown(bool on) {
    dropDown_ = on;
    updateGeometry();
}

void Button::setBlocked(const QString& reason) {
    if (isEnabled()) {
        usualTip_ = toolTip();
    }
    setEnabled(reason.isEmpty());
    setToolTip(reason.isEmpty() ? usualTip_ : reason);
    setAccessibleDescription(reason);
}

bool Button::event(QEvent* event) {
    if (event->type() == QEvent::ToolTipChange && text().isEmpty() && isEnabled()) {
        setAccessibleName(toolTip());
    }
    return QPushButton::event(event);
}

int Button::contentWidth() const {
    const QFontMetrics strong(theme_.font(TextRole::Strong));
    const QFontMetrics base(theme_.font(TextRole::Base));
    const QFontMetrics& own = kind_ == Kind::Primary ? strong : base;
    int width = text().isEmpty() ? 0 : own.horizontalAdvance(text());
    if (!value_.isEmpty()) {
        width += theme_.px(6) + base.horizontalAdvance(value_);
    }
    if (!iconName_.isEmpty()) {
        width += theme_.px(16) + (text().isEmpty() ? 0 : theme_.px(6));
    }
    if (dropDown_) {
        width += theme_.px(8) + theme_.px(12);
    }
    return width;
}

QSize Button::sizeHint() const {
    const int height = theme_.px(size_ == Size::Regular ? 28 : 24);
    if (text().isEmpty() && !dropDown_) {
        return {height, height};
    }
    const int padding = theme_.px(size_ == Size::Regular && !dropDown_ ? 12 : 8);
    // One pixel more: the text is placed on whole pixels.
    return {contentWidth() + 2 * padding + 1, height};
}

bool Button::pressedLook() const {
    return isDown() || isChecked();
}

Button::Look Button::look() const {
    if (!isEnabled()) {
        return {Token::Bg2, Token::Line, Token::T3, kind_ != Kind::Quiet, kind_ != Kind::Quiet};
    }
    const bool hover = underMouse();
    if (pressedLook() && kind_ != Kind::Primary) {
        return {Token::AccentBg, Token::Accent, Token::T1, true, true};
    }
    switch (kind_) {
        case Kind::Primary:
            return {Token::AccentFill, Token::AccentFill, Token::AccentText, true, false};
        case Kind::Danger:
            return {Token::ErrBg, Token::Err, Token::Err, hover, true};
        case Kind::Quiet:
            return {Token::Bg3, Token::Bg3, hover ? Token::T1 : Token::T2, hover, false};
        case Kind::Normal:
            break;
    }
    return {hover ? Token::Bg4 : Token::Bg3, Token::Line2, Token::T1, true, true};
}

void Button::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    const Look parts = look();
    const QColor border = parts.hasBorder ? theme_.color(parts.border) : QColor();
    QColor ground = parts.hasGround ? theme_.color(parts.ground) : QColor();
    if (kind_ == Kind::Primary && isEnabled() && (underMouse() || isDown())) {
        ground = mixed(ground, theme_.color(isDown() ? Token::Bg0 : Token::T1), 0.14);
    }
    paintBox(painter, rect(), ground, border, theme_.px(4));
    paintContents(painter, parts.text);
}

void Button::paintContents(QPainter& painter, Token text) const {
    const int height = this->height();
    const int icon = theme_.px(16);
    const int side = theme_.px(size_ == Size::Regular && !dropDown_ ? 12 : 8);
    const bool spread = dropDown_ && width() > contentWidth() + 2 * side + 1;
    int x = spread ? side : (width() - contentWidth()) / 2;
    const QColor color = theme_.color(text);
    const Token first = value_.isEmpty() || !isEnabled() ? text : Token::T2;
    if (!iconName_.isEmpty()) {
        paintIcon(painter, QRectF(x, (height - icon) / 2, icon, icon), iconName_, color);
        x += icon + theme_.px(6);
    }
    painter.setFont(theme_.font(kind_ == Kind::Primary ? TextRole::Strong : TextRole::Base));
    painter.setPen(theme_.color(first));
    const auto write = [&](const QString& words) {
        const int advance = painter.fontMetrics().horizontalAdvance(words);
        painter.drawText(QRect(x, 0, advance + 1, height), Qt::AlignLeft | Qt::AlignVCenter, words);
        x += advance;
    };
    write(this->text());
    if (!value_.isEmpty()) {
        x += theme_.px(6);
        painter.setPen(color);
        write(value_);
    }
    if (dropDown_) {
        const int size = theme_.px(12);
        const QRectF box(width() - side - size, (height - size) / 2.0, size, size);
        paintIcon(painter, box, QStringLiteral("chevron-down"), theme_.color(Token::T3));
    }
}

}  // namespace fl::widgets
