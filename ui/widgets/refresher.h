// SPDX-License-Identifier: GPL-3.0-or-later
// Redraws a widget at most 20 times a second, and only while it is seen: what changed meanwhile is
// drawn when it is shown.
#pragma once

#include <functional>

#include <QElapsedTimer>
#include <QTimer>
#include <QWidget>

namespace fl::widgets {

class Refresher : public QObject {
    Q_OBJECT

public:
    // Lives as long as `widget`.
    Refresher(QWidget* widget, std::function<void()> redraw);

    void later();

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void redraw();

    QWidget* widget_;
    std::function<void()> redraw_;
    QTimer timer_;
    QElapsedTimer since_;  // the last time it was drawn
    bool stale_ = false;
};

}  // namespace fl::widgets
