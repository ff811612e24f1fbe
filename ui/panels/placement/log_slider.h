// SPDX-License-Identifier: GPL-3.0-or-later
// A slider over powers of two, with the steps between them: for lengths that span thousands.
#pragma once

#include <cstdint>

#include <QSlider>

#include "ui/widgets/theme.h"

namespace fl::panels {

class LogSlider : public QSlider {
    Q_OBJECT

public:
    LogSlider(const widgets::Theme& theme, const QString& name, QWidget* parent = nullptr);

    void setAmounts(std::int64_t least, std::int64_t most);
    // Nearest step; emits nothing.
    void setAmount(std::int64_t amount);
    // "1, 1.5, 2, 3, 4, 6, 8 …" times a power of two.
    std::int64_t amount() const;

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

signals:
    void amountChosen(qint64 amount);

protected:
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;

private:
    void take(int x);

    const widgets::Theme& theme_;
};

}  // namespace fl::panels
