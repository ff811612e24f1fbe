// SPDX-License-Identifier: Apache-2.0
// Whether kernels exist for all of a graph. Graphs can be planned before they can be run.
#pragma once

#include <string>
#include <vector>

#include "engine/base/dtype.h"
#include "engine/graph/graph.h"
#include "engine/graph/stored_weight.h"

namespace fl::graph {

// What nothing computes yet, each once, in order of first use: "operator mla_attention",
// "rope with a rotary part behind others", "weights in fp8 in blocks of 128 × 128". Empty: the
// graph can run. `stored`: how a checkpoint holds the weights, by WeightId; empty: not known.
std::vector<std::string> missingKernels(const Graph& graph,
                                        const std::vector<StoredWeight>& stored = {});

// Whether kernels read weights of this type without further scales.
bool hasKernel(DType dtype);

}  // namespace fl::graph
