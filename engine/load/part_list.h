// SPDX-License-Identifier: Apache-2.0
// Which bytes of which files go where in a rank's weight memory: the plan's slices turned into a
// list of reads. Pure.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/base/result.h"
#include "engine/checkpoint/checkpoint.h"
#include "engine/plan/plan.h"

namespace fl::load {

// A run of equal pieces in a file: `rows` times `rowBytes` bytes, `rowStride` apart. A cut along
// the outermost dimension is one row; a cut along the next has one row per row of the tensor.
struct Part {
    checkpoint::TensorInfo tensor;
    std::int64_t fileOffset = 0;
    std::int64_t rows = 1;
    std::int64_t rowBytes = 0;
    std::int64_t rowStride = 0;
    std::int64_t target = 0;  // from the beginning of the rank's weight memory
    std::int64_t bytes() const { return rows * rowBytes; }
};

// Where one weight of the rank's graph lies.
struct PlacedWeight {
    DType dtype = DType::F32;
    Shape shape;                        // of one tensor's slice
    std::vector<std::int64_t> targets;  // one, or one per local expert
    std::int64_t firstRow = 0;
    std::int32_t firstExpert = 0;
    bool family = false;
};

struct PartList {
    std::vector<Part> parts;            // in file order
    std::vector<PlacedWeight> weights;  // index: WeightId of the rank's graph
    std::int64_t bytes = 0;             // of weight memory, alignment included
    std::int64_t storedBytes = 0;       // that will be read and kept
};

constexpr std::int64_t kWeightAlignment = 64;

// tensors[w]: the tensors behind weight w of the whole model's graph, one or one per expert.
// Weights with the same slice of the same tensor (a tied head) share their place. Fails where a
// slice does not fit its tensor: outside its shape, or inside a quantisation block.
Result<PartList> makeParts(std::span<const plan::Slice> slices,
                           std::span<const std::vector<checkpoint::TensorInfo>> tensors);

}  // namespace fl::load
