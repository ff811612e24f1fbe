// SPDX-License-Identifier: Apache-2.0
// How far an array is from its reference: RMS of the difference over RMS of the reference.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/service/reference_cases.h"

namespace fl::service {

struct RungError {
    double overall = 0;
    double worstToken = 0;  // largest of a single row
    int worstRow = -1;
    double absolute = 0;  // RMS of the difference
};

// NaN where the shapes differ or a value is not finite. Rows of a reference that is all zeros count
// by the difference alone.
RungError compareRung(const Array& ours, const Array& reference);

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
