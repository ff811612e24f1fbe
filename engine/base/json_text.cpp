// SPDX-License-Identifier: Apache-2.0
#include "engine/base/json_text.h"

#include <algorithm>
#include <utility>

#include <fmt/core.h>
#include <sys/stat.h>

#include "engine/base/json_scanner.h"
#include "engine/base/text.h"

namespace fl {

namespace {

constexpr std::int64_t kMaxBytes = std::int64_t{256} << 20;
constexpr int kMaxDepth = 64;
// Deeper texts are refused; between the two the value is cut off.
constexpr int kReadDepth = 4096;

struct Located {
    JsonFault fault;
    std::string key;  // "rope_scaling.factor": where it is, as far as there are keys
};

// The first fault of a text, with the path of keys to it; keys that appear twice are none here.
std::optional<Located> locate(std::string_view text, int depth) {
    using Token = JsonScanner::Token;
    JsonScanner scanner(text, depth);
    std::vector<std::string> keys;  // of the open levels; empty in arrays
    const auto path = [&keys] {
        std::string out;
        for (const std::string& key : keys)
            out += (out.empty() || key.empty() ? "" : ".") + key;
        return out;
    };
    for (Token token = scanner.next(); token != Token::End; token = scanner.next()) {
        if (token == Token::Fault)
            return Located{scanner.fault(), path()};
        if (token == Token::BeginObject || token == Token::BeginArray)
            keys.emplace_back();
        if (token == Token::EndObject || token == Token::EndArray)
            keys.pop_back();
        if (token == Token::Key)
            keys.back() = scanner.text();
    }
    return std::nullopt;
}

// The first key that an object has twice.
class Duplicates : public JsonHandler {
public:
    bool null() override { return true; }
    bool boolean(bool /*value*/) override { return true; }
    bool integer(std::int64_t /*value*/) override { return true; }
    bool tooLarge(std::uint64_t /*value*/) override { return true; }
    bool number(double /*value*/) override { return true; }
    bool string(std::string& /*value*/) override { return true; }
    bool key(std::string& /*value*/) override { return true; }
    bool duplicateKey(const std::string& value) override {
        first = value;
        return false;
    }
    bool startObject() override { return true; }
    bool endObject() override { return true; }
    bool startArray() override { return true; }
    bool endArray() override { return true; }
    Error stopReason() const override { return {ErrorCode::Corrupt, "duplicate key"}; }

    std::string first;
};

Json cutOff(const Json& value, int depth) {
    if (depth == 0 && (value.isArray() || value.isObject()))
        return {};
    Json out = value;
    if (value.isArray()) {
        out = Json::array();
        for (const Json& item : value.items())
            out.push(cutOff(item, depth - 1));
    } else if (value.isObject()) {
        out = Json::object();
        for (const auto& [key, member] : value.members())
            out.append(key, cutOff(member, depth - 1));
    }
    return out;
}

// Counted in the value of the key at the top, where people look.
JsonFault levelsBelow(const Located& located) {
    JsonFault fault = located.fault;
    fault.expected = "<= 64 levels";
    if (const auto levels = parseInteger(fault.found); levels && !located.key.empty())
        fault.found = fmt::format("{} levels in '{}'", *levels - 1,
                                  located.key.substr(0, located.key.find('.')));
    return fault;
}

class Reading {
public:
    Reading(const std::string& fileName, std::string code)
        : fileName_(fileName),
          code_(std::move(code)) {}

    JsonText run(std::string_view text) {
        if (text.starts_with(kByteOrderMark)) {
            text.remove_prefix(kByteOrderMark.size());
            tolerated("begins with a byte order mark", "no byte order mark",
                      "UTF-8 byte order mark");
        }
        if (!isForeign(text))
            parse(text);
        return std::move(out_);
    }

    JsonText unreadable(const Error& error, std::int64_t bytes) {
        Finding& finding = add(Severity::Error, code_, error.message);
        finding.expected = bytes > kMaxBytes ? "<= 256 MiB" : "a readable file";
        finding.found = bytes > kMaxBytes ? std::to_string(bytes) : "unreadable";
        if (error.code == ErrorCode::Io)
            finding.remedy = "give yourself read permission (chmod u+r), or check the disk";
        if (error.code == ErrorCode::InvalidArgument && bytes <= kMaxBytes)
            finding.remedy = "put the real file in its place";
        return std::move(out_);
    }

private:
    Finding& add(Severity severity, std::string code, std::string message) {
        Finding& finding = out_.findings.emplace_back();
        finding.code = std::move(code);
        finding.severity = severity;
        finding.stage = "inspect";
        finding.file = fileName_;
        finding.message = std::move(message);
        finding.remedy = "fetch this file again";
        return finding;
    }

    void tolerated(const char* what, const char* expected, const std::string& found) {
        Finding& finding =
            add(Severity::Warning, "json-tolerated", fmt::format("{} {}", fileName_, what));
        finding.expected = expected;
        finding.found = found;
        finding.remedy = "none needed";
    }

    bool isForeign(std::string_view text) {
        const bool pointer = text.starts_with("version https://git-lfs");
        if (!pointer && !text.starts_with('<'))
            return false;
        Finding& finding =
            add(Severity::Error, code_,
                fmt::format("{} is {}", fileName_, pointer ? "a git-lfs pointer" : "an HTML page"));
        finding.expected = "JSON";
        finding.found = pointer ? "git-lfs pointer" : "HTML page";
        if (pointer)
            finding.remedy = "run git lfs pull, or fetch the file from the hub";
        return true;
    }

    void refuse(const JsonFault& fault, const std::string& key) {
        Finding& finding = add(Severity::Error, code_, fileName_ + ": " + fault.message());
        finding.expected = fault.expected;
        finding.found = fault.found;
        finding.key = key;
        if (const std::size_t dot = key.find('.'); dot != std::string::npos)
            finding.examples = {key.substr(0, dot)};
    }

    void parse(std::string_view text) {
        if (const auto fault = jsonEncodingFault(text))
            return refuse(*fault, "");
        auto value = Json::parse(text);
        if (!value) {
            const auto fault = locate(text, kMaxDepth);
            const auto still = fault ? locate(text, kReadDepth) : std::nullopt;
            if (fault && still) {
                const bool deep = still->fault.expected.find("levels") != std::string::npos;
                return refuse(deep ? levelsBelow(*still) : still->fault, still->key);
            }
            value = Json::parse(text, {kReadDepth, static_cast<std::size_t>(kMaxBytes), {}});
            if (!value)
                return duplicate(text);
            tolerated("nests deeper than any reader needs; what lies deeper is left out",
                      "<= 64 levels", levelsBelow(*fault).found);
            value = cutOff(*value, kMaxDepth);
        }
        if (value->isObject() && value->size() > 0) {
            out_.value = *std::move(value);
            return;
        }
        const std::string found =
            value->isObject() ? "an empty object" : std::string(value->kindName());
        Finding& finding =
            add(Severity::Error, code_,
                fmt::format("{} holds {}, not an object with keys", fileName_, found));
        finding.expected = "object with keys";
        finding.found = found;
    }

    void duplicate(std::string_view text) {
        Duplicates duplicates;
        (void)parseJson(text, duplicates, {kReadDepth, static_cast<std::size_t>(kMaxBytes), {}});
        Finding& finding =
            add(Severity::Error, code_,
                fmt::format("{} has key '{}' twice in one object", fileName_, duplicates.first));
        finding.key = duplicates.first;
        finding.expected = "one " + duplicates.first;
        finding.found = "two";
    }

    const std::string& fileName_;
    std::string code_;
    JsonText out_;
};

}  // namespace

JsonText parseJsonText(std::string_view text, const std::string& fileName, std::string code) {
    return Reading(fileName, std::move(code)).run(text);
}

JsonText readJsonText(const std::string& folder, const std::string& fileName, std::string code) {
    const std::string path = folder + "/" + fileName;
    const auto text = readFile(path, kMaxBytes);
    if (text)
        return parseJsonText(*text, fileName, std::move(code));
    if (text.error().code == ErrorCode::NotFound) {
        JsonText out;
        out.absent = true;
        return out;
    }
    struct stat facts {};
    const std::int64_t bytes = ::stat(path.c_str(), &facts) == 0 ? facts.st_size : 0;
    return Reading(fileName, std::move(code)).unreadable(text.error(), bytes);
}

}  // namespace fl
