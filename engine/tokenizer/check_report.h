// SPDX-License-Identifier: Apache-2.0
// Where the checks of tokenizer files put what they find.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/base/finding.h"
#include "engine/base/json.h"

namespace fl::tokenizer {

class CheckReport {
public:
    explicit CheckReport(std::string file) : file_(std::move(file)) {}

    Finding& error(std::string code, std::string key, std::string_view what) {
        return add(Severity::Error, std::move(code), std::move(key), what);
    }
    Finding& wrong(std::string code,
                   std::string key,
                   std::string_view what,
                   std::string expected,
                   std::string found) {
        Finding& finding = error(std::move(code), std::move(key), what);
        finding.expected = std::move(expected);
        finding.found = std::move(found);
        return finding;
    }
    Finding& warning(std::string code, std::string key, std::string_view what) {
        return add(Severity::Warning, std::move(code), std::move(key), what);
    }
    void append(std::vector<Finding> more) {
        for (Finding& each : more)
            findings_.push_back(std::move(each));
    }
    std::vector<Finding> take() { return std::move(findings_); }

private:
    Finding& add(Severity severity, std::string code, std::string key, std::string_view what) {
        Finding& finding = findings_.emplace_back();
        finding.code = std::move(code);
        finding.severity = severity;
        finding.stage = "inspect";
        finding.file = file_;
        finding.message = key.empty() ? file_ + " " : "'" + key + "' of " + file_ + " ";
        finding.message += what;
        finding.key = std::move(key);
        finding.remedy = "fetch this file again, together with the weights";
        return finding;
    }

    std::string file_;
    std::vector<Finding> findings_;
};

// For "found": texts bare, containers by what they are.
inline std::string foundText(const Json& value) {
    if (value.isString())
        return value.string().size() > 100 ? value.string().substr(0, 100) + "…" : value.string();
    if (value.isArray() || value.isObject())
        return value.size() == 0 ? "empty" : std::string(value.kindName());
    return value.isBigInteger() ? value.digits() : value.dump();
}

}  // namespace fl::tokenizer
