// SPDX-License-Identifier: GPL-3.0-or-later
// One number of a plan to try: "TP [1|2|3|9]". Illegal values stay selectable; what they break is
// said beside them by the panel. Legal values that have no segment are in a menu at the end.
#pragma once

#include <vector>

#include <QWidget>

#include "ui/widgets/theme.h"

namespace fl::widgets {

class Button;
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
    // Whether the menu is needed; room for it is kept in rows that stand below one that needs it.
    bool hasMore() const { return !others().empty(); }
    void keepRoom(bool keep);

Q_SIGNALS:
    void valueChosen(int value);

private:
    void fill();
    void choose(int value);
    void openMenu();
    // Legal values that have no segment.
    std::vector<int> others() const;

    TextLabel* letters_;
    SegmentedControl* control_;
    Button* more_;
    std::vector<int> values_;
    std::vector<int> legal_;
    int value_ = 0;
};

}  // namespace fl::widgets
