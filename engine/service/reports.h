// SPDX-License-Identifier: Apache-2.0
// Turns what the stages found into the messages that panels, `--json` and late clients get.
#pragma once

#include <vector>

#include "engine/base/cancel_token.h"
#include "engine/base/result.h"
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

// Searches all legal plans on this cluster with free numbers, best first: they give the
// alternatives and the legal values. Takes seconds on large clusters; fails once cancelled.
Result<protocol::PlanInfo> planReport(const Inspection& inspection,
                                      const Placement& placement,
                                      const CancelToken& cancel = {});

protocol::SlicesReply slicesReport(const Inspection& inspection, const plan::Plan& plan, int rank);

// "layers 0–14, tp 1 of 3": which part of the model a rank holds.
std::string sliceText(const plan::Plan& plan, int rank);

protocol::Topology topologyReport(const Placement& placement);

}  // namespace fl::service
