// SPDX-License-Identifier: Apache-2.0
#include "engine/service/rung_compare.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include <fmt/core.h>

namespace fl::service {

namespace {

double relative(double difference, double reference) {
    const double top = std::sqrt(difference);
    return reference > 0 ? top / std::sqrt(reference) : top;
}

}  // namespace

void RowSums::add(const Array& ours, const Array& other) {
    const bool same = ours.rows == other.rows && ours.width == other.width && ours.width > 0;
    width = ours.width;
    for (std::int64_t row = 0; row < ours.rows; ++row) {
        double away = 0;
        double wanted = 0;
        const auto begin = static_cast<std::size_t>(row * ours.width);
        const auto end = same ? begin + static_cast<std::size_t>(ours.width) : begin;
        for (std::size_t i = begin; i < end; ++i) {
            const double value = other.values[i];
            const double apart = ours.values[i] - value;
            away += apart * apart;
            wanted += value * value;
        }
        difference.push_back(same ? away : std::numeric_limits<double>::quiet_NaN());
        reference.push_back(wanted);
    }
}

double RowSums::error(std::int64_t row) const {
    const auto at = static_cast<std::size_t>(row);
    return relative(difference[at], reference[at]);
}

RungError rungError(const RowSums& sums, const std::vector<bool>& leftOut) {
    RungError out;
    double difference = 0;
    double reference = 0;
    std::int64_t rows = 0;
    for (std::int64_t row = 0; row < sums.rows(); ++row) {
        const auto at = static_cast<std::size_t>(row);
        if (at < leftOut.size() && leftOut[at])
            continue;
        ++rows;
        difference += sums.difference[at];
        reference += sums.reference[at];
        // Written so that NaN wins: it is worse than any number.
        const double error = sums.error(row);
        if (!(error <= out.worstToken) || out.worstRow < 0) {
            out.worstToken = error;
            out.worstRow = static_cast<int>(row);
            if (std::isnan(error))
                break;
        }
    }
    if (rows == 0 || std::isnan(out.worstToken)) {
        out.overall = out.worstToken = out.absolute = std::numeric_limits<double>::quiet_NaN();
        return out;
    }
    out.overall = relative(difference, reference);
    out.absolute = std::sqrt(difference / static_cast<double>(rows * sums.width));
    return out;
}

std::string routerRung(int layer) {
    return fmt::format("layer.{}.router", layer);
}

std::vector<double> routerMargins(const Array& logits, int k) {
    std::vector<double> out;
    const auto width = static_cast<std::size_t>(logits.width);
    for (std::int64_t row = 0; row < logits.rows; ++row) {
        const auto begin = logits.values.begin() + row * logits.width;
        std::vector<float> sorted(begin, begin + logits.width);
        std::sort(sorted.begin(), sorted.end(), std::greater<>());
        double squares = 0;
        for (const float value : sorted)
            squares += double{value} * value;
        const double rms = std::sqrt(squares / static_cast<double>(width));
        const auto at = static_cast<std::size_t>(k);
        // All are chosen: nothing to be unsure of.
        const bool sure = at >= width || rms == 0;
        out.push_back(sure ? std::numeric_limits<double>::infinity()
                           : (double{sorted[at - 1]} - sorted[at]) / rms);
    }
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
