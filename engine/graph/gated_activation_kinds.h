// SPDX-License-Identifier: Apache-2.0
// The gated activations that operators can be asked for, and the numbers each of them needs.
#pragma once

#include <string_view>

#include "engine/base/result.h"
#include "engine/graph/graph.h"

namespace fl::graph {

// Attribute `key` names one of them: silu (limit), situ (beta, linear_beta), swiglu_oai (alpha,
// limit), gelu_tanh.
Status checkGatedActivation(const Node& node, std::string_view key);

}  // namespace fl::graph
