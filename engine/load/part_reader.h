// SPDX-License-Identifier: Apache-2.0
// Reads a part list with several threads through a window of fixed size.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "engine/base/cancel_token.h"
#include "engine/base/finding.h"
#include "engine/base/result.h"
#include "engine/load/part_list.h"

namespace fl::load {

// Where the bytes go. Called from several threads, for ranges that never overlap.
class WeightSink {
public:
    virtual ~WeightSink() = default;
    // The address to read straight into, or null: then write() is used.
    virtual std::byte* direct(std::int64_t offset) = 0;
    virtual Status write(std::int64_t offset, std::span<const std::byte> bytes) = 0;
};

struct Progress {
    std::int64_t tensorsDone = 0;
    std::int64_t tensors = 0;
    std::int64_t bytesDone = 0;
    std::int64_t bytes = 0;
    std::string file;  // read last
};

struct ReadOptions {
    int readers = 2;
    // Staging of all readers together. A read is never longer than a reader's share, so that a
    // cancel is seen soon on a slow disk too.
    std::int64_t windowBytes = std::int64_t{16} << 20;
    CancelToken cancel;
    // From the reader threads, one at a time.
    std::function<void(const Progress&)> onProgress;
};

// Fills the sink. Returns findings for tensors of plain floating types that hold NaN or infinity.
// Fails with Cancelled, or with an error that names file and tensor: a file that became shorter
// since it was inspected is one.
Result<std::vector<Finding>> readParts(const PartList& list,
                                       std::span<const checkpoint::Shard> shards,
                                       WeightSink& sink,
                                       const ReadOptions& options);

// NaNs and infinities among the values; 0 for types that cannot hold any.
std::int64_t countNonFinite(DType type, std::span<const std::byte> bytes);

}  // namespace fl::load
