// SPDX-License-Identifier: GPL-3.0-or-later
// Lays out and draws tokens.
#include "ui/widgets/token_text.h"

#include <algorithm>
#include <cmath>

#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>

#include "ui/widgets/paint.h"

namespace fl::widgets {

namespace {
constexpr double kSure = 0.9;
constexpr double kUnsure = 0.6;
constexpr double kGuess = 0.3;
}  // namespace

TokenText::TokenText(const Theme& theme, QWidget* parent) : QWidget(parent), theme_(theme) {
    setMouseTracking(true);
    setFocusPolicy(Qt::TabFocus);
    QSizePolicy policy(QSizePolicy::Expanding, QSizePolicy::Minimum);
    policy.setHeightForWidth(true);
    setSizePolicy(policy);
    setFont(theme.font(TextRole::Answer));
    connect(&theme_, &Theme::changed, this, [this] {
        setFont(theme_.font(TextRole::Answer));
        layOut();
    });
}

void TokenText::setTokens(std::vector<TextToken> tokens) {
    tokens_ = std::move(tokens);
    current_ = -1;
    QString all;
    for (const TextToken& token : tokens_) {
        all += token.text;
    }
    setAccessibleName(all);
    layOut();
}

void TokenText::append(const TextToken& token) {
    tokens_.push_back(token);
    setAccessibleName(accessibleName() + token.text);
    const int lines = pen_.line;
    place(count() - 1, width(), pen_, pieces_);
    if (pen_.line != lines) {
        updateGeometry();
    }
    update();
}

void TokenText::setCursorShown(bool shown) {
    cursor_ = shown;
    update();
}

void TokenText::place(int token, int width, Pen& pen, std::vector<Piece>& pieces) const {
    const QFontMetrics metrics(font());
    const int line = theme_.lineHeight(TextRole::Answer);
    const QStringList rows = tokens_[std::size_t(token)].text.split(QLatin1Char('\n'));
    for (qsizetype i = 0; i < rows.size(); ++i) {
        if (i > 0) {
            pen = {0, pen.line + 1};
        }
        const int advance = metrics.horizontalAdvance(rows[i]);
        const bool breakable = rows[i].startsWith(QLatin1Char(' ')) || pen.x == 0;
        if (pen.x + advance > width && pen.x > 0) {
            pen = {0, pen.line + 1};
        }
        // A word begins a line without its space.
        const QString text =
            breakable && pen.x == 0 ? rows[i].mid(rows[i].startsWith(' ')) : rows[i];
        const int wide = metrics.horizontalAdvance(text);
        pieces.push_back({token, text, QRect(pen.x, pen.line * line, wide, line)});
        pen.x += wide;
    }
}

void TokenText::layOut() {
    asked_ = {};
    pieces_.clear();
    pen_ = {};
    laidOutWidth_ = width();
    for (int i = 0; i < count(); ++i) {
        place(i, width(), pen_, pieces_);
    }
    updateGeometry();
    update();
}

// Layouts ask for several widths whenever a line is added: what was placed for a width asked for
// before is not placed again.
int TokenText::heightForWidth(int width) const {
    Pen pen = pen_;
    if (width != laidOutWidth_) {
        if (width != asked_.width) {
            asked_ = {width, 0, {}};
        }
        std::vector<Piece> pieces;
        while (asked_.count < count()) {
            place(asked_.count++, width, asked_.pen, pieces);
        }
        pen = asked_.pen;
    }
    return (pen.line + 1) * theme_.lineHeight(TextRole::Answer) + 2;
}

QSize TokenText::sizeHint() const {
    const int width = laidOutWidth_ > 0 ? laidOutWidth_ : theme_.px(320);
    return {theme_.px(320), heightForWidth(width)};
}

QSize TokenText::minimumSizeHint() const {
    return {theme_.px(120), theme_.lineHeight(TextRole::Answer) + 2};
}

QRect TokenText::tokenRect(int index) const {
    for (const Piece& piece : pieces_) {
        if (piece.token == index) {
            return piece.box;
        }
    }
    return {};
}

int TokenText::at(const QPoint& point) const {
    for (const Piece& piece : pieces_) {
        if (piece.box.contains(point)) {
            return piece.token;
        }
    }
    return -1;
}

void TokenText::enter(int token) {
    if (token != current_) {
        current_ = token;
        update();
        Q_EMIT tokenEntered(token);
    }
}

void TokenText::paintPiece(QPainter& painter, const Piece& piece) const {
    const double probability = tokens_[std::size_t(piece.token)].probability;
    if (piece.token == current_) {
        paintBox(painter, piece.box, theme_.color(Token::AccentBg), theme_.color(Token::Accent), 2);
    }
    painter.setPen(theme_.color(Token::T1));
    painter.drawText(piece.box, Qt::AlignLeft | Qt::AlignVCenter | Qt::TextSingleLine, piece.text);
    if (std::isnan(probability) || probability >= kSure || piece.text.trimmed().isEmpty()) {
        return;
    }
    const Token color = probability < kGuess    ? Token::Err
                        : probability < kUnsure ? Token::Warn
                                                : Token::Line2;
    const QFontMetrics metrics = painter.fontMetrics();
    const int indent = piece.text.startsWith(' ') ? metrics.horizontalAdvance(' ') : 0;
    painter.fillRect(
        QRect(piece.box.left() + indent, piece.box.bottom() - 1, piece.box.width() - indent, 2),
        theme_.color(color));
}

void TokenText::paintEvent(QPaintEvent* event) {
    QPainter painter(this);
    for (const Piece& piece : pieces_) {
        if (piece.box.intersects(event->rect())) {
            paintPiece(painter, piece);
        }
    }
    if (cursor_) {
        const int line = theme_.lineHeight(TextRole::Answer);
        painter.fillRect(QRect(pen_.x + 3, pen_.line * line + 4, theme_.px(7), line - 8),
                         theme_.color(Token::Accent));
    }
}

void TokenText::mouseMoveEvent(QMouseEvent* event) {
    enter(at(event->pos()));
}

void TokenText::mousePressEvent(QMouseEvent* event) {
    if (const int token = at(event->pos()); token >= 0) {
        Q_EMIT tokenClicked(token);
    }
}

void TokenText::leaveEvent(QEvent*) {
    enter(-1);
}

void TokenText::keyPressEvent(QKeyEvent* event) {
    if (event->key() == Qt::Key_Right || event->key() == Qt::Key_Left) {
        const int step = event->key() == Qt::Key_Right ? 1 : -1;
        enter(std::clamp(current_ + step, 0, std::max(0, count() - 1)));
        return;
    }
    QWidget::keyPressEvent(event);
}

void TokenText::resizeEvent(QResizeEvent*) {
    if (width() != laidOutWidth_) {
        layOut();
    }
}

}  // namespace fl::widgets
