// SPDX-License-Identifier: GPL-3.0-or-later
// Steps, tops and labels of axes.
#include "ui/widgets/plot_scale.h"

#include <cmath>

#include <QCoreApplication>
#include <QLocale>

namespace fl::widgets {

namespace {
// Share of air above the highest value.
constexpr double kAir = 1.04;
}  // namespace

QString axisNumber(double value) {
    return QLocale().toString(value, 'g', 6).replace(QLatin1Char('-'), QChar(0x2212));
}

QString powerText(double value) {
    static const QString kRaised = QStringLiteral("⁰¹²³⁴⁵⁶⁷⁸⁹");
    QString text = QStringLiteral("10");
    const int power = int(std::lround(std::log10(value)));
    if (power < 0) {
        text += QChar(0x207B);
    }
    for (const QChar digit : QString::number(std::abs(power))) {
        text += kRaised[digit.digitValue()];
    }
    return text;
}

QString ageText(double seconds) {
    const QString minus(QChar(0x2212));
    if (seconds < 0.5) {
        return QCoreApplication::translate("PlotScale", "now");
    }
    if (seconds < 120) {
        return minus + QCoreApplication::translate("PlotScale", "%1 s").arg(std::lround(seconds));
    }
    if (seconds < 7200) {
        return minus + QCoreApplication::translate("PlotScale", "%1 min")
                           .arg(axisNumber(std::round(seconds / 6) / 10));
    }
    return minus + QCoreApplication::translate("PlotScale", "%1 h")
                       .arg(axisNumber(std::round(seconds / 360) / 10));
}

double timeStep(double span) {
    for (const double step :
         {1.0, 2.0, 5.0, 10.0, 15.0, 30.0, 60.0, 120.0, 300.0, 600.0, 1800.0, 3600.0}) {
        if (span / step <= 4.01) {
            return step;
        }
    }
    return 3600.0 * std::ceil(span / 4 / 3600);
}

QVector<double> agesBack(double now, double step, double lower, double upper) {
    const double slack = step * 1e-6;
    QVector<double> places;
    const double behind = now > upper ? std::ceil((now - upper) / step - 1e-6) : 0;
    for (double place = now - behind * step; place >= lower - slack; place -= step) {
        if (place <= upper + slack) {
            places.prepend(place);
        }
    }
    return places;
}

double niceStep(double top, int intervals) {
    if (!(top > 0)) {
        return 1.0 / intervals;
    }
    const double least = top * kAir / intervals;
    const double magnitude = std::pow(10, std::floor(std::log10(least)));
    for (const double step : {1.0, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0}) {
        if (step * magnitude >= least) {
            return step * magnitude;
        }
    }
    return 10 * magnitude;
}

QString valueText(double value, const QString& unit, int decimals) {
    if (std::isnan(value)) {
        return QCoreApplication::translate("PlotScale", "none");
    }
    const QString text = QLocale().toString(value, 'f', decimals);
    return unit.isEmpty() ? text : text + QLatin1Char(' ') + unit;
}

}  // namespace fl::widgets
