// SPDX-License-Identifier: GPL-3.0-or-later
// How often the values of a tensor occur, from its least to its largest, on a logarithmic scale:
// what is rare is what one looks for.
#pragma once

#include <vector>

#include <QWidget>

#include "ui/widgets/theme.h"

namespace fl::panels {

class HistogramView : public QWidget {
    Q_OBJECT

public:
    explicit HistogramView(const widgets::Theme& theme, QWidget* parent = nullptr);

    // `counts` in equal steps from `least` to `most`.
    void setCounts(std::vector<std::int64_t> counts, double least, double most);
    void clear();

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    QRectF area() const;
    void paintAxis(QPainter& painter, double decades) const;

    const widgets::Theme& theme_;
    std::vector<std::int64_t> counts_;
    double least_ = 0;
    double most_ = 0;
};

// "0.0287", "−1.5e-05": four digits that matter.
QString valueText(double value);

}  // namespace fl::panels
