// SPDX-License-Identifier: Apache-2.0
// Turns message structs into JSON and back, driven by their `fields`: each key is named once.
//
// Reading is strict: a value of the wrong type, a number out of range and an unknown key are
// errors that name the key by its path ("settings.tp") and the nearest valid key. A missing key
// keeps the struct's default. Numbers that JSON cannot hold (NaN) travel as null.
#pragma once

#include <concepts>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "engine/base/finding.h"
#include "engine/base/json.h"
#include "engine/base/result.h"

namespace fl::protocol {

namespace codec {

Status read(const Json& json, const std::string& path, bool& out);
Status read(const Json& json, const std::string& path, int& out);
Status read(const Json& json, const std::string& path, std::int64_t& out);
Status read(const Json& json, const std::string& path, double& out);
Status read(const Json& json, const std::string& path, std::string& out);
Status read(const Json& json, const std::string& path, Json& out);
Status read(const Json& json, const std::string& path, fl::Finding& out);

Error wrongKind(const std::string& path, std::string_view expected, const Json& found);
// Fails if `json` has a member that is not in `known`.
Status checkKeys(const Json& json, const std::string& path, const std::vector<std::string>& known);
std::string child(const std::string& path, std::string_view key);

Json write(const fl::Finding& finding);
inline Json write(bool value) {
    return value;
}
inline Json write(int value) {
    return value;
}
inline Json write(std::int64_t value) {
    return value;
}
inline Json write(double value) {
    return value;
}
inline Json write(const std::string& value) {
    return value;
}
inline Json write(const Json& value) {
    return value;
}

template <class T>
concept Message = requires(T& value) {
    T::fields(value, [](const char*, auto&) {});
};

template <Message T>
Json write(const T& value);
template <Message T>
Status read(const Json& json, const std::string& path, T& out);

template <class T>
Json write(const std::vector<T>& values) {
    Json::Array items;
    items.reserve(values.size());
    for (const T& value : values)
        items.push_back(write(value));
    return items;
}

template <class T>
Status read(const Json& json, const std::string& path, std::vector<T>& out) {
    if (!json.isArray())
        return wrongKind(path, "an array", json);
    out.clear();
    out.reserve(json.size());
    for (const Json& item : json.items()) {
        out.emplace_back();
        FL_DO(read(item, path + "[" + std::to_string(out.size() - 1) + "]", out.back()));
    }
    return Done{};
}

template <Message T>
Json write(const T& value) {
    Json object = Json::object();
    T::fields(value, [&object](const char* key, const auto& member) {
        object.append(key, write(member));
    });
    return object;
}

template <Message T>
Status read(const Json& json, const std::string& path, T& out) {
    if (!json.isObject())
        return wrongKind(path, "an object", json);
    std::vector<std::string> known;
    Status status = Done{};
    T::fields(out, [&](const char* key, auto& member) {
        known.emplace_back(key);
        const Json* found = json.find(key);
        if (found && status)
            status = read(*found, child(path, key), member);
    });
    FL_DO(std::move(status));
    return checkKeys(json, path, known);
}

}  // namespace codec

template <class T>
Json encode(const T& message) {
    return codec::write(message);
}

// `json` null counts as an empty object: a request without parameters.
template <class T>
Result<T> decode(const Json& json) {
    T message;
    FL_DO(codec::read(json.isNull() && codec::Message<T> ? Json::object() : json, "", message));
    return message;
}

}  // namespace fl::protocol
