// SPDX-License-Identifier: GPL-3.0-or-later
// The tabs above the big panel: 34 high, the open one underlined in accent, each with a badge that
// counts what wants to be looked at.
#pragma once

#include <QTabBar>

#include "ui/widgets/state.h"
#include "ui/widgets/theme.h"

namespace fl::widgets {

class TabStrip : public QTabBar {
    Q_OBJECT

public:
    explicit TabStrip(const Theme& theme, QWidget* parent = nullptr);

    void setBadge(int index, int count, State state);

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

protected:
    QSize tabSizeHint(int index) const override;
    QSize minimumTabSizeHint(int index) const override { return tabSizeHint(index); }
    void paintEvent(QPaintEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;

private:
    struct BadgeData {
        QString text;
        State state = State::Idle;
    };
    BadgeData badge(int index) const;
    void paintTab(QPainter& painter, int index) const;

    const Theme& theme_;
    int hovered_ = -1;
};

}  // namespace fl::widgets
