// SPDX-License-Identifier: Apache-2.0
// Whether kernels exist for all of a graph. Graphs can be planned before they can be run.
#pragma once

#include <string>
#include <vector>

#include "engine/graph/graph.h"

namespace fl::graph {

// What nothing computes yet, each once, in order of first use: "operator mla_attention",
// "rope with a rotary part behind others", "weights in fp8 in blocks of 128 × 128". Empty: the
// graph can run.
std::vector<std::string> missingKernels(const Graph& graph);

}  // namespace fl::graph
