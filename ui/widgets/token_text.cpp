// SPDX-License-Identifier: GPL-3.0-or-later
// Feeds the flow, draws it, and selects in it.
#include "ui/widgets/token_text.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QTimer>

#include "ui/widgets/paint.h"

namespace fl::widgets {

namespace {
constexpr double kSure = 0.9;
constexpr double kUnsure = 0.6;
constexpr double kGuess = 0.3;
// Tokens measured in one go, in a few milliseconds.
constexpr int kAtOnce = 1000;
}  // namespace

TokenText::TokenText(const Theme& theme, QWidget* parent)
    : QWidget(parent),
      theme_(theme),
      flow_(theme.font(TextRole::Answer), theme.lineHeight(TextRole::Answer)) {
    setMouseTracking(true);
    setFocusPolicy(Qt::StrongFocus);
    QSizePolicy policy(QSizePolicy::Expanding, QSizePolicy::Minimum);
    policy.setHeightForWidth(true);
    setSizePolicy(policy);
    setFont(flow_.font());
    addActions();
    connect(&theme_, &Theme::changed, this, &TokenText::restyle);
}

void TokenText::addActions() {
    const auto add = [this](const QString& text, QKeySequence::StandardKey keys, auto use) {
        auto* action = new QAction(text, this);
        action->setShortcut(keys);
        action->setShortcutContext(Qt::WidgetShortcut);
        connect(action, &QAction::triggered, this, use);
        addAction(action);
    };
    add(tr("Copy"), QKeySequence::Copy, [this] {
        if (const QString text = selectedText(); !text.isEmpty()) {
            QApplication::clipboard()->setText(text);
        }
    });
    add(tr("Select all"), QKeySequence::SelectAll, [this] { selectAll(); });
    setContextMenuPolicy(Qt::ActionsContextMenu);
}

// Colours are taken when it is drawn; only another size is measured anew.
void TokenText::restyle() {
    const QFont font = theme_.font(TextRole::Answer);
    if (font != flow_.font()) {
        setFont(font);
        flow_.setFont(font, theme_.lineHeight(TextRole::Answer));
        flowed_ = 0;
        anchor_ = end_ = {};
        flowOn();
    }
    update();
}

void TokenText::clear() {
    tokens_.clear();
    flow_.clear();
    flowed_ = 0;
    anchor_ = end_ = {};
    current_ = -1;
    plain_ = false;
    plainText_.clear();
}

void TokenText::setTokens(std::vector<TextToken> tokens) {
    clear();
    tokens_ = std::move(tokens);
    QString all;
    for (const TextToken& token : tokens_) {
        all += token.text;
    }
    setAccessibleName(all);
    flowOn();
    updateGeometry();
    update();
}

void TokenText::append(const TextToken& token) {
    tokens_.push_back(token);
    if (flowed_ == count() - 1) {
        flowOn();
    }
}

void TokenText::setPlainText(const QString& text) {
    if (!plain_ || !text.startsWith(plainText_)) {
        clear();
        plain_ = true;
        updateGeometry();
    }
    const QStringList words = flowWords(text.mid(plainText_.size()));
    plainText_ = text;
    const bool waits = flowed_ < count();
    for (const QString& word : words) {
        tokens_.push_back({word, std::numeric_limits<double>::quiet_NaN()});
    }
    if (!waits) {
        flowOn();
    }
    update();
}

// A long text comes in pieces, so that nothing else waits for it.
void TokenText::flowOn() {
    const int lines = flow_.lines();
    const int last = std::min(count(), flowed_ + kAtOnce);
    for (; flowed_ < last; ++flowed_) {
        flow_.append(flowed_, tokens_[std::size_t(flowed_)].text);
    }
    if (flow_.lines() != lines) {
        updateGeometry();
    }
    update();
    if (flowed_ < count()) {
        QTimer::singleShot(0, this, &TokenText::flowOn);
    }
}

void TokenText::setCursorShown(bool shown) {
    if (shown != cursor_) {
        cursor_ = shown;
        update();
    }
}

int TokenText::heightForWidth(int width) const {
    return flow_.heightFor(width) + 2;
}

QSize TokenText::sizeHint() const {
    const int width = flow_.width() > 0 ? flow_.width() : theme_.px(320);
    return {theme_.px(320), heightForWidth(width)};
}

QSize TokenText::minimumSizeHint() const {
    return {theme_.px(120), theme_.lineHeight(TextRole::Answer) + 2};
}

QRect TokenText::tokenRect(int index) const {
    const auto& parts = flow_.parts();
    const auto found = std::partition_point(
        parts.begin(), parts.end(), [index](const FlowPart& part) { return part.token < index; });
    return found == parts.end() ? QRect() : flow_.box(std::size_t(found - parts.begin())).rect;
}

int TokenText::at(const QPoint& point) const {
    const std::size_t part = plain_ ? flow_.parts().size() : flow_.partAt(point);
    return part < flow_.parts().size() ? flow_.parts()[part].token : -1;
}

void TokenText::enter(int token) {
    if (token != current_) {
        current_ = token;
        update();
        Q_EMIT tokenEntered(token);
    }
}

void TokenText::select(const FlowPlace& from, const FlowPlace& to) {
    anchor_ = from;
    end_ = to;
    update();
}

void TokenText::selectAll() {
    if (!flow_.parts().empty()) {
        const std::size_t last = flow_.parts().size() - 1;
        select({}, {last, int(flow_.parts()[last].text.size())});
    }
}

QString TokenText::selectedText() const {
    return flow_.textBetween(std::min(anchor_, end_), std::max(anchor_, end_));
}

void TokenText::paintSelection(QPainter& painter, std::size_t part) const {
    const FlowPlace from = std::min(anchor_, end_);
    const FlowPlace to = std::max(anchor_, end_);
    if (from == to || part < from.part || part > to.part) {
        return;
    }
    QRect box = flow_.box(part).rect;
    const int right = part == to.part ? flow_.xOf(to) : box.right() + 1;
    box.setLeft(part == from.part ? flow_.xOf(from) : box.left());
    box.setRight(right - 1);
    painter.fillRect(box, theme_.color(Token::AccentBg));
}

void TokenText::paintPart(QPainter& painter, std::size_t part) const {
    const int token = flow_.parts()[part].token;
    const QRect box = flow_.box(part).rect;
    const QString text = flow_.shown(part);
    const double probability = tokens_[std::size_t(token)].probability;
    if (token == current_) {
        paintBox(painter, box, theme_.color(Token::AccentBg), theme_.color(Token::Accent), 2);
    }
    paintSelection(painter, part);
    painter.setPen(theme_.color(Token::T1));
    painter.drawText(box, Qt::AlignLeft | Qt::AlignVCenter | Qt::TextSingleLine, text);
    if (std::isnan(probability) || probability >= kSure || text.trimmed().isEmpty()) {
        return;
    }
    const Token color = probability < kGuess    ? Token::Err
                        : probability < kUnsure ? Token::Warn
                                                : Token::Line2;
    const int indent =
        text.startsWith(QLatin1Char(' ')) ? painter.fontMetrics().horizontalAdvance(' ') : 0;
    painter.fillRect(QRect(box.left() + indent, box.bottom() - 1, box.width() - indent, 2),
                     theme_.color(color));
}

void TokenText::paintEvent(QPaintEvent* event) {
    QPainter painter(this);
    const QRect dirty = event->rect();
    const std::size_t count = flow_.parts().size();
    for (std::size_t part = flow_.firstFrom(dirty.top());
         part < count && flow_.box(part).rect.top() <= dirty.bottom(); ++part) {
        if (flow_.box(part).rect.intersects(dirty)) {
            paintPart(painter, part);
        }
    }
    if (cursor_) {
        const int line = theme_.lineHeight(TextRole::Answer);
        const QRect last = count > 0 ? flow_.box(count - 1).rect : QRect(0, 0, 0, line);
        painter.fillRect(QRect(last.right() + 4, last.top() + 4, theme_.px(7), line - 8),
                         theme_.color(Token::Accent));
    }
}

void TokenText::mouseMoveEvent(QMouseEvent* event) {
    if (event->buttons() & Qt::LeftButton) {
        select(anchor_, flow_.placeAt(event->pos()));
        return;
    }
    setCursor(plain_ ? Qt::IBeamCursor : Qt::ArrowCursor);
    enter(at(event->pos()));
}

void TokenText::mousePressEvent(QMouseEvent* event) {
    if (event->button() != Qt::LeftButton) {
        return;
    }
    pressed_ = event->pos();
    const FlowPlace place = flow_.placeAt(event->pos());
    select(event->modifiers() & Qt::ShiftModifier ? anchor_ : place, place);
}

void TokenText::mouseReleaseEvent(QMouseEvent* event) {
    if (event->button() != Qt::LeftButton) {
        return;
    }
    const int token = at(event->pos());
    if (token >= 0 && token == at(pressed_) && anchor_ == end_) {
        Q_EMIT tokenClicked(token);
    }
}

void TokenText::leaveEvent(QEvent*) {
    enter(-1);
}

// Arrows walk over the tokens; with Shift they select on.
void TokenText::keyPressEvent(QKeyEvent* event) {
    const bool walks = event->key() == Qt::Key_Right || event->key() == Qt::Key_Left;
    const int last = int(flow_.parts().size()) - 1;
    if (!walks || last < 0) {
        QWidget::keyPressEvent(event);
        return;
    }
    const int step = event->key() == Qt::Key_Right ? 1 : -1;
    if (event->modifiers() & Qt::ShiftModifier) {
        const int part = std::clamp(int(end_.part) + step, 0, last);
        const bool atEnd = part == last && step > 0;
        select(anchor_,
               {std::size_t(part), atEnd ? int(flow_.parts()[std::size_t(part)].text.size()) : 0});
    } else if (!plain_) {
        enter(std::clamp(current_ + step, 0, count() - 1));
    }
}

void TokenText::resizeEvent(QResizeEvent*) {
    if (width() != flow_.width()) {
        flow_.setWidth(width());
        updateGeometry();
    }
}

}  // namespace fl::widgets
