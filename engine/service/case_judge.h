// SPDX-License-Identifier: Apache-2.0
// Holds what the ranks captured of one case against its reference, rung by rung.
//
// Where tokens may part. A router takes the k experts with the largest logits. Where the k-th and
// the next are closer than rounding, exact and rounded arithmetic take different experts, and both
// are right; the token then goes on with other numbers, and comparing these says nothing. In
// reduced precision (never in f32) a token is therefore left out of a rung and of all behind it if
//   - its own error there is above the tolerance,
//   - the rung is the first behind a router: layer.<i>.mlp, or layer.<i>,
//   - that router's margin, k-th logit minus the next over the RMS of the token's logits, is below
//     10 × the error of what it was given, which is what the greedy rung grants too. That error is
//     the largest of the rungs before (not above the tolerance), and no less than one step of
//     bfloat16, 2^-8.
// All other tokens are held to the tolerance as before, also those that attend to one that parted.
// If half of a case's tokens or more would part, none may: that is no rounding.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/cancel_token.h"
#include "engine/base/result.h"
#include "engine/checkpoint/checkpoint.h"
#include "engine/protocol/link_messages.h"
#include "engine/protocol/validate_messages.h"
#include "engine/service/reference_cases.h"
#include "engine/service/rung_compare.h"

namespace fl::service {

struct JudgeRules {
    double tolerance = 1e-4;
    // Layer → k, of routers that choose by their logits alone. Empty: no token may part.
    std::map<int, int> chosen;
    // "layers 0–14, tp 1 of 3": what a rank holds.
    std::function<std::string(int rank)> sliceOf;
};

// Adds to the result; the first rung that fails is its first divergence.
void addRung(protocol::CaseResult& result, protocol::Rung rung, protocol::Divergence where);

class CaseJudge {
public:
    CaseJudge(const ReferenceCase& one, const JudgeRules& rules, CancelToken cancel);

    // The files that one rank wrote of the case, in order; each has the rows behind the one before.
    Status open(const protocol::RankCaptured& captured);
    // Every rank that holds a rung is compared; the worst counts. Reads one part of one rung at a
    // time. Fails if no rank has a rung of the reference, or once cancelled.
    Status judge(protocol::CaseResult& result);

    // RMS of the difference of the logits, of all tokens: the greedy ids may go the way of one that
    // parted. 0 before they were judged.
    double logitsError() const { return logitsError_; }

private:
    struct RankFiles {
        int rank = 0;
        std::vector<checkpoint::Checkpoint> parts;
    };

    Status judgeRung(const std::string& name, protocol::CaseResult& result);
    Result<RowSums> sumsOf(const std::string& name, const RankFiles& files) const;
    Result<std::vector<double>> marginsOf(int layer) const;
    // Marks the tokens that parted at the router before this rung.
    Status part(const std::string& name, const RowSums& sums);

    const ReferenceCase& case_;
    const JudgeRules& rules_;
    CancelToken cancel_;
    std::vector<RankFiles> files_;
    std::vector<bool> parted_;  // of each token
    double before_ = 0;         // largest error of the rungs so far
    double logitsError_ = 0;
};

}  // namespace fl::service
