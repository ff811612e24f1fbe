// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/text.h"

#include <algorithm>
#include <cctype>
#include <cmath>

#include <QDateTime>

#include "engine/base/text.h"

namespace fl::models {

QString bytesText(std::int64_t bytes) {
    return qt(fl::formatBytes(bytes));
}

QString countText(std::int64_t count) {
    return qt(fl::formatCount(count));
}

QString durationText(double seconds) {
    return qt(fl::formatDuration(seconds));
}

QString rateText(double bytesPerSecond) {
    return bytesText(std::llround(bytesPerSecond)) + QStringLiteral("/s");
}

QString unitOf(std::int64_t largest) {
    if (largest >= (std::int64_t{1} << 30))
        return QStringLiteral("GiB");
    return largest >= (std::int64_t{1} << 20) ? QStringLiteral("MiB") : QStringLiteral("KiB");
}

double unitBytes(const QString& unit) {
    if (unit == QLatin1String("GiB"))
        return double(std::int64_t{1} << 30);
    return unit == QLatin1String("MiB") ? double(1 << 20) : 1024.0;
}

QString bytesIn(std::int64_t bytes, const QString& unit) {
    return QString::number(double(bytes) / unitBytes(unit), 'f', 1);
}

QString rangesText(const std::vector<int>& numbers) {
    QString text;
    for (std::size_t i = 0; i < numbers.size();) {
        std::size_t last = i;
        while (last + 1 < numbers.size() && numbers[last + 1] == numbers[last] + 1)
            ++last;
        if (!text.isEmpty())
            text += QStringLiteral(", ");
        text += QString::number(numbers[i]);
        if (last > i)
            text += (last == i + 1 ? QStringLiteral(", ") : QStringLiteral("–")) +
                    QString::number(numbers[last]);
        i = last + 1;
    }
    return text;
}

QString clockText(double unixSeconds) {
    return QDateTime::fromMSecsSinceEpoch(std::llround(unixSeconds * 1000))
        .toString(QStringLiteral("HH:mm:ss.zzz"));
}

}  // namespace fl::models
