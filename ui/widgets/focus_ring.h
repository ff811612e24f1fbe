// SPDX-License-Identifier: GPL-3.0-or-later
// The accent ring around what has the focus: after the keyboard moved it there, and always around
// text fields. One object serves the whole application.
//
// A widget may say how it wants it: property "ringRadius" (int, pixels of its own corner) and
// "ringInside" (bool: inside the border, as in tables and rows).
#pragma once

#include <QObject>
#include <QPointer>
#include <QWidget>

class QApplication;

namespace fl::widgets {

class Theme;

class FocusRing : public QObject {
    Q_OBJECT

public:
    FocusRing(QApplication& application, const Theme& theme);
    ~FocusRing() override;

    bool isShown() const;

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    class Frame;
    void follow(QWidget* widget, bool keyboard);
    void place();
    void unfollow();

    const Theme& theme_;
    QPointer<Frame> frame_;
    QPointer<QWidget> target_;
    bool keyboard_ = false;
};

}  // namespace fl::widgets
