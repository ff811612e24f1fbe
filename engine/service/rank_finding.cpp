// SPDX-License-Identifier: Apache-2.0
#include "engine/service/rank_finding.h"

namespace fl::service {

Finding rankFinding(const Error& error, const std::string& stage) {
    switch (error.code) {
        case ErrorCode::OutOfMemory: {
            Finding finding = fromError(error, "device-out-of-memory", stage);
            finding.remedy =
                "use more ranks, a larger budget, a shorter context or fewer sequences";
            return finding;
        }
        case ErrorCode::Timeout: {
            Finding finding = fromError(error, "collective-timeout", stage);
            finding.remedy = "look at the ranks that are not in this collective";
            return finding;
        }
        case ErrorCode::Corrupt: {
            Finding finding =
                fromError(error, stage == "load" ? "weights-unreadable" : "rank-failed", stage);
            if (stage == "load")
                finding.remedy = "inspect the checkpoint again: a file has changed since";
            return finding;
        }
        default:
            return fromError(error, "rank-failed", stage);
    }
}

}  // namespace fl::service
