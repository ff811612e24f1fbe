// SPDX-License-Identifier: Apache-2.0
// Turns what the stages found into the messages that panels, `--json` and late clients get.
#pragma once

#include <vector>

#include "engine/base/cancel_token.h"
#include "engine/base/result.h"
#include "engine/plan/plan.h"
#include "engine/protocol/census_messages.h"
#include "engine/protocol/plan_messages.h"
#include "engine/protocol/recipe_messages.h"
#include "engine/protocol/topology_messages.h"
#include "engine/protocol/value_messages.h"
#include "engine/service/prepare.h"

namespace fl::recipe {
struct RecipeDraft;
}

namespace fl::service {

protocol::Census censusReport(const Inspection& inspection);

// Names containing request.search, sorted; missing tensors are listed among them.
protocol::TensorsReply tensorsReport(const Inspection& inspection,
                                     const protocol::TensorsRequest& request);

// Reads the tensor from disk; takes as long as that takes, unless cancelled. InvalidArgument for a
// number of bins out of range, NotFound for an unknown tensor, Unsupported for a type whose values
// are not known.
Result<protocol::HistogramReply> histogramReport(const checkpoint::Checkpoint& checkpoint,
                                                 const protocol::HistogramRequest& request,
                                                 const CancelToken& cancel);

// Without `file`.
protocol::RecipeDraft draftReport(const recipe::RecipeDraft& draft);

// Searches all legal plans on this cluster with free numbers, best first: they give the
// alternatives. Takes seconds on large clusters; fails once cancelled.
Result<protocol::PlanInfo> planReport(const Inspection& inspection,
                                      const Placement& placement,
                                      const CancelToken& cancel = {});
// The same without the search.
Result<protocol::PlanInfo> proposalReport(const Inspection& inspection,
                                          const Placement& placement,
                                          const CancelToken& cancel = {});

protocol::AlternativeInfo alternativeInfo(const plan::Candidate& plan);
protocol::SearchProgress searchReport(const plan::SearchState& state);

// Columns of what each rank holds of each layer, by "layer" or by "kind"; see PlanCells.
// Preconditions of the three: the plan violates no rule, and the rank is one of its own.
Result<protocol::PlanCells> cellsReport(const Inspection& inspection,
                                        const plan::Plan& plan,
                                        const std::string& by);
protocol::SlicesReply slicesReport(const Inspection& inspection, const plan::Plan& plan, int rank);
// What lies in one cell; row and kind as in PlanCells, an empty kind means all.
protocol::SlicesReply cellReport(const Inspection& inspection,
                                 const plan::Plan& plan,
                                 int rank,
                                 int row,
                                 const std::string& kind);

// "layers 0–14, tp 1 of 3": which part of the model a rank holds.
std::string sliceText(const plan::Plan& plan, int rank);

// Devices without ranks.
protocol::NodeInfo nodeReport(const topology::Node& node);

// With the links that each group uses, and what other orders of the ranks would cost.
protocol::Topology topologyReport(const Inspection& inspection, const Placement& placement);

}  // namespace fl::service
