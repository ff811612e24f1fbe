// SPDX-License-Identifier: Apache-2.0
// Python's "%" and str.format, as far as templates use them, and strftime in English.
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <ctime>

#include <fmt/core.h>

#include "engine/tokenizer/template_strings.h"
#include "engine/tokenizer/utf8.h"

namespace fl::tokenizer::jinja {

namespace {

// A field wider than this is no layout but an attempt at memory.
constexpr std::int64_t kMaxWidth = 1000;

struct FieldSpec {
    bool left = false;
    bool right = false;
    bool center = false;
    bool zero = false;
    bool plus = false;
    bool comma = false;
    std::int64_t width = 0;
    std::int64_t precision = -1;
    char type = '\0';
};

Result<std::int64_t> readNumber(std::string_view text, std::size_t& at) {
    std::int64_t value = 0;
    while (at < text.size() && text[at] >= '0' && text[at] <= '9') {
        value = value * 10 + (text[at++] - '0');
        if (value > kMaxWidth)
            return typeError("a format asks for too many characters");
    }
    return value;
}

Status readWidth(std::string_view text, std::size_t& at, FieldSpec& spec) {
    FL_TRY(spec.width, readNumber(text, at));
    if (at < text.size() && text[at] == ',') {
        spec.comma = true;
        ++at;
    }
    if (at < text.size() && text[at] == '.') {
        ++at;
        FL_TRY(spec.precision, readNumber(text, at));
    }
    return Done{};
}

std::string withThousands(std::string digits) {
    const std::size_t point = std::min(digits.find('.'), digits.size());
    const std::size_t first = !digits.empty() && digits[0] == '-' ? 1 : 0;
    for (std::size_t at = point; at > first + 3; at -= 3)
        digits.insert(at - 3, ",");
    return digits;
}

Result<std::string> fieldBody(const Value& value, const FieldSpec& spec) {
    const int precision = spec.precision < 0 ? 6 : static_cast<int>(spec.precision);
    switch (spec.type) {
        case 'd':
        case 'i':
        case 'x':
        case 'X':
        case 'o': {
            if (!value.isNumber())
                return typeError(fmt::format("a number is required, not {}", value.typeName()));
            const std::int64_t number =
                !value.isIntegral()
                    ? static_cast<std::int64_t>(std::clamp(value.number(), -9e18, 9e18))
                    : value.integer();
            if (spec.type == 'x')
                return fmt::format("{:x}", number);
            if (spec.type == 'X')
                return fmt::format("{:X}", number);
            return spec.type == 'o' ? fmt::format("{:o}", number) : std::to_string(number);
        }
        case 'f':
        case 'F':
        case 'e':
        case 'g':
        case '%':
            if (!value.isNumber())
                return typeError(fmt::format("a number is required, not {}", value.typeName()));
            if (spec.type == 'e')
                return fmt::format("{:.{}e}", value.number(), precision);
            if (spec.type == 'g')
                return fmt::format("{:.{}g}", value.number(), precision);
            if (spec.type == '%')
                return fmt::format("{:.{}f}%", value.number() * 100, precision);
            return fmt::format("{:.{}f}", value.number(), precision);
        case 'r':
            return toRepr(value);
        case 's':
        case '\0': {
            std::string text = toStr(value);
            if (spec.precision >= 0 && countCodePoints(text) > spec.precision)
                text = fromCodePoints(
                    toCodePoints(text).substr(0, static_cast<std::size_t>(spec.precision)));
            return text;
        }
        default:
            return typeError(fmt::format("unknown format type '{}'", spec.type));
    }
}

Result<std::string> field(const Value& value, const FieldSpec& spec) {
    FL_TRY(std::string body, fieldBody(value, spec));
    if (spec.comma)
        body = withThousands(std::move(body));
    const bool isNumeric = value.isNumber() && spec.type != 's' && spec.type != 'r';
    if (spec.plus && isNumeric && body[0] != '-')
        body.insert(0, "+");
    const std::int64_t missing = spec.width - countCodePoints(body);
    if (missing <= 0)
        return body;
    const auto fill = static_cast<std::size_t>(missing);
    if (spec.zero && isNumeric)
        return body.insert(body[0] == '-' || body[0] == '+' ? 1 : 0, fill, '0');
    if (spec.center)
        return std::string(fill / 2, ' ') + body + std::string(fill - fill / 2, ' ');
    const bool goesLeft = spec.left || (!spec.right && !isNumeric);
    return goesLeft ? body + std::string(fill, ' ') : std::string(fill, ' ') + body;
}

}  // namespace

Result<std::string> percentFormat(std::string_view format, const std::vector<Value>& values) {
    std::string out;
    std::size_t used = 0;
    for (std::size_t at = 0; at < format.size();) {
        if (format[at] != '%') {
            out += format[at++];
            continue;
        }
        if (++at < format.size() && format[at] == '%') {
            out += format[at++];
            continue;
        }
        FieldSpec spec;
        spec.right = true;
        for (; at < format.size() && std::string_view("-0+ #").find(format[at]) < 5; ++at) {
            spec.left = spec.left || format[at] == '-';
            spec.zero = spec.zero || format[at] == '0';
            spec.plus = spec.plus || format[at] == '+';
        }
        FL_DO(readWidth(format, at, spec));
        if (at == format.size())
            return typeError("incomplete format");
        spec.type = format[at++];
        if (used == values.size())
            return typeError("not enough arguments for format string");
        FL_TRY(const std::string text, field(values[used++], spec));
        out += text;
    }
    if (used < values.size())
        return typeError("not all arguments converted during string formatting");
    return out;
}

namespace {

Result<FieldSpec> readSpec(std::string_view text) {
    FieldSpec spec;
    std::size_t at = 0;
    for (; at < text.size() && std::string_view("<>^+0").find(text[at]) < 5; ++at) {
        spec.left = spec.left || text[at] == '<';
        spec.right = spec.right || text[at] == '>';
        spec.center = spec.center || text[at] == '^';
        spec.plus = spec.plus || text[at] == '+';
        spec.zero = spec.zero || text[at] == '0';
    }
    FL_DO(readWidth(text, at, spec));
    if (at < text.size())
        spec.type = text[at++];
    if (at < text.size())
        return typeError(fmt::format("unknown format '{}'", text));
    return spec;
}

// The value that "0", "name" or "" (the next) names.
Result<Value> braceValue(std::string_view name,
                         const std::vector<Value>& positional,
                         const std::vector<std::pair<std::string, Value>>& named,
                         std::size_t& next) {
    if (name.empty() || (name[0] >= '0' && name[0] <= '9')) {
        std::size_t index = next;
        if (name.empty())
            ++next;
        else
            std::from_chars(name.data(), name.data() + name.size(), index);
        if (index >= positional.size())
            return typeError(fmt::format("format has no argument {}", index));
        return positional[index];
    }
    for (const auto& [known, value] : named) {
        if (known == name)
            return value;
    }
    return typeError(fmt::format("format has no argument '{}'", name));
}

}  // namespace

Result<std::string> braceFormat(std::string_view format,
                                const std::vector<Value>& positional,
                                const std::vector<std::pair<std::string, Value>>& named) {
    std::string out;
    std::size_t next = 0;
    for (std::size_t at = 0; at < format.size(); ++at) {
        const char c = format[at];
        if (c != '{' && c != '}') {
            out += c;
            continue;
        }
        if (at + 1 < format.size() && format[at + 1] == c) {
            out += c;
            ++at;
            continue;
        }
        const std::size_t end = format.find('}', at);
        if (c == '}' || end == std::string_view::npos)
            return typeError("single brace in format string");
        std::string_view name = format.substr(at + 1, end - at - 1);
        FieldSpec spec;
        if (const std::size_t colon = name.find(':'); colon != std::string_view::npos) {
            FL_TRY(spec, readSpec(name.substr(colon + 1)));
            name = name.substr(0, colon);
        }
        if (name.size() >= 2 && name.substr(name.size() - 2) == "!r") {
            spec.type = 'r';
            name.remove_suffix(2);
        }
        FL_TRY(const Value value, braceValue(name, positional, named, next));
        FL_TRY(const std::string text, field(value, spec));
        out += text;
        at = end;
    }
    return out;
}

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
