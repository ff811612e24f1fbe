// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/core.h>

#include "engine/base/text.h"
#include "engine/checkpoint/deep_check.h"
#include "engine/checkpoint/tensor_name.h"

namespace fl::checkpoint {

namespace {

constexpr std::string_view kRefetch = "fetch this file again, or convert the model again";
// No weight of a published model comes near.
constexpr double kAbsurd = 1e6;

// Tables, counters and packed codes: any pattern of bits is a value.
bool isCode(const TensorInfo& tensor) {
    return !isFloat(tensor.dtype) && !isScaleName(tensor.name);
}

// What a tensor of one dimension may be zero for; a norm of zeros silences its layer.
bool mayBeZero(const TensorInfo& tensor) {
    return tensor.shape.rank() < 2 && (tensor.name.find("norm") == std::string_view::npos ||
                                       !tensor.name.ends_with(".weight"));
}

class ValueJudge {
public:
    ValueJudge(const TensorInfo& tensor,
               const TensorStats& stats,
               const std::string& file,
               FindingList& findings)
        : tensor_(tensor),
          stats_(stats),
          file_(file),
          findings_(findings) {}

    void run() {
        if (stats_.values == 0)
            return;
        if (stats_.nan + stats_.infinite > 0)
            return judgeBad();
        if (isScaleName(tensor_.name))
            return judgeScale();
        if (!isCode(tensor_))
            judgeWeight();
    }

private:
    double largest() const { return std::max(std::abs(stats_.min), std::abs(stats_.max)); }
    bool all(std::int64_t count) const { return count == stats_.values; }

    void report(Severity severity,
                std::string_view code,
                std::string_view what,
                std::string_view expected,
                std::string found) {
        std::string message = fmt::format("tensor {} of {} {}", tensor_.name, file_, what);
        Finding& finding = severity == Severity::Error
                               ? findings_.error(code, file_, std::move(message))
                               : findings_.warning(code, file_, std::move(message));
        finding.tensor = tensor_.name;
        finding.expected = expected;
        finding.found = std::move(found);
        finding.remedy = kRefetch;
    }

    std::string_view wanted() const {
        return isScaleName(tensor_.name) ? "positive and finite" : "finite, plausible weights";
    }

    void judgeBad() {
        std::string found;
        if (all(stats_.nan))
            found = "all NaN";
        else if (all(stats_.infinite) && all(stats_.negativeInfinite))
            found = "all minus-infinite";
        else if (all(stats_.infinite))
            found = "all infinite";
        else
            found = fmt::format("{} {} at element {}", stats_.nan + stats_.infinite,
                                stats_.infinite == 0 ? "NaN"
                                : stats_.nan == 0    ? "infinite"
                                                     : "NaN or infinite",
                                stats_.firstBad);
        report(Severity::Error, "values-not-finite", "holds " + found, wanted(), found);
    }

    void judgeScale() {
        const double least = std::numeric_limits<float>::min();
        if (all(stats_.zero))
            report(Severity::Error, "scale-value", "is only zeros", wanted(), "all zero");
        else if (stats_.negative > 0)
            report(Severity::Error, "scale-value", "is below zero", wanted(),
                   fmt::format("{} negative, least {:.6g}", stats_.negative, stats_.min));
        else if (stats_.max < least)
            report(Severity::Error, "scale-value", "scales everything to nothing", wanted(),
                   fmt::format("denormal, at most {:.6g}", stats_.max));
        else if (stats_.zero > 0)
            report(Severity::Warning, "scale-value", "holds zeros", wanted(),
                   fmt::format("{} zero", stats_.zero));
        else if (stats_.max > kAbsurd && tensor_.dtype != DType::F8E8M0)
            report(Severity::Warning, "scale-value", "is far too large", wanted(),
                   fmt::format("huge, up to {:.6g}", stats_.max));
    }

    void judgeWeight() {
        if (all(stats_.zero)) {
            if (!mayBeZero(tensor_))
                report(Severity::Error, "values-zero", "is only zeros", "plausible weights",
                       "all zero");
        } else if (largest() < std::numeric_limits<float>::min()) {
            report(Severity::Warning, "values-implausible", "is too small to count",
                   "plausible weights", fmt::format("all denormal, at most {:.6g}", largest()));
        } else if (largest() > kAbsurd) {
            report(Severity::Warning, "values-implausible", "has values no weight has",
                   "plausible weights", fmt::format("huge, up to {:.6g}", largest()));
        } else if (stats_.min == stats_.max && tensor_.shape.rank() > 1 && stats_.values > 1) {
            report(Severity::Warning, "values-implausible", "has one value throughout",
                   "plausible weights", fmt::format("all constant, {:.6g}", stats_.min));
        }
    }

    const TensorInfo& tensor_;
    const TensorStats& stats_;
    const std::string& file_;
    FindingList& findings_;
};

}  // namespace

void judgeValues(const TensorInfo& tensor,
                 const TensorStats& stats,
                 const std::string& file,
                 FindingList& findings) {
    ValueJudge(tensor, stats, file, findings).run();
}

}  // namespace fl::checkpoint
