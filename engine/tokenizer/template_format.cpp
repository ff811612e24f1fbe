// SPDX-License-Identifier: Apache-2.0
// Python's "%" and str.format.
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include <fmt/core.h>

#include "engine/tokenizer/template_runtime.h"
#include "engine/tokenizer/template_strings.h"
#include "engine/tokenizer/utf8.h"

namespace fl::tokenizer::jinja {

namespace {

// A field wider than this is no layout but an attempt at memory.
constexpr std::int64_t kMaxWidth = 1000;

struct FieldSpec {
    std::string fill = " ";
    char align = '\0';  // '<', '>', '^', '='
    char sign = '\0';   // '+' or ' '
    bool alternate = false;
    char grouping = '\0';  // ',' or '_'
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

std::string grouped(std::string digits, char sign, std::size_t size) {
    const std::size_t point =
        std::min(digits.find_first_not_of("0123456789abcdefABCDEF"), digits.size());
    for (std::size_t at = point; at > size; at -= size)
        digits.insert(at - size, 1, sign);
    return digits;
}

// What stands before the digits of another base.
std::string basePrefix(const FieldSpec& spec) {
    if (!spec.alternate || std::string_view("xXob").find(spec.type) == std::string_view::npos)
        return "";
    return std::string("0") + spec.type;
}

std::string integerDigits(std::uint64_t magnitude, char type) {
    switch (type) {
        case 'x':
            return fmt::format("{:x}", magnitude);
        case 'X':
            return fmt::format("{:X}", magnitude);
        case 'o':
            return fmt::format("{:o}", magnitude);
        case 'b':
            return fmt::format("{:b}", magnitude);
        default:
            return std::to_string(magnitude);
    }
}

// Without sign. `precision` < 0: as the type has it.
std::string floatDigits(double magnitude, const FieldSpec& spec) {
    const int precision = spec.precision < 0 ? 6 : static_cast<int>(spec.precision);
    switch (spec.type) {
        case 'f':
        case 'F':
            return fmt::format("{:.{}f}", magnitude, precision);
        case 'e':
            return fmt::format("{:.{}e}", magnitude, precision);
        case 'E':
            return fmt::format("{:.{}E}", magnitude, precision);
        case 'g':
            return fmt::format("{:.{}g}", magnitude, precision);
        case 'G':
            return fmt::format("{:.{}G}", magnitude, precision);
        case '%':
            return fmt::format("{:.{}f}%", magnitude * 100, precision);
        default:
            break;
    }
    if (spec.precision < 0)
        return floatRepr(magnitude);
    std::string out = fmt::format("{:.{}g}", magnitude, std::max(precision, 1));
    if (std::isfinite(magnitude) && out.find_first_of(".e") == std::string::npos)
        out += ".0";
    return out;
}

// Sign, base prefix and digits of a number.
struct NumberText {
    std::string before;
    std::string digits;
};

bool isFloatType(char type) {
    return std::string_view("fFeEgG%").find(type) != std::string_view::npos;
}

Result<NumberText> numberText(const Value& value, const FieldSpec& spec) {
    NumberText out;
    const bool asFloat = isFloatType(spec.type) || (spec.type == '\0' && value.isFloat());
    bool negative = false;
    if (asFloat) {
        const double number = value.number();
        negative = std::signbit(number) && !std::isnan(number);
        out.digits = floatDigits(std::fabs(number), spec);
    } else if (const BigInteger* big = value.asBigInteger()) {
        negative = big->digits[0] == '-';
        out.digits = big->digits.substr(negative ? 1 : 0);
    } else {
        if (value.isFloat() && !(std::fabs(value.number()) < 9e18))
            return typeError("cannot convert float to an integer");
        const std::int64_t number =
            value.isFloat() ? static_cast<std::int64_t>(value.number()) : value.integer();
        negative = number < 0;
        out.digits = integerDigits(
            negative ? ~static_cast<std::uint64_t>(number) + 1 : static_cast<std::uint64_t>(number),
            spec.type);
    }
    if (spec.grouping != '\0')
        out.digits = grouped(std::move(out.digits), spec.grouping,
                             std::string_view("xXob").find(spec.type) < 4 ? 4 : 3);
    out.before = negative ? "-" : spec.sign == '\0' ? "" : std::string(1, spec.sign);
    out.before += basePrefix(spec);
    return out;
}

std::string padded(const NumberText& text, const FieldSpec& spec, char align) {
    const std::int64_t missing =
        spec.width - countCodePoints(text.before) - countCodePoints(text.digits);
    std::string fill;
    const auto fills = [&](std::int64_t count) {
        std::string out;
        for (std::int64_t i = 0; i < count; ++i)
            out += spec.fill;
        return out;
    };
    if (missing <= 0)
        return text.before + text.digits;
    if (align == '=')
        return text.before + fills(missing) + text.digits;
    if (align == '^')
        return fills(missing / 2) + text.before + text.digits + fills(missing - missing / 2);
    return align == '<' ? text.before + text.digits + fills(missing)
                        : fills(missing) + text.before + text.digits;
}

std::string cut(std::string text, std::int64_t precision) {
    if (precision < 0 || countCodePoints(text) <= precision)
        return text;
    return fromCodePoints(toCodePoints(text).substr(0, static_cast<std::size_t>(precision)));
}

std::string asciiRepr(const Value& value) {
    std::string out;
    for (const char32_t code : toCodePoints(toRepr(value))) {
        if (code < 0x80)
            out += static_cast<char>(code);
        else if (code < 0x100)
            out += fmt::format("\\x{:02x}", static_cast<std::uint32_t>(code));
        else if (code < 0x10000)
            out += fmt::format("\\u{:04x}", static_cast<std::uint32_t>(code));
        else
            out += fmt::format("\\U{:08x}", static_cast<std::uint32_t>(code));
    }
    return out;
}

Result<std::string> characterOf(const Value& value) {
    if (value.isString() && countCodePoints(value.string()) == 1)
        return value.string();
    if (!value.isIntegral() || value.integer() < 0 || value.integer() > 0x10FFFF)
        return typeError("%c requires a character or its number");
    std::string out;
    appendUtf8(out, static_cast<char32_t>(value.integer()));
    return out;
}

// The flags, width, precision and type behind a "%", and the values they take.
class PercentFormat {
public:
    PercentFormat(const Value& format, const Value& values, std::int64_t limit)
        : format_(format.string()),
          isMarkup_(format.isMarkup()),
          mapping_(values.asDict() != nullptr ? &values : nullptr),
          limit_(limit) {
        // Whatever takes an index counts as a mapping, of which not all need be used.
        const List* sequence = values.asList();
        mayBeLeft_ = mapping_ != nullptr || values.isUndefined() ||
                     (sequence != nullptr && sequence->isSequence() && !sequence->isTuple());
        const List* tuple = values.asList();
        values_ = tuple != nullptr && tuple->isTuple() ? tuple->items : std::vector<Value>{values};
    }

    Result<std::string> run() {
        while (at_ < format_.size()) {
            if (static_cast<std::int64_t>(out_.size()) > limit_)
                break;
            const char c = format_[at_++];
            if (c != '%') {
                out_ += c;
            } else if (at_ < format_.size() && format_[at_] == '%') {
                out_ += format_[at_++];
            } else {
                FL_DO(field());
            }
        }
        if (used_ < values_.size() && !mayBeLeft_)
            return typeError("not all arguments converted during string formatting");
        return std::move(out_);
    }

private:
    Result<Value> next() {
        if (used_ == values_.size())
            return typeError("not enough arguments for format string");
        return values_[used_++];
    }

    Status size(std::int64_t& out) {
        if (at_ < format_.size() && format_[at_] == '*') {
            ++at_;
            FL_TRY(const Value given, next());
            if (!given.isIntegral() || given.integer() > kMaxWidth || given.integer() < -kMaxWidth)
                return typeError("* wants an integer of bounded size");
            out = given.integer();
            return Done{};
        }
        FL_TRY(out, readNumber(format_, at_));
        return Done{};
    }

    Status field() {
        std::optional<Value> value;
        if (at_ < format_.size() && format_[at_] == '(') {
            const std::size_t end = format_.find(')', at_);
            if (end == std::string::npos || mapping_ == nullptr)
                return typeError("format requires a mapping");
            const std::string key = format_.substr(at_ + 1, end - at_ - 1);
            const Value* found = mapping_->asDict()->find(std::string_view(key));
            if (found == nullptr)
                return typeError("KeyError: " + toRepr(Value(key)));
            value = *found;
            at_ = end + 1;
        }
        FieldSpec spec;
        spec.align = '>';
        bool zero = false;
        for (; at_ < format_.size() && std::string_view("-0+ #").find(format_[at_]) < 5; ++at_) {
            spec.align = format_[at_] == '-' ? '<' : spec.align;
            zero = zero || format_[at_] == '0';
            if (format_[at_] == '+' || (format_[at_] == ' ' && spec.sign == '\0'))
                spec.sign = format_[at_];
            spec.alternate = spec.alternate || format_[at_] == '#';
        }
        FL_DO(size(spec.width));
        if (spec.width < 0) {
            spec.align = '<';
            spec.width = -spec.width;
        }
        if (at_ < format_.size() && format_[at_] == '.') {
            ++at_;
            FL_DO(size(spec.precision));
        }
        if (at_ == format_.size())
            return typeError("incomplete format");
        spec.type = format_[at_++];
        if (!value) {
            FL_TRY(value, next());
        }
        return put(*value, spec, zero);
    }

    Status put(const Value& value, FieldSpec spec, bool zero) {
        if (std::string_view("diuxXofFeEgG").find(spec.type) != std::string_view::npos) {
            if (!value.isNumber())
                return typeError(fmt::format("%{} format: a real number is required, not {}",
                                             spec.type, value.typeName()));
            const bool whole = std::string_view("xXo").find(spec.type) != std::string_view::npos;
            if (whole && value.isFloat())
                return typeError(fmt::format("%{} format: an integer is required", spec.type));
            if (zero && spec.align != '<') {
                spec.fill = "0";
                spec.align = '=';
            }
            if (spec.type == 'i' || spec.type == 'u')
                spec.type = 'd';
            const std::int64_t digits = isFloatType(spec.type) ? 0 : spec.precision;
            FL_TRY(NumberText text, numberText(value, spec));
            if (const auto size = static_cast<std::int64_t>(text.digits.size()); size < digits)
                text.digits.insert(0, static_cast<std::size_t>(digits - size), '0');
            out_ += padded(text, spec, spec.align);
            return Done{};
        }
        std::string text;
        if (spec.type == 's')
            text = isMarkup_ ? escaped(value) : toStr(value);
        else if (spec.type == 'r')
            text = toRepr(value);
        else if (spec.type == 'a')
            text = asciiRepr(value);
        else if (spec.type == 'c') {
            FL_TRY(text, characterOf(value));
        } else {
            return typeError(fmt::format("unsupported format character '{}'", spec.type));
        }
        out_ += padded({"", cut(std::move(text), spec.precision)}, spec, spec.align);
        return Done{};
    }

    const std::string& format_;
    bool isMarkup_;
    const Value* mapping_;
    bool mayBeLeft_ = false;
    std::int64_t limit_;
    std::vector<Value> values_;
    std::size_t used_ = 0;
    std::size_t at_ = 0;
    std::string out_;
};

// "[[fill]align][sign][#][0][width][grouping][.precision][type]"
Result<FieldSpec> readSpec(std::string_view text) {
    FieldSpec spec;
    std::size_t at = 0;
    constexpr std::string_view kAligns = "<>^=";
    const std::size_t first = text.empty() ? 0 : decodeUtf8(text, 0).bytes;
    if (first < text.size() && kAligns.find(text[first]) != std::string_view::npos) {
        spec.fill = text.substr(0, first);
        spec.align = text[first];
        at = first + 1;
    } else if (!text.empty() && kAligns.find(text[0]) != std::string_view::npos) {
        spec.align = text[at++];
    }
    const auto take = [&](std::string_view signs) {
        const bool found = at < text.size() && signs.find(text[at]) != std::string_view::npos;
        return found ? text[at++] : '\0';
    };
    const char sign = take("+- ");
    spec.sign = sign == '-' ? '\0' : sign;
    spec.alternate = take("#") != '\0';
    if (take("0") != '\0' && spec.align == '\0') {
        spec.fill = "0";
        spec.align = '0';  // in front of the digits, or behind a text
    }
    FL_TRY(spec.width, readNumber(text, at));
    spec.grouping = take(",_");
    if (take(".") != '\0') {
        if (at == text.size() || text[at] < '0' || text[at] > '9')
            return typeError("format specifier missing precision");
        FL_TRY(spec.precision, readNumber(text, at));
    }
    if (at < text.size())
        spec.type = text[at++];
    if (at < text.size())
        return typeError(fmt::format("invalid format specifier '{}'", text));
    return spec;
}

Result<std::string> formatted(const Value& value, std::string_view described) {
    if (described.empty())
        return toStr(value);
    FL_TRY(const FieldSpec spec, readSpec(described));
    if (value.isString()) {
        if (spec.type != '\0' && spec.type != 's')
            return typeError(
                fmt::format("unknown format code '{}' for object of type 'str'", spec.type));
        if (spec.align == '=' || spec.sign != '\0' || spec.grouping != '\0')
            return typeError("this format is not for texts");
        const char align = spec.align == '\0' || spec.align == '0' ? '<' : spec.align;
        return padded({"", cut(value.string(), spec.precision)}, spec, align);
    }
    if (!value.isNumber())
        return typeError(fmt::format("unsupported format string passed to {}", value.typeName()));
    if (spec.type == 'c') {
        FL_TRY(const std::string text, characterOf(value));
        return padded({"", text}, spec, spec.align == '\0' ? '<' : spec.align);
    }
    const bool whole = std::string_view("dxXobn").find(spec.type) != std::string_view::npos;
    if ((whole && value.isFloat()) || (!whole && spec.type != '\0' && !isFloatType(spec.type)))
        return typeError(fmt::format("unknown format code '{}' for object of type '{}'", spec.type,
                                     value.typeName()));
    if (!value.isFloat() && !isFloatType(spec.type) && spec.precision >= 0)
        return typeError("precision not allowed in integer format specifier");
    FL_TRY(const NumberText text, numberText(value, spec));
    const char align = spec.align == '\0' ? '>' : spec.align == '0' ? '=' : spec.align;
    return padded(text, spec, align);
}

class BraceFormat {
public:
    BraceFormat(const Value& format, const Arguments& arguments, std::int64_t limit)
        : arguments_(arguments),
          isMarkup_(format.isMarkup()),
          limit_(limit) {}

    // `depth` 1 is a specification with fields of its own: "{:>{width}}".
    Result<std::string> run(std::string_view format, int depth) {
        std::string out;
        for (std::size_t at = 0; at < format.size(); ++at) {
            if (static_cast<std::int64_t>(out.size()) > limit_)
                break;
            const char c = format[at];
            if (c != '{' && c != '}') {
                out += c;
            } else if (depth == 0 && at + 1 < format.size() && format[at + 1] == c) {
                out += c;
                ++at;
            } else {
                const std::size_t end = c == '{' ? fieldEnd(format, at) : std::string_view::npos;
                if (end == std::string_view::npos)
                    return typeError("single brace in format string");
                FL_TRY(const std::string text, field(format.substr(at + 1, end - at - 1), depth));
                out += text;
                at = end;
            }
        }
        return out;
    }

private:
    static std::size_t fieldEnd(std::string_view format, std::size_t begin) {
        int open = 0;
        for (std::size_t at = begin; at < format.size(); ++at) {
            open += format[at] == '{' ? 1 : format[at] == '}' ? -1 : 0;
            if (open == 0)
                return at;
        }
        return std::string_view::npos;
    }

    Result<std::string> field(std::string_view text, int depth) {
        if (depth > 1)
            return typeError("max string recursion exceeded");
        std::string spec;
        if (const std::size_t colon = text.find(':'); colon != std::string_view::npos) {
            FL_TRY(spec, run(text.substr(colon + 1), depth + 1));
            text = text.substr(0, colon);
        }
        char conversion = '\0';
        if (const std::size_t mark = text.find('!'); mark != std::string_view::npos) {
            if (mark + 2 != text.size() || std::string_view("rsa").find(text[mark + 1]) > 2)
                return typeError("unknown conversion in a format string");
            conversion = text[mark + 1];
            text = text.substr(0, mark);
        }
        FL_TRY(Value value, named(text));
        if (conversion != '\0')
            value = Value(conversion == 'r'   ? toRepr(value)
                          : conversion == 'a' ? asciiRepr(value)
                                              : toStr(value));
        FL_TRY(std::string out, formatted(value, spec));
        return isMarkup_ ? escaped(value.isMarkup() ? Value::markup(out) : Value(out)) : out;
    }

    // "0", "name", "" (the next), and what is behind: ".attribute", "[key]".
    Result<Value> named(std::string_view text) {
        const std::size_t end = std::min(text.find_first_of(".["), text.size());
        FL_TRY(Value value, first(text.substr(0, end)));
        for (std::size_t at = end; at < text.size();) {
            if (text[at] == '[') {
                const std::size_t close = text.find(']', at);
                if (close == std::string_view::npos)
                    return typeError("missing ']' in format string");
                const std::string key(text.substr(at + 1, close - at - 1));
                const bool isIndex = !key.empty() && key.size() < 10 &&
                                     key.find_first_not_of("0123456789") == std::string::npos;
                FL_TRY(value,
                       itemOf(value, isIndex ? Value(std::int64_t{std::stol(key)}) : Value(key)));
                at = close + 1;
            } else {
                const std::size_t next = std::min(text.find_first_of(".[", at + 1), text.size());
                FL_TRY(value, attributeOf(value, std::string(text.substr(at + 1, next - at - 1))));
                at = next;
            }
            if (value.isUndefined())
                return typeError(value.undefinedMessage());
        }
        return value;
    }

    Result<Value> first(std::string_view name) {
        const bool isNumber = name.find_first_not_of("0123456789") == std::string_view::npos;
        if (isNumber) {
            std::size_t index = next_;
            if (name.empty())
                ++next_;
            else
                std::from_chars(name.data(), name.data() + name.size(), index);
            if (index >= arguments_.positional.size())
                return typeError(fmt::format("format has no argument {}", index));
            return arguments_.positional[index];
        }
        for (const auto& [known, value] : arguments_.named) {
            if (known == name)
                return value;
        }
        return typeError(fmt::format("format has no argument '{}'", name));
    }

    const Arguments& arguments_;
    bool isMarkup_;
    std::int64_t limit_;
    std::size_t next_ = 0;
};

}  // namespace

Result<std::string> percentFormat(const Value& format, const Value& values, std::int64_t limit) {
    return PercentFormat(format, values, limit).run();
}

Result<std::string> braceFormat(const Value& format,
                                const Arguments& arguments,
                                std::int64_t limit) {
    return BraceFormat(format, arguments, limit).run(format.string(), 0);
}

}  // namespace fl::tokenizer::jinja
