// SPDX-License-Identifier: Apache-2.0
#include "engine/service/rung_compare.h"

#include <cmath>
#include <limits>

namespace fl::service {

namespace {

struct Sums {
    double difference = 0;  // squared
    double reference = 0;   // squared

    double relative() const {
        const double top = std::sqrt(difference);
        return reference > 0 ? top / std::sqrt(reference) : top;
    }
};

Sums sumsOf(std::span<const float> ours, std::span<const float> reference) {
    Sums out;
    for (std::size_t i = 0; i < ours.size(); ++i) {
        const double wanted = reference[i];
        const double away = ours[i] - wanted;
        out.difference += away * away;
        out.reference += wanted * wanted;
    }
    return out;
}

}  // namespace

RungError compareRung(const Array& ours, const Array& reference) {
    RungError out;
    if (ours.rows != reference.rows || ours.width != reference.width || ours.values.empty()) {
        out.overall = out.worstToken = out.absolute = std::numeric_limits<double>::quiet_NaN();
        return out;
    }
    const auto width = static_cast<std::size_t>(ours.width);
    Sums all;
    for (std::int64_t row = 0; row < ours.rows; ++row) {
        const std::size_t begin = static_cast<std::size_t>(row) * width;
        const Sums sums = sumsOf(std::span(ours.values).subspan(begin, width),
                                 std::span(reference.values).subspan(begin, width));
        all.difference += sums.difference;
        all.reference += sums.reference;
        const double error = sums.relative();
        // Written so that NaN wins: it is worse than any number.
        if (!(error <= out.worstToken) || out.worstRow < 0) {
            out.worstToken = error;
            out.worstRow = static_cast<int>(row);
            if (std::isnan(error))
                break;
        }
    }
    out.overall = std::isnan(out.worstToken) ? out.worstToken : all.relative();
    out.absolute = std::sqrt(all.difference / static_cast<double>(ours.values.size()));
    return out;
}

GreedyJudgement judgeGreedy(std::span<const int> ours,
                            std::span<const int> reference,
                            std::span<const float> margins,
                            double logitsError) {
    GreedyJudgement out;
    for (std::size_t i = 0; i < reference.size(); ++i) {
        if (i < ours.size() && ours[i] == reference[i]) {
            ++out.agreed;
            continue;
        }
        out.passed = i < ours.size() && i < margins.size() && margins[i] < 10 * logitsError;
        return out;
    }
    out.passed = true;
    return out;
}

}  // namespace fl::service
