// SPDX-License-Identifier: GPL-3.0-or-later
// One rank's memory as a bar: parts without gaps, the free rest, the budget as a dashed line.
#pragma once

#include <cstdint>
#include <vector>

#include <QWidget>

#include "ui/widgets/theme.h"

namespace fl::widgets {

struct LedgerValue {
    LedgerPart part = LedgerPart::Weights;
    std::int64_t bytes = 0;
};

struct LedgerShape {
    std::vector<LedgerValue> parts;
    std::int64_t capacity = 0;  // the whole width
    std::int64_t budget = 0;    // the dashed line; 0: none
};

class LedgerBar : public QWidget {
    Q_OBJECT

public:
    explicit LedgerBar(const Theme& theme, QWidget* parent = nullptr);

    void setLedger(LedgerShape shape);
    // Words under the bar, "61.2 of 73.6 GiB"; empty: none.
    void setCaption(const QString& caption);

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    const Theme& theme_;
    LedgerShape shape_;
    QString caption_;
};

// The same into any painter: stacks of ranks draw bars of 6.5 pixels without widgets.
void paintLedger(QPainter& painter,
                 const QRectF& box,
                 const LedgerShape& shape,
                 const Theme& theme);

}  // namespace fl::widgets
