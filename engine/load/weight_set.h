// SPDX-License-Identifier: Apache-2.0
// The weights one rank holds, on its device.
#pragma once

#include <span>
#include <vector>

#include "engine/base/finding.h"
#include "engine/base/result.h"
#include "engine/checkpoint/checkpoint.h"
#include "engine/device/device.h"
#include "engine/graph/op.h"
#include "engine/load/part_reader.h"
#include "engine/plan/plan.h"

namespace fl::load {

// Movable; the addresses stay valid while it lives.
struct WeightSet {
    std::vector<graph::BoundWeight> weights;  // index: WeightId of the rank's graph
    std::vector<Finding> findings;            // about values, see readParts()
    std::int64_t storedBytes = 0;
    device::Buffer memory;
    device::Buffer expertTables;  // addresses of experts, one run per family
};

// Reads what `slices` name (see makeParts) into one piece of device memory: everything in the
// checkpoint's own types. Host memory beyond that is bounded by ReadOptions::windowBytes. Fails
// with OutOfMemory before anything is read where the device's budget does not take the weights.
Result<WeightSet> loadWeights(std::span<const plan::Slice> slices,
                              std::span<const std::vector<checkpoint::TensorInfo>> tensors,
                              std::span<const checkpoint::Shard> shards,
                              device::Device& device,
                              const ReadOptions& options);

}  // namespace fl::load
