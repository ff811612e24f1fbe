// SPDX-License-Identifier: GPL-3.0-or-later
// One number of a plan to try: "TP [1|2|3|9]". Illegal values stay selectable; what they break is
// said beside them by the panel.
#pragma once

#include <vector>

#include <QWidget>

#include "ui/widgets/theme.h"

namespace fl::widgets {

class SegmentedControl;
class TextLabel;

class WhatIfRow : public QWidget {
    Q_OBJECT

public:
    WhatIfRow(const Theme& theme, const QString& letters, QWidget* parent = nullptr);

    // `values` ascending; those not in `legal` are illegal. 0 stands for "auto".
    void setValues(const std::vector<int>& values, const std::vector<int>& legal);
    void setValue(int value);  // added to the values if it is not one; emits nothing
    int value() const;

Q_SIGNALS:
    void valueChosen(int value);

private:
    void fill();

    TextLabel* letters_;
    SegmentedControl* control_;
    std::vector<int> values_;
    std::vector<int> legal_;
    int value_ = 0;
};

}  // namespace fl::widgets
