// SPDX-License-Identifier: GPL-3.0-or-later
// A count or one word in a state's colour; neutral without a state.
#pragma once

#include <QWidget>

#include "ui/widgets/state.h"
#include "ui/widgets/theme.h"

namespace fl::widgets {

class Badge : public QWidget {
    Q_OBJECT

public:
    explicit Badge(const Theme& theme, QWidget* parent = nullptr);

    // State::Idle is neutral. An empty text hides the badge.
    void setBadge(const QString& text, State state = State::Idle);
    QString text() const { return text_; }

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return sizeHint(); }

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    const Theme& theme_;
    QString text_;
    State state_ = State::Idle;
};

// The same into any painter: tab bars and delegates draw badges without a widget.
QSize badgeSize(const Theme& theme, const QString& text);
void paintBadge(
    QPainter& painter, const QRectF& box, const QString& text, State state, const Theme& theme);

}  // namespace fl::widgets
