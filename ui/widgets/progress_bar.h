// SPDX-License-Identifier: GPL-3.0-or-later
// How far a job is: a round-ended bar, 6 high or 4. The numbers stand beside it, not in it.
#pragma once

#include <QWidget>

#include "ui/widgets/theme.h"

namespace fl::widgets {

class ProgressBar : public QWidget {
    Q_OBJECT

public:
    explicit ProgressBar(const Theme& theme, int thickness = 6, QWidget* parent = nullptr);

    // 0 … 1; less than 0: not known, drawn as an empty track.
    void setValue(double value);
    double value() const { return value_; }
    void setSlow(bool slow);  // the one that holds the others up

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    const Theme& theme_;
    int thickness_;
    double value_ = 0;
    bool slow_ = false;
};

}  // namespace fl::widgets
