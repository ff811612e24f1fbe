// SPDX-License-Identifier: Apache-2.0
// Oniguruma (Ruby syntax) and Rust regex to PCRE2: https://github.com/kkos/oniguruma doc/RE.
#include <array>
#include <optional>
#include <utility>

#include <fmt/core.h>

#include "engine/tokenizer/pattern.h"

namespace fl::tokenizer {

namespace {

using NamedCategory = std::pair<std::string_view, std::string_view>;
constexpr auto kLongCategories = std::to_array<NamedCategory>({
    {"Letter", "L"},
    {"Uppercase_Letter", "Lu"},
    {"Lowercase_Letter", "Ll"},
    {"Titlecase_Letter", "Lt"},
    {"Modifier_Letter", "Lm"},
    {"Other_Letter", "Lo"},
    {"Mark", "M"},
    {"Number", "N"},
    {"Decimal_Number", "Nd"},
    {"Punctuation", "P"},
    {"Symbol", "S"},
    {"Separator", "Z"},
    {"Other", "C"},
});
// Binary properties that both sides spell alike.
constexpr auto kProperties = std::to_array<std::string_view>(
    {"Any", "Alphabetic", "Emoji", "Lowercase", "Uppercase", "White_Space", "L&"});

class Translator {
public:
    explicit Translator(std::string_view source) : source_(source) {}

    Result<std::string> run() {
        while (at_ < source_.size()) {
            const char c = source_[at_];
            if (c == '\\') {
                FL_DO(escape());
            } else if (inClass_) {
                FL_DO(classCharacter(c));
            } else {
                if (c == '[')
                    openClass();
                else
                    copy(1);
            }
        }
        return std::move(out_);
    }

private:
    void copy(std::size_t count) {
        out_ += source_.substr(at_, count);
        at_ += count;
    }

    Error refuse(const std::string& what) const {
        return {ErrorCode::Unsupported,
                fmt::format("pattern '{}': {} at byte {} is not supported", source_, what, at_)};
    }

    void openClass() {
        inClass_ = true;
        classBegin_ = out_.size();
        copy(1);
        if (at_ < source_.size() && source_[at_] == '^')
            copy(1);
        // A bracket in first place is a member in PCRE2 as it is here.
        if (at_ < source_.size() && source_[at_] == ']')
            copy(1);
    }

    Status classCharacter(char c) {
        if (c == '[') {
            if (source_.substr(at_, 2) != "[:")
                return refuse("a class inside a class");
            const std::size_t end = source_.find(":]", at_);
            if (end == std::string_view::npos)
                return refuse("an open [: class");
            copy(end + 2 - at_);
            return Done{};
        }
        if (source_.substr(at_, 2) == "&&")
            return intersect();
        copy(1);
        if (c == ']')
            return closeClass();
        return Done{};
    }

    // [a&&[b]] is (?:(?=[a])[b]): all but the last are looked at ahead.
    Status intersect() {
        const std::string left = out_.substr(classBegin_);
        const bool unclear = left == "[" || (ahead_.empty() && left.starts_with("[^"));
        if (source_.substr(at_, 3) != "&&[" || unclear)
            return refuse("such an intersection of classes");
        ahead_ += "(?=" + left + "])";
        out_.resize(classBegin_);
        at_ += 2;
        openClass();
        return Done{};
    }

    // Of an intersection the outer class goes on behind an inner one.
    Status closeClass() {
        if (ahead_.empty()) {
            inClass_ = false;
            return Done{};
        }
        if (source_.substr(at_, 3) == "&&[") {
            out_.pop_back();  // intersect() closes it
            return intersect();
        }
        if (at_ >= source_.size() || source_[at_] != ']')
            return refuse("such an intersection of classes");
        out_.insert(classBegin_, "(?:" + ahead_);
        out_ += ')';
        ++at_;
        ahead_.clear();
        inClass_ = false;
        return Done{};
    }

    Status escape() {
        if (at_ + 1 >= source_.size())
            return refuse("a backslash at the end");
        switch (source_[at_ + 1]) {
            case 'u':
                return codePoint(4);
            case 'U':
                return codePoint(8);
            case 'h':
                out_ += inClass_ ? "0-9A-Fa-f" : "[0-9A-Fa-f]";
                at_ += 2;
                return Done{};
            case 'H':
                if (inClass_)
                    return refuse("\\H in a class");
                out_ += "[^0-9A-Fa-f]";
                at_ += 2;
                return Done{};
            case 'p':
            case 'P':
                return property();
            default:
                copy(2);
                return Done{};
        }
    }

    // \u3042 and \u{3042} are \x{3042}.
    Status codePoint(std::size_t digits) {
        std::size_t begin = at_ + 2;
        std::size_t after = begin + digits;
        if (begin < source_.size() && source_[begin] == '{') {
            after = source_.find('}', ++begin);
            digits = after == std::string_view::npos ? 0 : after - begin;
            ++after;
        }
        if (digits == 0 || begin + digits > source_.size())
            return refuse("an incomplete code point");
        out_ += fmt::format("\\x{{{}}}", source_.substr(begin, digits));
        at_ = after;
        return Done{};
    }

    Status property() {
        if (at_ + 2 >= source_.size() || source_[at_ + 2] != '{') {
            copy(3 <= source_.size() - at_ ? 3 : 2);
            return Done{};
        }
        const std::size_t end = source_.find('}', at_);
        if (end == std::string_view::npos)
            return refuse("an open property");
        std::string_view name = source_.substr(at_ + 3, end - at_ - 3);
        out_ += source_.substr(at_, 3);
        if (!name.empty() && name.front() == '^') {
            out_ += '^';
            name.remove_prefix(1);
        }
        out_ += pcreProperty(name);
        out_ += '}';
        at_ = end + 1;
        return Done{};
    }

    static std::string pcreProperty(std::string_view name) {
        for (const std::string_view prefix : {"Script=", "sc=", "script="}) {
            if (name.substr(0, prefix.size()) == prefix)
                return "sc:" + std::string(name.substr(prefix.size()));
        }
        for (const auto& [longName, category] : kLongCategories) {
            if (name == longName)
                return std::string(category);
        }
        for (const std::string_view known : kProperties) {
            if (name == known)
                return std::string(name);
        }
        if (name.size() <= 2)
            return std::string(name);
        // A bare script name means script extensions in PCRE2, the script itself elsewhere.
        return "sc:" + std::string(name);
    }

    std::string_view source_;
    std::size_t at_ = 0;
    bool inClass_ = false;
    std::size_t classBegin_ = 0;  // in out_
    std::string ahead_;           // of an intersection: what its classes so far ask for
    std::string out_;
};

}  // namespace

Result<std::string> toPcre(std::string_view source) {
    return Translator(source).run();
}

}  // namespace fl::tokenizer
