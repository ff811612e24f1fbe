// SPDX-License-Identifier: Apache-2.0
// Reads JSON (RFC 8259) token by token out of a text in memory, without a tree and without an
// allocation per token: a header of half a million tensors costs one pass over its bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fl {

// Why a text is no JSON, so that a finding can say it in its own fields.
struct JsonFault {
    std::size_t byte = 0;  // from 0
    std::string expected;  // "JSON number"
    std::string found;     // "NaN", "trailing comma", "end of text"

    std::string message() const;  // "invalid JSON at byte 8: found NaN, expected JSON number"
};

// What can be said of a text before it is scanned: empty, in another encoding, not UTF-8, only
// spaces, only zeros. A byte order mark is a fault here; whoever forgives it cuts it off first.
std::optional<JsonFault> jsonEncodingFault(std::string_view text);

constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

class JsonScanner {
public:
    enum class Token : std::uint8_t {
        BeginObject,
        EndObject,
        BeginArray,
        EndArray,
        Key,
        String,
        Number,
        True,
        False,
        Null,
        End,    // of a whole document
        Fault,  // see fault(); every later token is one too
    };

    // `text` must be UTF-8 and outlive the scanner. Nesting beyond `depthLimit` is a fault that
    // names the real depth; deep texts cost one bit a level, never recursion.
    explicit JsonScanner(std::string_view text, int depthLimit = 64);

    Token next();
    // Of the last token: Key and String with escapes resolved, Number as spelled. Valid until the
    // next call; a view of the text itself where nothing was escaped (see isView).
    std::string_view text() const { return value_; }
    // The last key or string needs no copy to outlive the scanner.
    bool isView() const { return isView_; }
    bool isInteger() const { return isInteger_; }  // the last number has no fraction and exponent
    // The last number, if it is whole and within 64 bits.
    std::optional<std::int64_t> integer() const;
    std::size_t at() const { return begin_; }  // where the last token begins
    // The text from there to the end of the last token.
    std::string_view textFrom(std::size_t begin) const { return text_.substr(begin, at_ - begin); }
    int depth() const { return static_cast<int>(isObject_.size()); }

    // Passes over the rest of the value that `token` has begun. False: a fault. `levels` becomes
    // the number of levels that it is deep, 0 for a scalar.
    bool skip(Token token, int* levels = nullptr);

    const JsonFault& fault() const { return fault_; }

private:
    enum class State : std::uint8_t { Value, FirstItem, FirstKey, Key, After };

    void skipSpace();
    Token value();
    Token key();
    Token after();
    Token begin(bool object);
    Token end(bool object);
    Token number();
    Token word();
    bool string();
    bool escapedString();
    bool escape();
    bool unicodeEscape();
    std::optional<std::uint32_t> hexDigits(std::size_t at) const;
    Token fail(std::string expected, std::string found, std::size_t at);
    Token failHere(std::string_view wanted);
    Token failControl();
    Token failDepth();
    char current() const { return at_ < text_.size() ? text_[at_] : '\0'; }

    std::string_view text_;
    std::size_t depthLimit_;
    std::size_t at_ = 0;
    std::size_t begin_ = 0;
    State state_ = State::Value;
    bool afterComma_ = false;
    bool failed_ = false;
    std::vector<bool> isObject_;  // the open levels
    std::string_view value_;
    std::string resolved_;
    bool isView_ = false;
    bool isInteger_ = false;
    JsonFault fault_;
};

}  // namespace fl
