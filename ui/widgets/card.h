// SPDX-License-Identifier: GPL-3.0-or-later
// A rounded ground for things that belong together. Never a card inside a card.
#pragma once

#include <QWidget>

#include "ui/widgets/theme.h"

namespace fl::widgets {

class Card : public QWidget {
    Q_OBJECT

public:
    enum class Kind {
        Plain,  // bg2, border line
        Quote,  // bg1, border line2: a log line inside a strip, a text field's frame
        Field   // bg2, border line2, accent while something inside has the focus
    };
    explicit Card(const Theme& theme, QWidget* parent = nullptr);
    Card(const Theme& theme, Kind kind, QWidget* parent = nullptr);

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    const Theme& theme_;
    Kind kind_;
};

// A hairline between parts of a panel, horizontal or vertical, one pixel of `line`.
class Hairline : public QWidget {
    Q_OBJECT

public:
    Hairline(const Theme& theme, Qt::Orientation orientation, QWidget* parent = nullptr);
    QSize sizeHint() const override { return {1, 1}; }

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    const Theme& theme_;
};

}  // namespace fl::widgets
