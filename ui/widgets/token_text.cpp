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
        measureAll();
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
    measureAll();
    layOut();
}

void TokenText::append(const TextToken& token) {
    tokens_.push_back(token);
    const std::size_t known = rows_.size();
    measure(count() - 1);
    const int lines = pen_.line;
    for (std::size_t row = known; row < rows_.size(); ++row) {
        pieces_.push_back(place(rows_[row], width(), pen_));
    }
    if (pen_.line != lines) {
        updateGeometry();
    }
    update();
}

void TokenText::setCursorShown(bool shown) {
    cursor_ = shown;
    update();
}

void TokenText::measure(int token) {
    const QFontMetrics metrics(font());
    bool breaks = false;
    for (const QString& text : tokens_[std::size_t(token)].text.split(QLatin1Char('\n'))) {
        const bool isWord = text.startsWith(QLatin1Char(' '));
        const int wide = metrics.horizontalAdvance(text);
        const int bare = isWord ? metrics.horizontalAdvance(text.mid(1)) : wide;
        rows_.push_back({token, text, wide, bare, breaks, isWord});
        breaks = true;
    }
}

void TokenText::measureAll() {
    rows_.clear();
    for (int token = 0; token < count(); ++token) {
        measure(token);
    }
}

TokenText::Piece TokenText::place(const Row& row, int width, Pen& pen) const {
    const int line = theme_.lineHeight(TextRole::Answer);
    if (row.breaks || (pen.x + row.wide > width && pen.x > 0)) {
        pen = {0, pen.line + 1};
    }
    // A word begins a line without its space.
    const bool bare = row.isWord && pen.x == 0;
    const int wide = bare ? row.bare : row.wide;
    const QRect box(pen.x, pen.line * line, wide, line);
    pen.x += wide;
    return {row.token, bare ? row.text.mid(1) : row.text, box};
}

void TokenText::layOut() {
    asked_ = {};
    pieces_.clear();
    pen_ = {};
    laidOutWidth_ = width();
    for (const Row& row : rows_) {
        pieces_.push_back(place(row, width(), pen_));
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
        while (asked_.count < rows_.size()) {
            place(rows_[asked_.count++], width, asked_.pen);
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
    // Pieces lie line by line: only those of the lines to be drawn are looked at.
    const QRect dirty = event->rect();
    const auto first =
        std::partition_point(pieces_.begin(), pieces_.end(),
                             [&](const Piece& piece) { return piece.box.bottom() < dirty.top(); });
    for (auto piece = first; piece != pieces_.end() && piece->box.top() <= dirty.bottom();
         ++piece) {
        if (piece->box.intersects(dirty)) {
            paintPiece(painter, *piece);
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
