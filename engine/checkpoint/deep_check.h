// SPDX-License-Identifier: Apache-2.0
// Reads every byte of a checkpoint and says which values cannot be weights: NaN and infinities,
// tensors that are only zeros, absurd ranges, scales that scale nothing, files that end in zeros
// that nobody wrote.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "engine/base/cancel_token.h"
#include "engine/base/finding.h"
#include "engine/base/result.h"
#include "engine/checkpoint/checkpoint.h"
#include "engine/checkpoint/finding_list.h"
#include "engine/checkpoint/tensor_stats.h"

namespace fl::checkpoint {

struct DeepProgress {
    std::int64_t bytesDone = 0;
    std::int64_t bytesTotal = 0;
    double seconds = 0;      // since the start
    double secondsLeft = 0;  // at the rate so far
};

struct DeepOptions {
    int threads = 0;  // 0: one per core, at most 8
    // Called from one of the reading threads, one at a time, about ten times a second.
    std::function<void(const DeepProgress&)> progress;
    CancelToken cancel;
};

struct DeepReport {
    std::vector<TensorStats> stats;         // index: place in Inventory::tensors()
    std::vector<std::uint64_t> fileHashes;  // index: shard; of its tensors in their order
    std::vector<Finding> findings;          // folded
    std::int64_t bytes = 0;
    double seconds = 0;
};

// Cancelled within milliseconds of a request. A file that cannot be read any more is a finding, the
// rest is looked at all the same.
Result<DeepReport> deepCheck(const Checkpoint& checkpoint, const DeepOptions& options);

// The rules alone: what the statistics of these tensors say. `shard` is where the tensor lies.
void judgeValues(const TensorInfo& tensor,
                 const TensorStats& stats,
                 const std::string& file,
                 FindingList& findings);

}  // namespace fl::checkpoint
