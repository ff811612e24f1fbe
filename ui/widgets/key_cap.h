// SPDX-License-Identifier: GPL-3.0-or-later
// The name of a key or shortcut in a small frame.
#pragma once

#include <QWidget>

#include "ui/widgets/theme.h"

namespace fl::widgets {

class KeyCap : public QWidget {
    Q_OBJECT

public:
    KeyCap(const Theme& theme, const QString& text, QWidget* parent = nullptr);

    QSize sizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    const Theme& theme_;
    QString text_;
};

// The same into any painter.
QSize keyCapSize(const Theme& theme, const QString& text);
void paintKeyCap(QPainter& painter, const QRectF& box, const QString& text, const Theme& theme);

}  // namespace fl::widgets
