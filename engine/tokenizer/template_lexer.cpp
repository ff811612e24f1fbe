// SPDX-License-Identifier: Apache-2.0
#include "engine/tokenizer/template_lexer.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <optional>

#include <fmt/core.h>

#include "engine/tokenizer/template_strings.h"

namespace fl::tokenizer::jinja {

Error errorAt(Location at, std::string_view message, ErrorCode code) {
    return {code, fmt::format("chat template line {}, column {}: {}", at.line, at.column, message)};
}

namespace {

constexpr std::string_view kSpaces = " \t\n\r\v\f";

bool isSpaceByte(char c) {
    return kSpaces.find(c) != std::string_view::npos;
}
bool isDigitByte(char c) {
    return c >= '0' && c <= '9';
}
bool isNameByte(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
           static_cast<unsigned char>(c) >= 0x80;
}

class Lexer {
public:
    explicit Lexer(std::string_view source) : source_(withoutLastLineFeed(source)) {}

    Result<std::vector<Token>> run() {
        while (at_ < source_.size())
            FL_DO(textAndTag());
        add(TokenKind::End, "");
        return std::move(tokens_);
    }

private:
    // Line ends become line feeds, and one at the very end is dropped.
    static std::string withoutLastLineFeed(std::string_view source) {
        std::string out;
        out.reserve(source.size());
        for (std::size_t i = 0; i < source.size(); ++i) {
            if (source[i] != '\r') {
                out += source[i];
                continue;
            }
            out += '\n';
            if (i + 1 < source.size() && source[i + 1] == '\n')
                ++i;
        }
        if (!out.empty() && out.back() == '\n')
            out.pop_back();
        return out;
    }

    std::string_view rest(std::size_t from) const { return std::string_view(source_).substr(from); }
    bool startsWith(std::string_view word) const {
        return rest(at_).substr(0, word.size()) == word;
    }

    Location here() {
        for (; counted_ < at_; ++counted_) {
            if (source_[counted_] == '\n') {
                ++line_;
                lineBegin_ = counted_ + 1;
            }
        }
        return {line_, static_cast<int>(at_ - lineBegin_) + 1};
    }

    void add(TokenKind kind, std::string text) {
        tokens_.push_back({kind, std::move(text), here()});
    }

    // The next tag's first byte, or the end of the source.
    std::size_t nextTag() const {
        std::size_t at = at_;
        while ((at = source_.find('{', at)) != std::string::npos) {
            const char next = at + 1 < source_.size() ? source_[at + 1] : '\0';
            if (next == '{' || next == '%' || next == '#')
                return at;
            ++at;
        }
        return source_.size();
    }

    // Adds the text before `tag`, trimmed at its end as the tag asks.
    void addText(std::size_t tag) {
        std::string_view text = std::string_view(source_).substr(at_, tag - at_);
        const char sign = tag + 2 < source_.size() ? source_[tag + 2] : '\0';
        const bool isTag = tag < source_.size();
        if (isTag && sign == '-') {
            const std::size_t last = text.find_last_not_of(kSpaces);
            text = text.substr(0, last == std::string_view::npos ? 0 : last + 1);
        } else if (isTag && sign != '+' && source_[tag + 1] != '{') {
            const std::size_t lineFeed = text.rfind('\n');
            const bool hasLine = lineFeed != std::string_view::npos;
            const std::size_t begin = hasLine ? lineFeed + 1 : 0;
            if ((hasLine || lineStarting_) &&
                text.find_first_not_of(kSpaces, begin) == std::string_view::npos)
                text = text.substr(0, begin);
        }
        if (!text.empty())
            add(TokenKind::Text, std::string(text));
        at_ = tag;
    }

    Status textAndTag() {
        addText(nextTag());
        if (at_ == source_.size())
            return Done{};
        const char kind = source_[at_ + 1];
        if (kind == '#')
            return comment();
        add(kind == '{' ? TokenKind::OutputBegin : TokenKind::BlockBegin, "");
        at_ += 2;
        if (at_ < source_.size() && (source_[at_] == '-' || source_[at_] == '+'))
            ++at_;
        if (kind == '{')
            return tag('}', TokenKind::OutputEnd);
        const std::size_t first = tokens_.size();
        FL_DO(tag('%', TokenKind::BlockEnd));
        if (tokens_.size() == first + 2 && tokens_[first].text == "raw") {
            tokens_.resize(first - 1);
            // A line feed behind "raw" stays, other than behind any other tag.
            if (source_[tagEnd_ - 3] != '-')
                at_ = tagEnd_;
            return raw();
        }
        return Done{};
    }

    // Behind the closing sign of a tag: what the tag swallows of the text that follows.
    void afterTag(char sign, bool isBlock) {
        const std::size_t begin = at_;
        if (sign == '-') {
            while (at_ < source_.size() && isSpaceByte(source_[at_]))
                ++at_;
        } else if (sign != '+' && isBlock && at_ < source_.size() && source_[at_] == '\n') {
            ++at_;
        }
        lineStarting_ = at_ > begin && source_[at_ - 1] == '\n';
    }

    Status comment() {
        const std::size_t end = source_.find("#}", at_ + 2);
        if (end == std::string::npos)
            return errorAt(here(), "this comment has no end");
        const char sign = end > at_ + 2 ? source_[end - 1] : '\0';
        at_ = end + 2;
        afterTag(sign, true);
        return Done{};
    }

    Status raw() {
        std::size_t tag = at_;
        for (;; ++tag) {
            tag = source_.find("{%", tag);
            if (tag == std::string::npos)
                return errorAt(here(), "raw has no endraw");
            std::size_t word = tag + 2;
            if (word < source_.size() && (source_[word] == '-' || source_[word] == '+'))
                ++word;
            word = std::min(source_.find_first_not_of(kSpaces, word), source_.size());
            if (rest(word).substr(0, 6) == "endraw")
                break;
        }
        addText(tag);
        const std::size_t end = source_.find("%}", at_);
        if (end == std::string::npos)
            return errorAt(here(), "this tag has no end");
        const char sign = source_[end - 1];
        at_ = end + 2;
        afterTag(sign, true);
        return Done{};
    }

    Status tag(char closing, TokenKind endKind) {
        const Location begin = here();
        int open = 0;
        const char close[] = {closing, '}', '\0'};
        while (at_ < source_.size()) {
            if (isSpaceByte(source_[at_])) {
                ++at_;
                continue;
            }
            const char sign = source_[at_];
            const bool isSigned = (sign == '-' || (sign == '+' && closing == '%')) &&
                                  rest(at_ + 1).substr(0, 2) == close;
            if (open == 0 && (isSigned || startsWith(close))) {
                add(endKind, "");
                at_ += isSigned ? 3 : 2;
                tagEnd_ = at_;
                afterTag(isSigned ? sign : '\0', closing == '%');
                return Done{};
            }
            FL_DO(token(open));
        }
        return errorAt(begin, "this tag has no end");
    }

    Status token(int& open) {
        const char c = source_[at_];
        if (c == '\'' || c == '"')
            return stringToken(c);
        if (isDigitByte(c))
            return numberToken();
        if (isNameByte(c)) {
            std::size_t end = at_;
            while (end < source_.size() && (isNameByte(source_[end]) || isDigitByte(source_[end])))
                ++end;
            add(TokenKind::Name, source_.substr(at_, end - at_));
            at_ = end;
            return Done{};
        }
        if (c == '(' || c == '[' || c == '{')
            ++open;
        if ((c == ')' || c == ']' || c == '}') && --open < 0)
            return errorAt(here(), fmt::format("unexpected '{}'", c));
        return operatorToken();
    }

    Status operatorToken() {
        static constexpr auto kOperators = std::to_array<std::string_view>(
            {"==", "!=", "<=", ">=", "//", "**", "+", "-", "*", "/", "%", "~", "<",
             ">",  "=",  ".",  ":",  "|",  ",",  "(", ")", "[", "]", "{", "}"});
        for (const std::string_view known : kOperators) {
            if (startsWith(known)) {
                add(TokenKind::Operator, std::string(known));
                at_ += known.size();
                return Done{};
            }
        }
        return errorAt(here(), fmt::format("unexpected character '{}'", source_[at_]));
    }

    Status stringToken(char quote) {
        std::size_t end = at_ + 1;
        while (end < source_.size() && source_[end] != quote)
            end += source_[end] == '\\' ? 2 : 1;
        if (end >= source_.size())
            return errorAt(here(), "this string has no end");
        auto text = unescaped(rest(at_ + 1).substr(0, end - at_ - 1));
        if (!text)
            return errorAt(here(), text.error().message);
        add(TokenKind::String, *std::move(text));
        at_ = end + 1;
        return Done{};
    }

    // 0x, 0o and 0b; nothing if it is none of these.
    std::optional<Result<std::int64_t>> basedNumber(std::size_t& end) const {
        const std::string_view letters = "xob";
        const std::size_t kind = source_[at_] == '0' && at_ + 1 < source_.size()
                                     ? letters.find(static_cast<char>(source_[at_ + 1] | 0x20))
                                     : std::string_view::npos;
        if (kind == std::string_view::npos)
            return std::nullopt;
        constexpr int kBases[] = {16, 8, 2};
        std::int64_t value = 0;
        std::string digits;
        for (end = at_ + 2;
             end < source_.size() &&
             (std::isalnum(static_cast<unsigned char>(source_[end])) != 0 || source_[end] == '_');
             ++end)
            digits += source_[end];
        std::erase(digits, '_');
        const char* last = digits.data() + digits.size();
        const auto read = std::from_chars(digits.data(), last, value, kBases[kind]);
        if (read.ec != std::errc() || read.ptr != last)
            return typeError("this is no number, or one that is too large");
        return value;
    }

    Status numberToken() {
        std::size_t end = at_;
        if (const auto based = basedNumber(end)) {
            if (!*based)
                return errorAt(here(), based->error().message);
            add(TokenKind::Integer, std::to_string(**based));
            at_ = end;
            return Done{};
        }
        const auto digits = [&] {
            while (end < source_.size() && (isDigitByte(source_[end]) || source_[end] == '_'))
                ++end;
        };
        digits();
        bool isFloat = false;
        if (end + 1 < source_.size() && source_[end] == '.' && isDigitByte(source_[end + 1])) {
            isFloat = true;
            ++end;
            digits();
        }
        if (end < source_.size() && (source_[end] == 'e' || source_[end] == 'E')) {
            std::size_t exponent = end + 1;
            if (exponent < source_.size() && (source_[exponent] == '-' || source_[exponent] == '+'))
                ++exponent;
            if (exponent < source_.size() && isDigitByte(source_[exponent])) {
                isFloat = true;
                end = exponent;
                digits();
            }
        }
        std::string text = source_.substr(at_, end - at_);
        std::erase(text, '_');
        add(isFloat ? TokenKind::Float : TokenKind::Integer, std::move(text));
        at_ = end;
        return Done{};
    }

    std::string source_;
    std::vector<Token> tokens_;
    std::size_t at_ = 0;
    std::size_t tagEnd_ = 0;  // behind the last "%}"
    // Whether the text behind the last tag begins a line.
    bool lineStarting_ = true;
    std::size_t counted_ = 0;
    std::size_t lineBegin_ = 0;
    int line_ = 1;
};

}  // namespace

Result<std::vector<Token>> lex(std::string_view source) {
    return Lexer(source).run();
}

}  // namespace fl::tokenizer::jinja
