// SPDX-License-Identifier: GPL-3.0-or-later
// Type role, colour and elision on top of QLabel.
#include "ui/widgets/text_label.h"

#include <algorithm>

#include <QEvent>
#include <QPainter>

namespace fl::widgets {

TextLabel::TextLabel(const Theme& theme, TextRole role, Token color, QWidget* parent)
    : QLabel(parent),
      theme_(theme),
      role_(role),
      color_(color) {
    setTextFormat(Qt::PlainText);
    connect(&theme_, &Theme::changed, this, &TextLabel::restyle);
    restyle();
}

void TextLabel::setRole(TextRole role) {
    if (role != role_) {
        role_ = role;
        restyle();
    }
}

void TextLabel::setColor(Token color) {
    if (color != color_) {
        color_ = color;
        restyle();
    }
}

void TextLabel::setElide(Qt::TextElideMode mode) {
    elide_ = mode;
    updateGeometry();
}

void TextLabel::reserve(const QString& longest) {
    longest_ = longest;
    updateGeometry();
}

void TextLabel::restyle() {
    setFont(theme_.font(role_));
    // Not a sheet of its own: laying sheets over each other takes long, and there are hundreds of
    // labels. The application's sheet leaves the colour of labels alone for this.
    QPalette colors = palette();
    colors.setColor(QPalette::WindowText, theme_.color(color_));
    colors.setColor(QPalette::Disabled, QPalette::WindowText, theme_.color(Token::T3));
    setPalette(colors);
    updateGeometry();
}

QSize TextLabel::sizeHint() const {
    QSize size = QLabel::sizeHint();
    size.setHeight(std::max(size.height(), wordWrap() ? 0 : theme_.lineHeight(role_)));
    if (!longest_.isEmpty()) {
        size.setWidth(std::max(size.width(), fontMetrics().horizontalAdvance(longest_) + 1));
    }
    return size;
}

QSize TextLabel::minimumSizeHint() const {
    if (elide_ == Qt::ElideNone) {
        return wordWrap() ? QLabel::minimumSizeHint() : sizeHint();
    }
    return {fontMetrics().horizontalAdvance(QStringLiteral("…")), sizeHint().height()};
}

// Layouts that lie in each other ask for the same few widths again and again, and each time all of
// the text would be shaped.
int TextLabel::heightForWidth(int width) const {
    constexpr qsizetype kMostWidths = 16;
    if (wrapped_ != text() || heights_.size() > kMostWidths) {
        wrapped_ = text();
        heights_.clear();
    }
    const auto known = heights_.constFind(width);
    return known != heights_.constEnd() ? *known
                                        : *heights_.insert(width, QLabel::heightForWidth(width));
}

void TextLabel::changeEvent(QEvent* event) {
    if (event->type() == QEvent::FontChange || event->type() == QEvent::StyleChange) {
        heights_.clear();
    }
    QLabel::changeEvent(event);
}

void TextLabel::paintEvent(QPaintEvent* event) {
    if (elide_ == Qt::ElideNone ||
        fontMetrics().horizontalAdvance(text()) <= contentsRect().width()) {
        QLabel::paintEvent(event);
        return;
    }
    const QString shown = fontMetrics().elidedText(text(), elide_, contentsRect().width());
    if (toolTip().isEmpty()) {
        setToolTip(text());
    }
    QPainter painter(this);
    painter.setPen(theme_.color(isEnabled() ? color_ : Token::T3));
    painter.drawText(contentsRect(), int(alignment()) | Qt::TextSingleLine, shown);
}

}  // namespace fl::widgets
