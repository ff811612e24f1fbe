// SPDX-License-Identifier: GPL-3.0-or-later
// A round-ended toggle or a legal value to pick.
#pragma once

#include <QAbstractButton>

#include "ui/widgets/theme.h"

namespace fl::widgets {

class Chip : public QAbstractButton {
    Q_OBJECT

public:
    Chip(const Theme& theme, const QString& text, QWidget* parent = nullptr);

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return sizeHint(); }

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    const Theme& theme_;
};

}  // namespace fl::widgets
