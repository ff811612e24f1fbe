// SPDX-License-Identifier: Apache-2.0
// A JSON value of our own, so that the parser library stays in json.cpp.
//
// Objects keep the order of their keys. Reading is strict: duplicate keys, trailing text, invalid
// UTF-8, NaN and nesting beyond JsonLimits::depth are errors that name the byte.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "engine/base/cancel_token.h"
#include "engine/base/result.h"

namespace fl {

struct JsonLimits {
    int depth = 64;
    std::size_t bytes = std::size_t{256} << 20;
    CancelToken cancel;  // a cancelled parse fails with Cancelled
};

class Json {
public:
    using Array = std::vector<Json>;
    using Member = std::pair<std::string, Json>;
    using Object = std::vector<Member>;

    Json() = default;
    Json(std::nullptr_t) {}                                       // NOLINT
    Json(bool value) : value_(value) {}                           // NOLINT
    Json(int value) : value_(std::int64_t{value}) {}              // NOLINT
    Json(std::int64_t value) : value_(value) {}                   // NOLINT
    Json(double value) : value_(value) {}                         // NOLINT
    Json(const char* value) : value_(std::string(value)) {}       // NOLINT
    Json(std::string value) : value_(std::move(value)) {}         // NOLINT
    Json(std::string_view value) : value_(std::string(value)) {}  // NOLINT
    Json(Array value) : value_(std::move(value)) {}               // NOLINT
    Json(Object value) : value_(std::move(value)) {}              // NOLINT
    // An integer beyond 64 bits, kept as its digits so that texts made from it stay exact.
    static Json bigInteger(std::string digits);
    static Json array() { return Json(Array{}); }
    static Json object() { return Json(Object{}); }

    static Result<Json> parse(std::string_view text, const JsonLimits& limits = {});
    // Reads and parses a whole file; the error names it.
    static Result<Json> parseFile(const std::string& path, const JsonLimits& limits = {});

    // Compact, or indented by `indent` spaces. Invalid UTF-8 in strings is replaced by U+FFFD;
    // numbers that JSON cannot hold become null.
    std::string dump(int indent = -1) const;

    bool isNull() const { return std::holds_alternative<std::nullptr_t>(value_); }
    bool isBool() const { return std::holds_alternative<bool>(value_); }
    bool isInteger() const { return std::holds_alternative<std::int64_t>(value_); }
    bool isBigInteger() const { return std::holds_alternative<BigInteger>(value_); }
    bool isNumber() const {
        return isInteger() || isBigInteger() || std::holds_alternative<double>(value_);
    }
    bool isString() const { return std::holds_alternative<std::string>(value_); }
    bool isArray() const { return std::holds_alternative<Array>(value_); }
    bool isObject() const { return std::holds_alternative<Object>(value_); }
    std::string_view kindName() const;  // "an object", for messages

    // The value if it has that kind, else `fallback`.
    bool boolean(bool fallback = false) const;
    std::int64_t integer(std::int64_t fallback = 0) const;
    double number(double fallback = 0) const;
    const std::string& string() const;          // "" if it is not a string
    const std::string& digits() const;          // of a big integer, else ""
    const Array& items() const;                 // empty if it is not an array
    const Object& members() const;              // empty if it is not an object
    const Json& item(std::size_t index) const;  // of an array; null where there is none

    // Arrays and objects: number of items; else 0.
    std::size_t size() const;

    // The member, or nullptr. Linear: objects that need fast look-up are turned into maps by
    // their reader.
    const Json* find(std::string_view key) const;
    // The member, or a null value: for chains over optional keys.
    const Json& operator[](std::string_view key) const;
    const Json& operator[](const char* key) const { return (*this)[std::string_view(key)]; }

    // Adds or replaces a member; a null value becomes an object first.
    Json& set(std::string key, Json value);
    // Adds a member that is known to be new, without looking for it.
    Json& append(std::string key, Json value);
    // Appends; a null value becomes an array first.
    Json& push(Json value);

    bool operator==(const Json& other) const = default;

private:
    struct BigInteger {
        std::string digits;
        bool operator==(const BigInteger& other) const = default;
    };
    std::variant<std::nullptr_t, bool, std::int64_t, double, std::string, Array, Object, BigInteger>
        value_ = nullptr;
};

// Receives the parts of a document in order; returning false stops the parse with the error that
// stopReason() gives. Nothing is kept, so a header of half a million tensors costs no tree.
class JsonHandler {
public:
    virtual ~JsonHandler() = default;
    virtual bool null() = 0;
    virtual bool boolean(bool value) = 0;
    virtual bool integer(std::int64_t value) = 0;
    virtual bool tooLarge(std::uint64_t value) = 0;  // an integer above the int64 range
    virtual bool number(double value) = 0;
    // An integer that not even 64 bits without a sign hold.
    virtual bool bigInteger(const std::string& digits, double value);
    virtual bool string(std::string& value) = 0;
    virtual bool key(std::string& value) = 0;
    // Comes before key() where the same object has had this key. False stops the parse with an
    // error that names it, which is what a handler does that does not look.
    virtual bool duplicateKey(const std::string& /*value*/) { return false; }
    virtual bool startObject() = 0;
    virtual bool endObject() = 0;
    virtual bool startArray() = 0;
    virtual bool endArray() = 0;
    virtual Error stopReason() const = 0;
};
Status parseJson(std::string_view text, JsonHandler& handler, const JsonLimits& limits = {});

}  // namespace fl
