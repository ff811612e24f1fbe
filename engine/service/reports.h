// SPDX-License-Identifier: Apache-2.0
// Turns what the stages found into the messages that panels, `--json` and late clients get.
#pragma once

#include <vector>

#include "engine/plan/plan.h"
#include "engine/protocol/census_messages.h"
#include "engine/protocol/plan_messages.h"
#include "engine/protocol/topology_messages.h"
#include "engine/service/prepare.h"

namespace fl::service {

protocol::Census censusReport(const Inspection& inspection);

// Names containing request.search, sorted; missing tensors are listed among them.
protocol::TensorsReply tensorsReport(const Inspection& inspection,
                                     const protocol::TensorsRequest& request);

// `searched`: all legal plans on this cluster with free numbers, best first; they give the
// alternatives and the legal values.
protocol::PlanInfo planReport(const Inspection& inspection,
                              const Placement& placement,
                              const std::vector<plan::Plan>& searched);

// The search whose answer planReport() wants.
std::vector<plan::Plan> searchAlternatives(const Inspection& inspection,
                                           const Placement& placement);

protocol::SlicesReply slicesReport(const Inspection& inspection, const plan::Plan& plan, int rank);

// "layers 0–14, tp 1 of 3": which part of the model a rank holds.
std::string sliceText(const plan::Plan& plan, int rank);

protocol::Topology topologyReport(const Placement& placement);

}  // namespace fl::service
