// SPDX-License-Identifier: Apache-2.0
// strftime in English.
#include <array>
#include <cstdio>
#include <ctime>

#include <fmt/core.h>

#include "engine/tokenizer/template_strings.h"

namespace fl::tokenizer::jinja {

namespace {

constexpr std::array<std::string_view, 7> kDays = {"Sunday",   "Monday", "Tuesday", "Wednesday",
                                                   "Thursday", "Friday", "Saturday"};
constexpr std::array<std::string_view, 12> kMonths = {
    "January", "February", "March",     "April",   "May",      "June",
    "July",    "August",   "September", "October", "November", "December"};

Result<std::string> timePart(char directive, bool bare, const std::tm& time) {
    const auto two = [bare](int number) {
        return bare ? fmt::format("{}", number) : fmt::format("{:02}", number);
    };
    const std::string_view day = kDays[static_cast<std::size_t>(time.tm_wday)];
    const std::string_view month = kMonths[static_cast<std::size_t>(time.tm_mon)];
    switch (directive) {
        case 'Y':
            return fmt::format("{}", time.tm_year + 1900);
        case 'y':
            return two(time.tm_year % 100);
        case 'm':
            return two(time.tm_mon + 1);
        case 'd':
            return two(time.tm_mday);
        case 'e':
            return fmt::format("{:2}", time.tm_mday);
        case 'H':
            return two(time.tm_hour);
        case 'I':
            return two(time.tm_hour % 12 == 0 ? 12 : time.tm_hour % 12);
        case 'M':
            return two(time.tm_min);
        case 'S':
            return two(time.tm_sec);
        case 'p':
            return std::string(time.tm_hour < 12 ? "AM" : "PM");
        case 'A':
            return std::string(day);
        case 'a':
            return std::string(day.substr(0, 3));
        case 'B':
            return std::string(month);
        case 'b':
            return std::string(month.substr(0, 3));
        case 'j':
            return bare ? fmt::format("{}", time.tm_yday + 1)
                        : fmt::format("{:03}", time.tm_yday + 1);
        case '%':
            return std::string("%");
        default:
            return typeError(fmt::format("strftime_now does not know '%{}'", directive));
    }
}

}  // namespace

Result<std::string> formatTime(std::string_view time, std::string_view format) {
    std::tm parts{};
    const std::string text(time);
    if (std::sscanf(text.c_str(), "%4d-%2d-%2dT%2d:%2d:%2d", &parts.tm_year, &parts.tm_mon,
                    &parts.tm_mday, &parts.tm_hour, &parts.tm_min, &parts.tm_sec) != 6)
        return typeError(fmt::format("'{}' is no time", text));
    parts.tm_year -= 1900;
    parts.tm_mon -= 1;
    timegm(&parts);  // fills in the day of the week and of the year
    std::string out;
    for (std::size_t at = 0; at < format.size(); ++at) {
        std::string_view rest = format.substr(at);
        if (rest[0] != '%' || rest.size() == 1) {
            out += rest[0];
            continue;
        }
        // "%-d" is "%d" without zeros.
        const bool bare = rest[1] == '-' && rest.size() > 2;
        FL_TRY(const std::string part, timePart(rest[bare ? 2 : 1], bare, parts));
        out += part;
        at += bare ? 2 : 1;
    }
    return out;
}

}  // namespace fl::tokenizer::jinja
