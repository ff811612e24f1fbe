// SPDX-License-Identifier: GPL-3.0-or-later
// Sums of stacked bars.
#include "ui/widgets/plot_stack.h"

#include <algorithm>

#include <QCoreApplication>

#include "ui/widgets/plot_scale.h"

namespace fl::widgets {

int barCount(const std::vector<BarGroup>& groups) {
    int count = 0;
    for (const BarGroup& group : groups) {
        count += group.count;
    }
    return count;
}

double stackTop(const std::vector<StackPart>& parts) {
    QVector<double> sums;
    for (const StackPart& part : parts) {
        sums.resize(std::max(sums.size(), part.values.size()));
        for (qsizetype i = 0; i < part.values.size(); ++i) {
            sums[i] += part.values[i];
        }
    }
    return sums.isEmpty() ? 0 : *std::max_element(sums.begin(), sums.end());
}

std::vector<KeyValue> stackRows(const std::vector<StackPart>& parts,
                                int bar,
                                const QString& unit,
                                int decimals) {
    std::vector<KeyValue> rows;
    double sum = 0;
    for (auto part = parts.rbegin(); part != parts.rend(); ++part) {
        const double amount = part->values.value(bar);
        rows.push_back({part->name, valueText(amount, unit, decimals)});
        sum += part->series < 0 ? 0 : amount;
    }
    rows.push_back(
        {QCoreApplication::translate("PlotStack", "In use"), valueText(sum, unit, decimals)});
    return rows;
}

}  // namespace fl::widgets
