// SPDX-License-Identifier: Apache-2.0
// How far an array is from its reference: RMS of the difference over RMS of the reference.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "engine/service/reference_cases.h"

namespace fl::service {

// What is left of a rung once its values were looked at: the squared sums of every row (token), so
// that arrays larger than memory can be compared part by part.
struct RowSums {
    std::vector<double> difference;  // NaN: the shapes differ there
    std::vector<double> reference;
    std::int64_t width = 0;

    // The rows of `ours` and of the same part of the reference, behind those that are here.
    void add(const Array& ours, const Array& reference);
    std::int64_t rows() const { return static_cast<std::int64_t>(difference.size()); }
    double error(std::int64_t row) const;  // of that row alone
};

struct RungError {
    double overall = 0;
    double worstToken = 0;  // largest of a single row
    int worstRow = -1;
    double absolute = 0;  // RMS of the difference
};

// Of all rows but those that `leftOut` marks (empty: none). NaN where the shapes differ, a value is
// not finite or no row is left. Rows of a reference that is all zeros count by the difference
// alone.
RungError rungError(const RowSums& sums, const std::vector<bool>& leftOut = {});

// The name under which a capture has the logits of a layer's router: "layer.3.router".
std::string routerRung(int layer);
// How sure a router was of each token: its k-th largest logit minus the next one, over the RMS of
// the row.
std::vector<double> routerMargins(const Array& logits, int k);

struct GreedyJudgement {
    bool passed = false;
    int agreed = 0;  // tokens before the first that differs
};

// Ids must be equal; they may part where the reference was no surer than 10 × `logitsError`, and
// what follows is then another text.
GreedyJudgement judgeGreedy(std::span<const int> ours,
                            std::span<const int> reference,
                            std::span<const float> margins,
                            double logitsError);

}  // namespace fl::service
