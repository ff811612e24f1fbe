// SPDX-License-Identifier: GPL-3.0-or-later
// The memory model as stacks for a chart.
#pragma once

#include <vector>

#include "ui/models/memory_model.h"
#include "ui/widgets/metric_plot.h"
#include "ui/widgets/panel_header.h"

namespace fl::panels {

struct MemoryBars {
    QString unit;                           // of every value: "GiB"
    std::vector<widgets::StackPart> parts;  // categories in use, then what is planned beyond them
    std::vector<widgets::BarGroup> groups;
    std::vector<widgets::LegendEntry> legend;
    double budget = 0;     // of the smallest card; 0: none
    bool planned = false;  // nobody has measured yet: the parts are those of the plan
};

MemoryBars memoryBars(const models::MemoryModel& memory);

}  // namespace fl::panels
