// SPDX-License-Identifier: Apache-2.0
// Inverse frequencies of rotary position embeddings and their scaling, as functions of a rope
// node's attributes. Formulas and default values: transformers, modeling_rope_utils.py; computed
// in float32 as there.
//
//   rotary         values per head that turn
//   type           "default", "linear", "llama3" or "yarn"
//   theta          base wavelength
//   factor         all but default: how much longer the context became
//   original_context                     llama3, yarn: tokens before scaling
//   low_freq_factor, high_freq_factor    llama3
//   beta_fast, beta_slow, truncate       yarn, optional (32, 1, 1)
//   attention_factor                     yarn, optional: else from factor and mscale /
//   mscale_all_dim
//   frequency_factors                    optional, rotary / 2 numbers: each frequency is divided by
//   its own (ggml, ggml-cpu/ops.cpp, ggml_rope_cache_init: theta / freq_factors[i])
#pragma once

#include <vector>

#include "engine/graph/graph.h"

namespace fl::graph {

// Names the missing or illegal attribute and, for an unknown type, the known ones.
Status checkRope(const Node& node);

// Preconditions for both: checkRope(node) succeeded.
std::vector<float> ropeFrequencies(const Node& node);  // rotary / 2 values
double ropeAttentionFactor(const Node& node);          // multiplies sine and cosine

}  // namespace fl::graph
