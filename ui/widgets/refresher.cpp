// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/refresher.h"

#include <algorithm>
#include <utility>

#include <QEvent>

namespace fl::widgets {

namespace {
constexpr int kFrameMilliseconds = 50;
}

Refresher::Refresher(QWidget* widget, std::function<void()> redraw)
    : QObject(widget),
      widget_(widget),
      redraw_(std::move(redraw)) {
    timer_.setSingleShot(true);
    connect(&timer_, &QTimer::timeout, this, &Refresher::redraw);
    widget->installEventFilter(this);
}

void Refresher::later() {
    stale_ = true;
    if (widget_->isVisible() && !timer_.isActive()) {
        const qint64 since = since_.isValid() ? since_.elapsed() : kFrameMilliseconds;
        timer_.start(int(std::max<qint64>(0, kFrameMilliseconds - since)));
    }
}

void Refresher::redraw() {
    if (stale_ && widget_->isVisible()) {
        stale_ = false;
        since_.start();
        redraw_();
    }
}

bool Refresher::eventFilter(QObject* watched, QEvent* event) {
    if (watched == widget_ && event->type() == QEvent::Show) {
        redraw();
    }
    return QObject::eventFilter(watched, event);
}

}  // namespace fl::widgets
