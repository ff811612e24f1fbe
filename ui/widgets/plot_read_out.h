// SPDX-License-Identifier: GPL-3.0-or-later
// The values under a chart's cursor, in the corner that the cursor is not in.
#pragma once

#include <vector>

#include "ui/widgets/card.h"
#include "ui/widgets/key_value_list.h"

namespace fl::widgets {

class PlotReadOut : public Card {
    Q_OBJECT

public:
    PlotReadOut(const Theme& theme, QWidget* plot);

    // `area` is the chart's, `x` the cursor's place in it.
    void showValues(std::vector<KeyValue> rows, const QRect& area, double x);

private:
    const Theme& theme_;
    KeyValueList* list_;
};

}  // namespace fl::widgets
