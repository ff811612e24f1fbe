// SPDX-License-Identifier: GPL-3.0-or-later
// The arithmetic of charts: steps, tops and labels of axes.
#pragma once

#include <QString>
#include <QVector>

namespace fl::widgets {

// "1,000", "−2.5": with the locale's separators and the true minus sign.
QString axisNumber(double value);

// "10⁻²" of 0.01.
QString powerText(double value);

// How long ago: "now", "−30 s", "−2 min", "−1.5 h".
QString ageText(double seconds);

// Distance of the labels of a time axis that spans so many seconds: five labels at most.
double timeStep(double span);

// The places now, now − step, … that lie between the two, ascending.
QVector<double> agesBack(double now, double step, double lower, double upper);

// Distance of the labels of an axis that starts at 0, shows values up to `top` and has `intervals`
// of them: a round number, with a little air above the highest value.
double niceStep(double top, int intervals);

// "61.2 GiB"; "none" for NaN.
QString valueText(double value, const QString& unit, int decimals);

}  // namespace fl::widgets
