// SPDX-License-Identifier: GPL-3.0-or-later
// The words and numbers of the window, as QString: the same formats as terminal and log.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <QString>

#include "engine/base/visible.h"

namespace fl::models {

inline QString qt(const std::string& text) {
    return QString::fromStdString(text);
}

// Of a name from outside: see fl::visible().
inline QString shown(const std::string& text) {
    return qt(visible(text));
}

QString bytesText(std::int64_t bytes);    // "61.2 GiB"
QString countText(std::int64_t count);    // "131,072"
QString durationText(double seconds);     // "1 min 44 s"
QString rateText(double bytesPerSecond);  // "3.43 GiB/s"
// Number of `bytes` in GiB, MiB or KiB, whichever `unitOf` picked for the largest of a column.
QString bytesIn(std::int64_t bytes, const QString& unit);
QString unitOf(std::int64_t largest);
double unitBytes(const QString& unit);
// "0–5", "3", "1, 4, 7": consecutive numbers joined by an en dash. `numbers` ascending.
QString rangesText(const std::vector<int>& numbers);
// Wall clock of a unix time in local time, "19:52.804" within the hour or "14:19:52.806".
QString clockText(double unixSeconds);

}  // namespace fl::models
