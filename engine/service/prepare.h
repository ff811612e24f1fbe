// SPDX-License-Identifier: Apache-2.0
// From a job's settings to a model and a plan, with headers alone. The control process does it to
// show it, every rank does it again to know its part: the same settings give the same plan.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "engine/base/cancel_token.h"
#include "engine/base/finding.h"
#include "engine/base/result.h"
#include "engine/checkpoint/checkpoint.h"
#include "engine/plan/plan.h"
#include "engine/protocol/job_messages.h"
#include "engine/recipe/model.h"
#include "engine/topology/cluster.h"

namespace fl::device {
class PluginRegistry;
}

namespace fl::service {

struct Inspection {
    // Behind a pointer, because the model's tensor names view it.
    std::unique_ptr<checkpoint::Checkpoint> checkpoint;
    recipe::Model model;
    // Of files, recipe and contract, folded; `stage` is "inspect". With errors among them the
    // model is not to be planned.
    std::vector<Finding> findings;
};

// Fails where there is no checkpoint to speak of, or where the recipe asked for does not exist.
// Looks at `cancel` all the way, as placeModel() does.
Result<Inspection> inspectCheckpoint(const protocol::JobSettings& settings,
                                     const CancelToken& cancel = {});

struct Placement {
    topology::Cluster cluster;
    plan::Plan plan;  // its findings say which rules it violates
};

// Fails on an unknown cluster or compute type; violated rules are findings of the plan.
// Precondition: no errors among the inspection's findings.
Result<Placement> placeModel(const Inspection& inspection,
                             const protocol::JobSettings& settings,
                             device::PluginRegistry& registry,
                             const CancelToken& cancel = {});
// The same on a cluster that is known, whatever settings.cluster says.
Result<Placement> placeModel(const Inspection& inspection,
                             const protocol::JobSettings& settings,
                             topology::Cluster cluster,
                             const CancelToken& cancel = {});

// "290 tensors, 3,554,176,256 bytes in 2 files": the same on every node, or they have different
// checkpoints under one path.
std::string checkpointText(const Inspection& inspection);

// "kernels-missing", listing what of the model nothing computes yet; nothing if it can run.
std::optional<Finding> missingKernels(const Inspection& inspection);

Result<plan::PlanOptions> planOptions(const protocol::JobSettings& settings);

// `settings` with every number that the planner chose: what ranks get.
protocol::JobSettings chosenSettings(const protocol::JobSettings& settings, const plan::Plan& plan);

std::string_view computeName(plan::Compute compute);  // "f32"

// "ok", "warnings", "errors"
std::string verdictOf(const std::vector<Finding>& findings);

}  // namespace fl::service
