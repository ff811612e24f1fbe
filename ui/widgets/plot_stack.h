// SPDX-License-Identifier: GPL-3.0-or-later
// Stacked bars as data: what a bar chart shows and what its read-out says.
#pragma once

#include <vector>

#include <QString>
#include <QVector>

#include "ui/widgets/key_value_list.h"

namespace fl::widgets {

// One category of a stack, a value per bar, bottom first. Series −1: planned, drawn in bg3 and not
// counted as in use.
struct StackPart {
    QString name;
    int series = 1;
    QVector<double> values;
};

// Bars that stand together under one name: the ranks of a node.
struct BarGroup {
    QString name;
    int count = 0;
};

int barCount(const std::vector<BarGroup>& groups);

// Height of the highest stack, planned parts included.
double stackTop(const std::vector<StackPart>& parts);

// Rows of the read-out for one bar, top part first, then the sum in use.
std::vector<KeyValue> stackRows(const std::vector<StackPart>& parts,
                                int bar,
                                const QString& unit,
                                int decimals);

}  // namespace fl::widgets
