// SPDX-License-Identifier: GPL-3.0-or-later
// Draws the segments and moves the choice.
#include "ui/widgets/segmented_control.h"

#include <QHelpEvent>
#include <QKeyEvent>
#include <QPainter>
#include <QPainterPath>
#include <QToolTip>

#include "ui/widgets/paint.h"

namespace fl::widgets {

SegmentedControl::SegmentedControl(const Theme& theme, QWidget* parent)
    : QWidget(parent),
      theme_(theme) {
    setFocusPolicy(Qt::StrongFocus);
    setMouseTracking(true);
    setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
    connect(&theme_, &Theme::changed, this, [this] {
        updateGeometry();
        update();
    });
}

void SegmentedControl::setSegments(const QStringList& texts) {
    segments_.clear();
    for (const QString& text : texts) {
        segments_.push_back({text, {}, false});
    }
    setCurrent(qBound(0, current_, int(texts.size()) - 1));
    updateGeometry();
}

void SegmentedControl::setCurrent(int index) {
    current_ = index;
    if (index >= 0 && index < count()) {
        setAccessibleDescription(text(index));
    }
    update();
}

void SegmentedControl::setBlocked(int index, const QString& reason) {
    segments_[std::size_t(index)].reason = reason;
    update();
}

void SegmentedControl::setIllegal(int index, bool illegal) {
    segments_[std::size_t(index)].illegal = illegal;
    update();
}

void SegmentedControl::setStretched(bool stretched) {
    stretched_ = stretched;
    setSizePolicy(stretched ? QSizePolicy::Expanding : QSizePolicy::Fixed, QSizePolicy::Fixed);
}

int SegmentedControl::width(int index) const {
    // The chosen one is drawn strong: every segment has room for that, so nothing moves.
    const QFontMetrics metrics(theme_.font(TextRole::SmallStrong));
    return metrics.horizontalAdvance(text(index)) + 2 * theme_.px(9) + 1;
}

QSize SegmentedControl::sizeHint() const {
    int total = 1;
    for (int i = 0; i < count(); ++i) {
        total += width(i);
    }
    return {total, theme_.px(24)};
}

QRect SegmentedControl::box(int index) const {
    if (stretched_) {
        const int whole = QWidget::width() - 1;
        const int left = whole * index / count();
        return {left, 0, whole * (index + 1) / count() - left + 1, height()};
    }
    int left = 0;
    for (int i = 0; i < index; ++i) {
        left += width(i);
    }
    return {left, 0, width(index) + 1, height()};
}

int SegmentedControl::at(const QPoint& place) const {
    for (int i = 0; i < count(); ++i) {
        if (box(i).contains(place)) {
            return i;
        }
    }
    return -1;
}

void SegmentedControl::choose(int index) {
    if (index < 0 || index >= count() || index == current_ ||
        !segments_[std::size_t(index)].reason.isEmpty()) {
        return;
    }
    setCurrent(index);
    Q_EMIT chosen(index);
}

void SegmentedControl::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    const double radius = theme_.px(4);
    paintBox(painter, rect(), theme_.color(isEnabled() ? Token::Bg1 : Token::Bg2), QColor(),
             radius);
    QPainterPath outline;
    outline.addRoundedRect(rect(), radius, radius);
    painter.save();
    painter.setClipPath(outline);
    for (int i = 0; i < count(); ++i) {
        const Segment& segment = segments_[std::size_t(i)];
        const bool usable = isEnabled() && segment.reason.isEmpty();
        if (i == current_) {
            painter.fillRect(box(i),
                             theme_.color(segment.illegal ? Token::ErrBg : Token::AccentBg));
        } else if (i == hovered_ && usable) {
            painter.fillRect(box(i), theme_.color(Token::Bg3));
        }
        if (i > 0) {
            painter.fillRect(QRect(box(i).left(), 0, 1, height()), theme_.color(Token::Line2));
        }
        painter.setFont(theme_.font(i == current_ ? TextRole::SmallStrong : TextRole::Small));
        const Token text = i == current_ ? Token::T1 : Token::T2;
        painter.setPen(theme_.color(usable ? text : Token::T3));
        painter.drawText(box(i), Qt::AlignCenter, segment.text);
    }
    painter.restore();
    paintBox(painter, rect(), QColor(), theme_.color(isEnabled() ? Token::Line2 : Token::Line),
             radius);
}

void SegmentedControl::mousePressEvent(QMouseEvent* event) {
    choose(at(event->pos()));
}

void SegmentedControl::mouseMoveEvent(QMouseEvent* event) {
    hovered_ = at(event->pos());
    update();
}

void SegmentedControl::leaveEvent(QEvent*) {
    hovered_ = -1;
    update();
}

void SegmentedControl::keyPressEvent(QKeyEvent* event) {
    const int step = event->key() == Qt::Key_Right ? 1 : event->key() == Qt::Key_Left ? -1 : 0;
    if (step == 0) {
        QWidget::keyPressEvent(event);
        return;
    }
    int next = current_ + step;
    while (next >= 0 && next < count() && !segments_[std::size_t(next)].reason.isEmpty()) {
        next += step;
    }
    choose(next);
}

bool SegmentedControl::event(QEvent* event) {
    if (event->type() == QEvent::ToolTip) {
        auto* help = static_cast<QHelpEvent*>(event);
        const int index = at(help->pos());
        if (index >= 0 && !segments_[std::size_t(index)].reason.isEmpty()) {
            QToolTip::showText(help->globalPos(), segments_[std::size_t(index)].reason, this);
            return true;
        }
    }
    return QWidget::event(event);
}

}  // namespace fl::widgets
