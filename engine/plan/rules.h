// SPDX-License-Identifier: Apache-2.0
// What a mesh must satisfy, as one named function per rule. All are always evaluated, so that every
// violation is seen at once, each with the legal values.
#pragma once

#include <string>
#include <vector>

#include "engine/plan/plan.h"

namespace fl::plan {

// The sizes of a model that rules speak about.
struct Facts {
    const graph::Graph* graph = nullptr;
    const std::vector<StoredWeight>* stored = nullptr;
    std::vector<std::int64_t> heads;    // of weights whose heads cannot be shared
    std::vector<std::int64_t> kvHeads;  // of those whose heads can
    std::vector<std::int64_t> groups;   // of projections that work in groups
    std::vector<bool> latent;           // of each weight: it leads into or out of a latent space
    std::int64_t experts = 0;           // 0: no mixture of experts
    int devices = 0;
};
Facts gatherFacts(const graph::Graph& graph,
                  const std::vector<StoredWeight>& stored,
                  const topology::Cluster& cluster);

// Rules about shapes, counts and context; empty if the mesh can be cut. Only then may a partition
// and a ledger be made. A number that means nothing is reported, and counts as 1 for the others.
std::vector<Finding> checkShape(const Facts& facts, const Mesh& mesh, const PlanOptions& options);

// The ledger's rule: names the rank that is furthest over its budget, its largest part and, where
// a smaller cache suffices, the context or the sequences that fit. `count` is the number of ranks
// over budget.
std::vector<Finding> checkMemory(const Plan& plan);

// As checkShape, without a word: for searches.
bool tpFits(const Facts& facts, int tp);
bool epFits(const Facts& facts, const Mesh& mesh);

std::vector<int> legalTp(const Facts& facts, int most);
std::vector<int> legalEp(const Facts& facts, const Mesh& mesh);

std::string listed(const std::vector<int>& values);  // "1, 3 or 9"

}  // namespace fl::plan
