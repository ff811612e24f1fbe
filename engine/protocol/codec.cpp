// SPDX-License-Identifier: Apache-2.0
#include "engine/protocol/codec.h"

#include <algorithm>

#include <fmt/core.h>

#include "engine/base/text.h"

namespace fl::protocol::codec {

namespace {

std::string where(const std::string& path) {
    return path.empty() ? "message" : path;
}

// The keys of a finding that are text; written only where they say something.
template <class S, class F>
void findingTexts(S& finding, F&& f) {
    f("file", finding.file);
    f("tensor", finding.tensor);
    f("key", finding.key);
    f("expected", finding.expected);
    f("found", finding.found);
    f("remedy", finding.remedy);
}

const std::vector<std::string>& findingKeys() {
    static const std::vector<std::string> keys = {
        "code", "severity", "stage", "message", "file",  "tensor",  "key",
        "rank", "expected", "found", "remedy",  "count", "examples"};
    return keys;
}

Status readSeverity(const Json& json, const std::string& path, Severity& out) {
    for (const Severity severity : {Severity::Info, Severity::Warning, Severity::Error}) {
        if (json.string() == name(severity)) {
            out = severity;
            return Done{};
        }
    }
    return wrongKind(path, "info, warning or error", json);
}

template <class T>
Status readMember(const Json& json, const std::string& path, const char* key, T& out) {
    const Json* found = json.find(key);
    if (!found)
        return Done{};
    return read(*found, child(path, key), out);
}

}  // namespace

std::string child(const std::string& path, std::string_view key) {
    return path.empty() ? std::string(key) : path + "." + std::string(key);
}

Error wrongKind(const std::string& path, std::string_view expected, const Json& found) {
    const std::string text = found.isString()
                                 ? fmt::format("the string '{}'", found.string().substr(0, 80))
                                 : std::string(found.kindName());
    return {ErrorCode::InvalidArgument,
            fmt::format("{}: expected {}, found {}", where(path), expected, text)};
}

Status checkKeys(const Json& json, const std::string& path, const std::vector<std::string>& known) {
    for (const auto& [key, value] : json.members()) {
        if (std::find(known.begin(), known.end(), key) == known.end()) {
            return Error{ErrorCode::InvalidArgument,
                         fmt::format("unknown key '{}'{}", child(path, key), nearest(key, known))};
        }
    }
    return Done{};
}

Status read(const Json& json, const std::string& path, bool& out) {
    if (!json.isBool())
        return wrongKind(path, "true or false", json);
    out = json.boolean();
    return Done{};
}

Status read(const Json& json, const std::string& path, int& out) {
    if (!json.isInteger())
        return wrongKind(path, "an integer", json);
    const std::int64_t value = json.integer();
    if (value < std::numeric_limits<int>::min() || value > std::numeric_limits<int>::max()) {
        return Error{ErrorCode::InvalidArgument,
                     fmt::format("{}: {} is out of range", where(path), value)};
    }
    out = static_cast<int>(value);
    return Done{};
}

Status read(const Json& json, const std::string& path, std::int64_t& out) {
    if (!json.isInteger())
        return wrongKind(path, "an integer", json);
    out = json.integer();
    return Done{};
}

Status read(const Json& json, const std::string& path, double& out) {
    if (!json.isNumber() && !json.isNull())
        return wrongKind(path, "a number", json);
    out = json.isNull() ? std::numeric_limits<double>::quiet_NaN() : json.number();
    return Done{};
}

Status read(const Json& json, const std::string& path, std::string& out) {
    if (!json.isString())
        return wrongKind(path, "a string", json);
    out = json.string();
    return Done{};
}

Status read(const Json& json, const std::string& /*path*/, Json& out) {
    out = json;
    return Done{};
}

Status read(const Json& json, const std::string& path, fl::Finding& out) {
    if (!json.isObject())
        return wrongKind(path, "a finding", json);
    FL_DO(checkKeys(json, path, findingKeys()));
    FL_DO(readMember(json, path, "code", out.code));
    if (const Json* severity = json.find("severity"))
        FL_DO(readSeverity(*severity, child(path, "severity"), out.severity));
    FL_DO(readMember(json, path, "stage", out.stage));
    FL_DO(readMember(json, path, "message", out.message));
    Status status = Done{};
    findingTexts(out, [&](const char* key, std::string& member) {
        if (status)
            status = readMember(json, path, key, member);
    });
    FL_DO(std::move(status));
    FL_DO(readMember(json, path, "rank", out.rank));
    FL_DO(readMember(json, path, "count", out.count));
    return readMember(json, path, "examples", out.examples);
}

Json write(const fl::Finding& finding) {
    Json object = Json::object();
    object.append("code", finding.code);
    object.append("severity", name(finding.severity));
    object.append("stage", finding.stage);
    object.append("message", finding.message);
    findingTexts(finding, [&object](const char* key, const std::string& member) {
        if (!member.empty())
            object.append(key, member);
    });
    if (finding.rank >= 0)
        object.append("rank", finding.rank);
    object.append("count", finding.count);
    if (!finding.examples.empty())
        object.append("examples", write(finding.examples));
    return object;
}

}  // namespace fl::protocol::codec
