// SPDX-License-Identifier: Apache-2.0
// Whether weights can be cut into parts of whole quantisation blocks, and which rule a weight that
// cannot be cut breaks.
#pragma once

#include <cstdint>

#include "engine/plan/partition.h"
#include "engine/plan/rules.h"

namespace fl::plan {

enum class CutRule : std::uint8_t {
    Vocabulary,  // rows of embedding and head
    Latents,     // into and out of a latent space: of attention, of experts
    Experts,     // inside of one expert, where an expert group is smaller than TP
    Blocks,      // everything else
};
CutRule cutRuleOf(const Facts& facts, graph::WeightId id);

// How a weight is cut: into `parts`, each of whole units of the cut dimension. A part of heads has
// as many values on every rank; any other may have less than the others, but not nothing.
struct WeightCut {
    int parts = 1;
    std::int64_t unit = 1;
    bool fits = true;
};
WeightCut weightCut(const Facts& facts, const Partition& partition, graph::WeightId id);

// Every weight, or those of one rule.
bool weightsFit(const Facts& facts, const Mesh& mesh);
bool weightsFit(const Facts& facts, const Mesh& mesh, CutRule rule);

}  // namespace fl::plan
