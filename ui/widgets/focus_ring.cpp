// SPDX-License-Identifier: GPL-3.0-or-later
// A frame that follows the focus.
#include "ui/widgets/focus_ring.h"

#include <QAbstractItemView>
#include <QAbstractSpinBox>
#include <QApplication>
#include <QComboBox>
#include <QFocusEvent>
#include <QLineEdit>
#include <QPainter>
#include <QPlainTextEdit>
#include <QTextEdit>

#include "ui/widgets/paint.h"
#include "ui/widgets/theme.h"

namespace fl::widgets {

namespace {

constexpr int kWidth = 2;
constexpr int kGap = 1;

bool isField(const QWidget* widget) {
    return qobject_cast<const QLineEdit*>(widget) || qobject_cast<const QAbstractSpinBox*>(widget);
}

// These say by themselves where the focus is: a cursor, a row.
bool saysItself(const QWidget* widget) {
    return qobject_cast<const QPlainTextEdit*>(widget) || qobject_cast<const QTextEdit*>(widget) ||
           qobject_cast<const QAbstractItemView*>(widget);
}

bool byKeyboard(Qt::FocusReason reason) {
    return reason == Qt::TabFocusReason || reason == Qt::BacktabFocusReason ||
           reason == Qt::ShortcutFocusReason;
}

}  // namespace

class FocusRing::Frame : public QWidget {
public:
    Frame(const Theme& theme, QWidget* parent) : QWidget(parent), theme_(theme) {
        setAttribute(Qt::WA_TransparentForMouseEvents);
        setAttribute(Qt::WA_NoSystemBackground);
        setFocusPolicy(Qt::NoFocus);
        setObjectName(QStringLiteral("focusRing"));
    }
    double radius = 0;

protected:
    void paintEvent(QPaintEvent*) override {
        QPainter painter(this);
        paintBox(painter, rect(), QColor(), theme_.color(Token::Accent), radius, kWidth);
    }

private:
    const Theme& theme_;
};

FocusRing::FocusRing(QApplication& application, const Theme& theme)
    : QObject(&application),
      theme_(theme) {
    application.installEventFilter(this);
}

FocusRing::~FocusRing() {
    unfollow();
}

bool FocusRing::isShown() const {
    return frame_ && frame_->isVisible();
}

bool FocusRing::eventFilter(QObject* watched, QEvent* event) {
    auto* widget = qobject_cast<QWidget*>(watched);
    if (!widget) {
        return false;
    }
    switch (event->type()) {
        case QEvent::FocusIn: {
            const auto reason = static_cast<QFocusEvent*>(event)->reason();
            // Coming back to the window keeps what was; a menu that closes, too.
            const bool kept =
                reason == Qt::ActiveWindowFocusReason || reason == Qt::PopupFocusReason;
            keyboard_ = kept ? keyboard_ : byKeyboard(reason);
            widget->setProperty("keyboardFocus", keyboard_);
            follow(widget, keyboard_);
            break;
        }
        case QEvent::FocusOut:
            widget->setProperty("keyboardFocus", false);
            if (widget == target_) {
                unfollow();
            }
            break;
        case QEvent::Move:
        case QEvent::Resize:
        case QEvent::Show:
        case QEvent::Hide:
            if (target_ && (widget == target_ || widget->isAncestorOf(target_))) {
                place();
            }
            break;
        default:
            break;
    }
    return false;
}

void FocusRing::follow(QWidget* widget, bool keyboard) {
    unfollow();
    if (saysItself(widget) || widget->isWindow() || !(keyboard || isField(widget))) {
        return;
    }
    // The line edit inside a spin box or an editable combo box is only a part of it.
    QWidget* parent = widget->parentWidget();
    const bool part = qobject_cast<QAbstractSpinBox*>(parent) || qobject_cast<QComboBox*>(parent);
    target_ = part ? parent : widget;
    place();
}

void FocusRing::unfollow() {
    if (frame_) {
        frame_->hide();
        frame_->deleteLater();
        frame_ = nullptr;
    }
    target_ = nullptr;
}

void FocusRing::place() {
    if (!target_->isVisible()) {
        if (frame_) {
            frame_->hide();
        }
        return;
    }
    const bool inside = target_->property("ringInside").toBool();
    const int reach = inside ? 0 : kWidth + kGap;
    // The nearest ancestor that has room for the whole ring, so that scrolling clips it.
    QWidget* host = target_->parentWidget() ? target_->parentWidget() : target_->window();
    QRect box;
    for (;; host = host->parentWidget()) {
        box = QRect(target_->mapTo(host, QPoint()), target_->size())
                  .adjusted(-reach, -reach, reach, reach);
        if (host->rect().contains(box) || host->isWindow()) {
            break;
        }
    }
    if (!frame_ || frame_->parentWidget() != host) {
        delete frame_;  // at most one frame, owned by its host otherwise
        frame_ = new Frame(theme_, host);
    }
    const QVariant radius = target_->property("ringRadius");
    const int corner = radius.isValid() ? radius.toInt() : 4;
    frame_->radius = inside ? 0 : theme_.px(corner) + reach;
    frame_->setGeometry(box);
    frame_->raise();
    frame_->show();
}

}  // namespace fl::widgets
