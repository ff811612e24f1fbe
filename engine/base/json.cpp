// SPDX-License-Identifier: Apache-2.0
#include "engine/base/json.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <unordered_set>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "engine/base/json_scanner.h"
#include "engine/base/text.h"

namespace fl {

namespace {

const Json kNull;
const std::string kEmptyString;
const Json::Array kNoItems;
const Json::Object kNoMembers;

// The keys of one object so far. Most objects have a handful, and a header of half a million
// tensors has half a million such objects: those cost no allocation once the strings have grown.
class KeySet {
public:
    void clear() {
        fewCount_ = 0;
        many_.clear();
    }
    // False if the key is there already.
    bool insert(const std::string& key) {
        if (!many_.empty())
            return many_.insert(key).second;
        const auto end = few_.begin() + static_cast<std::ptrdiff_t>(fewCount_);
        if (std::find(few_.begin(), end, key) != end)
            return false;
        if (fewCount_ < few_.size()) {
            few_[fewCount_++] = key;
            return true;
        }
        many_.insert(few_.begin(), few_.end());
        return many_.insert(key).second;
    }

private:
    std::array<std::string, 8> few_;
    std::size_t fewCount_ = 0;
    std::unordered_set<std::string> many_;
};

// Hands the tokens of a text to a handler and sees to duplicate keys.
class EventSource {
public:
    EventSource(std::string_view text, JsonHandler& handler, const JsonLimits& limits)
        : scanner_(text, limits.depth),
          cancel_(limits.cancel),
          handler_(handler) {}

    Status run() {
        for (;;) {
            FL_DO(cancel_.check("JSON"));
            const Token token = scanner_.next();
            if (token == Token::Fault)
                return Error{ErrorCode::Corrupt, scanner_.fault().message()};
            if (token == Token::End)
                return Done{};
            if (!pass(token))
                return stop_;
        }
    }

private:
    using Token = JsonScanner::Token;

    bool pass(Token token) {
        stop_ = {};
        if (token == Token::Key && !keyIsNew())
            return false;
        const bool accepted = handle(token);
        if (!accepted)
            stop_ = handler_.stopReason();
        return accepted;
    }

    bool handle(Token token) {
        switch (token) {
            case Token::BeginObject:
                openLevel();
                return handler_.startObject();
            case Token::EndObject:
                return handler_.endObject();
            case Token::BeginArray:
                return handler_.startArray();
            case Token::EndArray:
                return handler_.endArray();
            case Token::Key:
                return handler_.key(text_);
            case Token::String:
                text_ = scanner_.text();
                return handler_.string(text_);
            case Token::Number:
                return number();
            case Token::True:
            case Token::False:
                return handler_.boolean(token == Token::True);
            default:
                return handler_.null();
        }
    }

    bool number() {
        const std::string_view spelled = scanner_.text();
        if (const auto value = scanner_.integer())
            return handler_.integer(*value);
        const char* const end = spelled.data() + spelled.size();
        std::uint64_t large = 0;
        if (scanner_.isInteger() && std::from_chars(spelled.data(), end, large).ec == std::errc())
            return handler_.tooLarge(large);
        text_ = spelled;
        const double value = std::strtod(text_.c_str(), nullptr);
        return scanner_.isInteger() ? handler_.bigInteger(text_, value) : handler_.number(value);
    }

    void openLevel() {
        const auto level = static_cast<std::size_t>(scanner_.depth());
        if (keys_.size() < level)
            keys_.resize(level);
        keys_[level - 1].clear();
    }

    bool keyIsNew() {
        text_ = scanner_.text();
        if (keys_[static_cast<std::size_t>(scanner_.depth()) - 1].insert(text_) ||
            handler_.duplicateKey(text_))
            return true;
        stop_ = {ErrorCode::Corrupt, "key '" + text_ + "' appears twice in one object"};
        return false;
    }

    JsonScanner scanner_;
    CancelToken cancel_;
    JsonHandler& handler_;
    std::vector<KeySet> keys_;  // by depth; kept for the next object there
    std::string text_;
    Error stop_;
};

// Builds a Json tree from events.
class TreeBuilder : public JsonHandler {
public:
    bool null() override { return add(Json()); }
    bool boolean(bool value) override { return add(Json(value)); }
    bool integer(std::int64_t value) override { return add(Json(value)); }
    bool tooLarge(std::uint64_t value) override {
        return add(Json::bigInteger(std::to_string(value)));
    }
    bool bigInteger(const std::string& digits, double /*value*/) override {
        return add(Json::bigInteger(digits));
    }
    bool number(double value) override { return add(Json(value)); }
    bool string(std::string& value) override { return add(Json(std::move(value))); }
    bool key(std::string& value) override {
        keys_.push_back(std::move(value));
        return true;
    }
    bool startObject() override { return open(Json::object()); }
    bool endObject() override { return close(); }
    bool startArray() override { return open(Json::array()); }
    bool endArray() override { return close(); }
    Error stopReason() const override { return {ErrorCode::Corrupt, "invalid JSON"}; }

    Json take() { return std::move(root_); }

private:
    bool open(Json container) {
        stack_.push_back(std::move(container));
        return true;
    }
    bool close() {
        Json done = std::move(stack_.back());
        stack_.pop_back();
        return add(std::move(done));
    }
    bool add(Json value) {
        if (stack_.empty()) {
            root_ = std::move(value);
        } else if (stack_.back().isObject()) {
            stack_.back().append(std::move(keys_.back()), std::move(value));
            keys_.pop_back();
        } else {
            stack_.back().push(std::move(value));
        }
        return true;
    }

    Json root_;
    std::vector<Json> stack_;
    std::vector<std::string> keys_;
};

std::string quoted(const std::string& text) {
    return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string numberText(double value) {
    if (!std::isfinite(value))
        return "null";
    std::array<char, 40> buffer{};
    const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value).ptr;
    std::string out(buffer.data(), end);
    // "1" would come back as an integer.
    if (out.find_first_of(".e") == std::string::npos)
        out += ".0";
    return out;
}

void dumpTo(std::string& out, const Json& value, int indent, int level);

void newLine(std::string& out, int indent, int level) {
    if (indent >= 0) {
        out += '\n';
        out.append(static_cast<std::size_t>(indent * level), ' ');
    }
}

void dumpObject(std::string& out, const Json& value, int indent, int level) {
    out += '{';
    bool first = true;
    for (const auto& [key, member] : value.members()) {
        if (!std::exchange(first, false))
            out += ',';
        newLine(out, indent, level + 1);
        out += quoted(key);
        out += indent >= 0 ? ": " : ":";
        dumpTo(out, member, indent, level + 1);
    }
    newLine(out, indent, level);
    out += '}';
}

void dumpArray(std::string& out, const Json& value, int indent, int level) {
    out += '[';
    bool first = true;
    for (const Json& item : value.items()) {
        if (!std::exchange(first, false))
            out += ',';
        newLine(out, indent, level + 1);
        dumpTo(out, item, indent, level + 1);
    }
    newLine(out, indent, level);
    out += ']';
}

void dumpTo(std::string& out, const Json& value, int indent, int level) {
    if (value.isNull()) {
        out += "null";
    } else if (value.isBool()) {
        out += value.boolean() ? "true" : "false";
    } else if (value.isInteger()) {
        out += std::to_string(value.integer());
    } else if (value.isBigInteger()) {
        out += value.digits();
    } else if (value.isNumber()) {
        out += numberText(value.number());
    } else if (value.isString()) {
        out += quoted(value.string());
    } else if (value.size() == 0) {
        out += value.isObject() ? "{}" : "[]";
    } else if (value.isObject()) {
        dumpObject(out, value, indent, level);
    } else {
        dumpArray(out, value, indent, level);
    }
}

}  // namespace

bool JsonHandler::bigInteger(const std::string& /*digits*/, double value) {
    return number(value);
}

Status parseJson(std::string_view text, JsonHandler& handler, const JsonLimits& limits) {
    if (text.size() > limits.bytes) {
        return Error{ErrorCode::Corrupt,
                     fmt::format("JSON has {} bytes, the limit is {}", text.size(), limits.bytes)};
    }
    if (const auto fault = jsonEncodingFault(text))
        return Error{ErrorCode::Corrupt, fault->message()};
    return EventSource(text, handler, limits).run();
}

Result<Json> Json::parse(std::string_view text, const JsonLimits& limits) {
    TreeBuilder builder;
    FL_DO(parseJson(text, builder, limits));
    return builder.take();
}

Result<Json> Json::parseFile(const std::string& path, const JsonLimits& limits) {
    FL_TRY(const std::string text, readFile(path, static_cast<std::int64_t>(limits.bytes)));
    auto value = parse(text, limits);
    if (!value)
        return Error{value.error().code, path + ": " + value.error().message};
    return value;
}

std::string Json::dump(int indent) const {
    std::string out;
    dumpTo(out, *this, indent, 0);
    return out;
}

std::string_view Json::kindName() const {
    constexpr std::array<std::string_view, 8> kNames = {"null",      "true or false", "a number",
                                                        "a number",  "a string",      "an array",
                                                        "an object", "a number"};
    return kNames[value_.index()];
}

bool Json::boolean(bool fallback) const {
    const auto* value = std::get_if<bool>(&value_);
    return value ? *value : fallback;
}

std::int64_t Json::integer(std::int64_t fallback) const {
    const auto* value = std::get_if<std::int64_t>(&value_);
    return value ? *value : fallback;
}

double Json::number(double fallback) const {
    if (const auto* value = std::get_if<double>(&value_))
        return *value;
    if (isBigInteger())
        return std::strtod(digits().c_str(), nullptr);
    return isInteger() ? static_cast<double>(integer()) : fallback;
}

const std::string& Json::string() const {
    const auto* value = std::get_if<std::string>(&value_);
    return value ? *value : kEmptyString;
}

const std::string& Json::digits() const {
    const auto* value = std::get_if<BigInteger>(&value_);
    return value ? value->digits : kEmptyString;
}

Json Json::bigInteger(std::string digits) {
    Json made;
    made.value_ = BigInteger{std::move(digits)};
    return made;
}

const Json::Array& Json::items() const {
    const auto* value = std::get_if<Array>(&value_);
    return value ? *value : kNoItems;
}

const Json& Json::item(std::size_t index) const {
    return index < items().size() ? items()[index] : kNull;
}

const Json::Object& Json::members() const {
    const auto* value = std::get_if<Object>(&value_);
    return value ? *value : kNoMembers;
}

std::size_t Json::size() const {
    return isObject() ? members().size() : items().size();
}

const Json* Json::find(std::string_view key) const {
    for (const auto& [name, value] : members()) {
        if (name == key)
            return &value;
    }
    return nullptr;
}

const Json& Json::operator[](std::string_view key) const {
    const Json* value = find(key);
    return value ? *value : kNull;
}

Json& Json::set(std::string key, Json value) {
    if (!isObject())
        value_ = Object{};
    for (auto& [name, member] : std::get<Object>(value_)) {
        if (name == key) {
            member = std::move(value);
            return *this;
        }
    }
    return append(std::move(key), std::move(value));
}

Json& Json::append(std::string key, Json value) {
    if (!isObject())
        value_ = Object{};
    std::get<Object>(value_).emplace_back(std::move(key), std::move(value));
    return *this;
}

Json& Json::push(Json value) {
    if (!isArray())
        value_ = Array{};
    std::get<Array>(value_).push_back(std::move(value));
    return *this;
}

}  // namespace fl
