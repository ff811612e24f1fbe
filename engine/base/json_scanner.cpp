// SPDX-License-Identifier: Apache-2.0
#include "engine/base/json_scanner.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <cstring>

#include <fmt/core.h>

#include "engine/base/text.h"

namespace fl {

namespace {

constexpr std::uint64_t kOnes = 0x0101010101010101ULL;
constexpr std::uint64_t kHighBits = 0x8080808080808080ULL;

std::uint64_t zeroBytes(std::uint64_t word) {
    return (word - kOnes) & ~word & kHighBits;
}

// Index of the first quote, backslash or control character at or behind `at`. Eight bytes at a
// time: names are long, and this loop sees every byte of them.
std::size_t plainEnd(std::string_view text, std::size_t at) {
    for (; at + 8 <= text.size(); at += 8) {
        std::uint64_t word = 0;
        std::memcpy(&word, text.data() + at, sizeof word);
        const std::uint64_t hits = zeroBytes(word ^ (kOnes * '"')) |
                                   zeroBytes(word ^ (kOnes * '\\')) |
                                   ((word - kOnes * 0x20) & ~word & kHighBits);
        if (hits != 0)
            break;
    }
    while (at < text.size() && text[at] != '"' && text[at] != '\\' &&
           static_cast<unsigned char>(text[at]) >= 0x20)
        ++at;
    return at;
}

bool isDigit(char letter) {
    return letter >= '0' && letter <= '9';
}

bool isWordLetter(char letter) {
    return isDigit(letter) || (letter >= 'a' && letter <= 'z') ||
           (letter >= 'A' && letter <= 'Z') || letter == '_' || letter == '+' || letter == '-' ||
           letter == '.';
}

void appendUtf8(std::string& out, std::uint32_t code) {
    const auto put = [&out](std::uint32_t byte) { out += static_cast<char>(byte); };
    if (code < 0x80) {
        put(code);
    } else if (code < 0x800) {
        put(0xc0 | (code >> 6));
        put(0x80 | (code & 63));
    } else if (code < 0x10000) {
        put(0xe0 | (code >> 12));
        put(0x80 | ((code >> 6) & 63));
        put(0x80 | (code & 63));
    } else {
        put(0xf0 | (code >> 18));
        put(0x80 | ((code >> 12) & 63));
        put(0x80 | ((code >> 6) & 63));
        put(0x80 | (code & 63));
    }
}

std::string hexByte(char byte) {
    return fmt::format("0x{:02x}", static_cast<unsigned char>(byte));
}

bool onlyOf(std::string_view text, std::string_view letters) {
    return text.find_first_not_of(letters) == std::string_view::npos;
}

}  // namespace

std::string JsonFault::message() const {
    return fmt::format("invalid JSON at byte {}: found {}, expected {}", byte + 1, found, expected);
}

std::optional<JsonFault> jsonEncodingFault(std::string_view text) {
    using namespace std::string_view_literals;
    if (text.empty())
        return JsonFault{0, "JSON", "empty file"};
    if (onlyOf(text, "\0"sv))
        return JsonFault{0, "JSON", "only zeros"};
    if (onlyOf(text, " \t\r\n"))
        return JsonFault{0, "JSON", "only spaces"};
    const std::string_view head = text.substr(0, 4);
    // RFC 8259 §8.1; without a mark, a text in another encoding has zeros between its letters.
    if (head == "\xff\xfe\0\0"sv || head == "\0\0\xfe\xff"sv || head.substr(1) == "\0\0\0"sv ||
        head.substr(0, 3) == "\0\0\0"sv)
        return JsonFault{0, "UTF-8", "UTF-32"};
    if (head.starts_with("\xff\xfe") || head.starts_with("\xfe\xff") ||
        (head.size() > 1 && (head[0] == '\0') != (head[1] == '\0')))
        return JsonFault{0, "UTF-8", "UTF-16"};
    if (text.starts_with(kByteOrderMark))
        return JsonFault{0, "no byte order mark", "UTF-8 byte order mark"};
    if (const std::size_t at = utf8Fault(text); at != std::string_view::npos)
        return JsonFault{at, "UTF-8", hexByte(text[at])};
    return std::nullopt;
}

JsonScanner::JsonScanner(std::string_view text, int depthLimit)
    : text_(text),
      depthLimit_(static_cast<std::size_t>(depthLimit)) {}

JsonScanner::Token JsonScanner::next() {
    if (failed_)
        return Token::Fault;
    skipSpace();
    begin_ = at_;
    switch (state_) {
        case State::Value:
        case State::FirstItem:
            return value();
        case State::FirstKey:
        case State::Key:
            return key();
        case State::After:
            return after();
    }
    return Token::Fault;
}

std::optional<std::int64_t> JsonScanner::integer() const {
    std::int64_t out = 0;
    const char* const end = value_.data() + value_.size();
    const auto [stop, problem] = std::from_chars(value_.data(), end, out);
    if (!isInteger_ || problem != std::errc() || stop != end)
        return std::nullopt;
    return out;
}

bool JsonScanner::skip(Token token, int* levels) {
    const int outside = depth() - (token == Token::BeginObject || token == Token::BeginArray);
    int deepest = depth();
    while (token != Token::Fault && (token == Token::Key || depth() > outside)) {
        token = next();
        deepest = std::max(deepest, depth());
    }
    if (levels)
        *levels = deepest - outside;
    return token != Token::Fault;
}

void JsonScanner::skipSpace() {
    while (at_ < text_.size() &&
           (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\r' || text_[at_] == '\t'))
        ++at_;
}

JsonScanner::Token JsonScanner::value() {
    const char letter = current();
    switch (letter) {
        case '{':
            return begin(true);
        case '[':
            return begin(false);
        case ']':
            if (state_ == State::FirstItem)
                return end(false);
            break;
        case '"':
            if (!string())
                return Token::Fault;
            state_ = State::After;
            return Token::String;
        default:
            if (letter == '-' || isDigit(letter))
                return number();
            if (isWordLetter(letter))
                return word();
    }
    return failHere("JSON");
}

JsonScanner::Token JsonScanner::key() {
    const char letter = current();
    if (letter == '}' && state_ == State::FirstKey)
        return end(true);
    if (letter != '"')
        return failHere("JSON");
    if (!string())
        return Token::Fault;
    skipSpace();
    if (current() != ':')
        return failHere(":");
    ++at_;
    afterComma_ = false;
    state_ = State::Value;
    return Token::Key;
}

JsonScanner::Token JsonScanner::after() {
    afterComma_ = false;
    if (isObject_.empty()) {
        if (at_ == text_.size())
            return Token::End;
        const bool another = isDigit(current()) || std::strchr("{[\"-tfn", current()) != nullptr;
        if (current() == '\0')
            return fail("end of text", "NUL", at_);
        return another ? fail("one value", "two", at_) : failHere("end of text");
    }
    if (current() == ',') {
        ++at_;
        afterComma_ = true;
        state_ = isObject_.back() ? State::Key : State::Value;
        return next();
    }
    if (current() == '}' && isObject_.back())
        return end(true);
    if (current() == ']' && !isObject_.back())
        return end(false);
    return failHere("JSON");
}

JsonScanner::Token JsonScanner::begin(bool object) {
    if (isObject_.size() == depthLimit_)
        return failDepth();
    ++at_;
    afterComma_ = false;
    isObject_.push_back(object);
    state_ = object ? State::FirstKey : State::FirstItem;
    return object ? Token::BeginObject : Token::BeginArray;
}

JsonScanner::Token JsonScanner::end(bool object) {
    ++at_;
    isObject_.pop_back();
    state_ = State::After;
    return object ? Token::EndObject : Token::EndArray;
}

JsonScanner::Token JsonScanner::number() {
    std::size_t at = at_;
    const auto digits = [this, &at] {
        const std::size_t first = at;
        while (at < text_.size() && isDigit(text_[at]))
            ++at;
        return at > first;
    };
    const auto letter = [this, &at] { return at < text_.size() ? text_[at] : '\0'; };
    if (letter() == '-')
        ++at;
    const std::size_t first = at;
    bool good = digits() && (text_[first] != '0' || at == first + 1);
    isInteger_ = true;
    if (good && letter() == '.') {
        isInteger_ = false;
        ++at;
        good = digits();
    }
    if (good && (letter() == 'e' || letter() == 'E')) {
        isInteger_ = false;
        ++at;
        if (letter() == '+' || letter() == '-')
            ++at;
        good = digits();
    }
    if (!good || isWordLetter(letter()))
        return word();
    value_ = text_.substr(at_, at - at_);
    if (!isInteger_ && std::isinf(std::strtod(std::string(value_).c_str(), nullptr)))
        return word();
    at_ = at;
    state_ = State::After;
    return Token::Number;
}

// true, false and null; any other word is what people write who do not know JSON.
JsonScanner::Token JsonScanner::word() {
    std::size_t end = at_;
    while (end < text_.size() && isWordLetter(text_[end]))
        ++end;
    const std::string_view found = text_.substr(at_, end - at_);
    const auto accept = [this, end](Token token) {
        at_ = end;
        state_ = State::After;
        return token;
    };
    if (found == "true")
        return accept(Token::True);
    if (found == "false")
        return accept(Token::False);
    if (found == "null")
        return accept(Token::Null);
    const bool number = isDigit(found[0]) || found[0] == '-' || found[0] == '+' ||
                        found[0] == '.' || found == "NaN" || found == "Infinity";
    constexpr std::size_t kShown = 40;
    return fail(number ? "JSON number" : "JSON", std::string(found.substr(0, kShown)), at_);
}

bool JsonScanner::string() {
    const std::size_t first = at_ + 1;
    const std::size_t end = plainEnd(text_, first);
    if (end < text_.size() && text_[end] == '"') {
        value_ = text_.substr(first, end - first);
        isView_ = true;
        at_ = end + 1;
        return true;
    }
    return escapedString();
}

bool JsonScanner::escapedString() {
    resolved_.clear();
    ++at_;
    for (;;) {
        const std::size_t end = plainEnd(text_, at_);
        resolved_.append(text_.substr(at_, end - at_));
        at_ = end;
        if (at_ == text_.size() || (text_[at_] != '"' && text_[at_] != '\\')) {
            failControl();
            return false;
        }
        if (text_[at_] == '"')
            break;
        if (!escape())
            return false;
    }
    ++at_;
    value_ = resolved_;
    isView_ = false;
    return true;
}

bool JsonScanner::escape() {
    constexpr std::string_view kLetters = "\"\\/bfnrt";
    constexpr std::string_view kMeaning = "\"\\/\b\f\n\r\t";
    const char letter = at_ + 1 < text_.size() ? text_[at_ + 1] : '\0';
    if (letter == 'u')
        return unicodeEscape();
    const std::size_t which = letter == '\0' ? std::string_view::npos : kLetters.find(letter);
    if (which == std::string_view::npos) {
        if (at_ + 1 >= text_.size())
            fail("JSON", "end of text", text_.size());
        else
            fail("JSON escape", "\\" + std::string(text_.substr(at_ + 1, 1)), at_);
        return false;
    }
    resolved_ += kMeaning[which];
    at_ += 2;
    return true;
}

// A code point beyond 16 bits is written as two halves, of which neither may stand alone.
bool JsonScanner::unicodeEscape() {
    const auto first = hexDigits(at_ + 2);
    const std::string shown(text_.substr(at_, 6));
    if (!first) {
        fail("JSON escape", shown, at_);
        return false;
    }
    std::uint32_t code = *first;
    std::size_t length = 6;
    if (code >= 0xd800 && code < 0xe000) {
        const bool pair = code < 0xdc00 && text_.substr(at_ + 6, 2) == "\\u";
        const auto second = pair ? hexDigits(at_ + 8) : std::nullopt;
        if (!second || *second < 0xdc00 || *second >= 0xe000) {
            fail("Unicode", shown, at_);
            return false;
        }
        code = 0x10000 + ((code - 0xd800) << 10) + (*second - 0xdc00);
        length = 12;
    }
    appendUtf8(resolved_, code);
    at_ += length;
    return true;
}

std::optional<std::uint32_t> JsonScanner::hexDigits(std::size_t at) const {
    if (at + 4 > text_.size())
        return std::nullopt;
    std::uint32_t out = 0;
    const char* const begin = text_.data() + at;
    const auto [stop, problem] = std::from_chars(begin, begin + 4, out, 16);
    if (problem != std::errc() || stop != begin + 4)
        return std::nullopt;
    return out;
}

JsonScanner::Token JsonScanner::fail(std::string expected, std::string found, std::size_t at) {
    failed_ = true;
    fault_ = {at, std::move(expected), std::move(found)};
    return Token::Fault;
}

// The fault of the letter at which the scanner stands.
JsonScanner::Token JsonScanner::failHere(std::string_view wanted) {
    if (at_ >= text_.size())
        return fail(std::string(wanted), "end of text", text_.size());
    const char letter = current();
    std::string found(1, letter);
    if ((letter == '}' || letter == ']') && afterComma_)
        found = "trailing comma";
    else if (letter == '/' || letter == '#')
        found = "comment";
    else if (letter == '\0')
        found = "NUL";
    else if (state_ != State::After && state_ != State::Value && isWordLetter(letter))
        found = "unquoted key";
    else if (static_cast<unsigned char>(letter) < 0x20 ||
             static_cast<unsigned char>(letter) >= 0x7f)
        found = hexByte(letter);
    return fail(std::string(wanted), std::move(found), at_);
}

JsonScanner::Token JsonScanner::failControl() {
    if (at_ >= text_.size())
        return fail("JSON", "end of text", text_.size());
    return fail("escaped control character", hexByte(current()), at_);
}

// The rest of the text is looked at for its brackets alone, to say how deep it really is.
JsonScanner::Token JsonScanner::failDepth() {
    std::size_t depth = isObject_.size();
    std::size_t deepest = depth;
    bool inString = false;
    for (std::size_t at = at_; at < text_.size(); ++at) {
        const char letter = text_[at];
        if (inString) {
            at += letter == '\\' ? 1 : 0;
            inString = letter != '"';
        } else if (letter == '[' || letter == '{') {
            deepest = std::max(deepest, ++depth);
        } else if ((letter == ']' || letter == '}') && depth > 0) {
            --depth;
        } else {
            inString = letter == '"';
        }
    }
    return fail(fmt::format("<= {} levels", depthLimit_), std::to_string(deepest), at_);
}

}  // namespace fl
