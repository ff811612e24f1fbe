// SPDX-License-Identifier: Apache-2.0
// Values as Python prints them: str() and repr().
#include <array>
#include <charconv>
#include <cmath>

#include <fmt/core.h>

#include "engine/tokenizer/template_value.h"
#include "engine/tokenizer/unicode.h"
#include "engine/tokenizer/utf8.h"

namespace fl::tokenizer::jinja {

namespace {

void appendEscaped(std::string& out, char32_t code, char quote) {
    if (code == static_cast<char32_t>(quote) || code == '\\') {
        out += '\\';
        appendUtf8(out, code);
    } else if (code == '\n') {
        out += "\\n";
    } else if (code == '\r') {
        out += "\\r";
    } else if (code == '\t') {
        out += "\\t";
    } else if (isPrintable(code)) {
        appendUtf8(out, code);
    } else if (code < 0x100) {
        out += fmt::format("\\x{:02x}", static_cast<std::uint32_t>(code));
    } else if (code < 0x10000) {
        out += fmt::format("\\u{:04x}", static_cast<std::uint32_t>(code));
    } else {
        out += fmt::format("\\U{:08x}", static_cast<std::uint32_t>(code));
    }
}

std::string stringRepr(const std::string& text) {
    const bool hasSingle = text.find('\'') != std::string::npos;
    const char quote = hasSingle && text.find('"') == std::string::npos ? '"' : '\'';
    std::string out(1, quote);
    for (const char32_t code : toCodePoints(text))
        appendEscaped(out, code, quote);
    out += quote;
    return out;
}

// Stops where the text is longer than anything that may be printed: values that share their parts
// print as a text of exponential length.
class Printer {
public:
    void print(const Value& value, int depth = 0) {
        if (out_.size() > kMaxPrinted)
            return;
        if (depth > kMaxNesting)
            out_ += "...";
        else if (const List* list = value.asList())
            printList(*list, depth + 1);
        else if (const Dict* dict = value.asDict())
            printDict(*dict, depth + 1);
        else if (const Namespace* space = value.asNamespace()) {
            out_ += "<Namespace ";
            printDict(space->attributes, depth + 1);
            out_ += '>';
        } else
            out_ += scalarRepr(value);
    }
    std::string take() { return std::move(out_); }

private:
    void printItems(const List& list, int depth) {
        for (std::size_t i = 0; i < list.items.size() && out_.size() <= kMaxPrinted; ++i) {
            out_ += i == 0 ? "" : ", ";
            print(list.items[i], depth);
        }
    }

    // "range(0, 9, 3)"
    void printRange(const List& list) {
        const std::int64_t begin = list.items.empty() ? 0 : list.items.front().integer();
        const std::int64_t step =
            list.items.size() < 2 ? 1 : list.items[1].integer() - list.items[0].integer();
        const std::int64_t end = list.items.empty() ? 0 : list.items.back().integer() + step;
        out_ += step == 1 ? fmt::format("range({}, {})", begin, end)
                          : fmt::format("range({}, {}, {})", begin, end, step);
    }

    void printList(const List& list, int depth) {
        switch (list.kind) {
            case ListKind::Range:
                return printRange(list);
            case ListKind::Generator:
                out_ += "<generator object>";
                return;
            case ListKind::List:
            case ListKind::Tuple:
            case ListKind::Group:
                out_ += list.isTuple() ? '(' : '[';
                printItems(list, depth);
                if (list.isTuple() && list.items.size() == 1)
                    out_ += ',';
                out_ += list.isTuple() ? ')' : ']';
                return;
            default:
                out_ += fmt::format("{}([",
                                    Value(std::make_shared<List>(List{{}, list.kind})).typeName());
                printItems(list, depth);
                out_ += "])";
        }
    }

    void printDict(const Dict& dict, int depth) {
        out_ += '{';
        for (std::size_t i = 0; i < dict.items.size() && out_.size() <= kMaxPrinted; ++i) {
            out_ += i == 0 ? "" : ", ";
            print(dict.items[i].first, depth);
            out_ += ": ";
            print(dict.items[i].second, depth);
        }
        out_ += '}';
    }

    static std::string scalarRepr(const Value& value) {
        if (value.isString())
            return value.isMarkup() ? "Markup(" + stringRepr(value.string()) + ")"
                                    : stringRepr(value.string());
        if (value.isNone())
            return "None";
        if (value.isBool())
            return value.integer() != 0 ? "True" : "False";
        if (value.isInteger())
            return std::to_string(value.integer());
        if (const BigInteger* big = value.asBigInteger())
            return big->digits;
        if (value.isFloat())
            return floatRepr(value.number());
        if (value.isUndefined())
            return "Undefined";
        if (const Loop* loop = value.asLoop())
            return fmt::format("<LoopContext {}/{}>", loop->index + 1, loop->items.size());
        return fmt::format("<{}>", value.typeName());
    }

    std::string out_;
};

}  // namespace

// Shortest text that reads back the same; exponents from 1e16 and below 1e-4, as CPython.
std::string floatRepr(double value) {
    if (std::isnan(value))
        return "nan";
    if (std::isinf(value))
        return value > 0 ? "inf" : "-inf";
    const double magnitude = std::fabs(value);
    const bool plain = value == 0 || (magnitude >= 1e-4 && magnitude < 1e16);
    std::array<char, 64> buffer{};
    const auto end =
        std::to_chars(buffer.data(), buffer.data() + buffer.size(), value,
                      plain ? std::chars_format::fixed : std::chars_format::scientific);
    std::string out(buffer.data(), end.ptr);
    if (plain && out.find('.') == std::string::npos)
        out += ".0";
    return out;
}

std::string toRepr(const Value& value) {
    Printer printer;
    printer.print(value);
    return printer.take();
}

std::string toStr(const Value& value) {
    if (value.isString())
        return value.string();
    return value.isUndefined() ? std::string() : toRepr(value);
}

}  // namespace fl::tokenizer::jinja
