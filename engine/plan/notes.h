// SPDX-License-Identifier: Apache-2.0
// What a plan that can be cut should be told nevertheless, as one named check per rule, each with
// the values that would avoid it. All are always evaluated.
#pragma once

#include <vector>

#include "engine/plan/plan.h"
#include "engine/topology/cluster.h"

namespace fl::plan {

// Precondition: the plan has its ranks.
std::vector<Finding> notesOn(const graph::Graph& graph,
                             const std::vector<StoredWeight>& stored,
                             const topology::Cluster& cluster,
                             const Plan& plan);

// Key/value heads, or the one latent that stands for all of them, that several ranks hold because
// TP is larger than their number: what these copies cost.
void noteCopiedHeads(const graph::Graph& graph, const Plan& plan, std::vector<Finding>& out);

// EP spreads experts, and a stage has no layer with any: its ranks are no use to the others'.
void noteStagesWithoutExperts(const graph::Graph& graph,
                              const Plan& plan,
                              std::vector<Finding>& out);

// Devices that name the formats their arithmetic knows, and weights in another one.
void noteFormats(const graph::Graph& graph,
                 const std::vector<StoredWeight>& stored,
                 const topology::Cluster& cluster,
                 const Plan& plan,
                 std::vector<Finding>& out);

// Devices that name the widest attention head their kernels take, and a wider one.
void noteHeadSizes(const graph::Graph& graph,
                   const topology::Cluster& cluster,
                   const Plan& plan,
                   std::vector<Finding>& out);

// Ranks that need more of a machine's own memory than it has. An error.
void checkHosts(const topology::Cluster& cluster, const Plan& plan, std::vector<Finding>& out);

}  // namespace fl::plan
