// SPDX-License-Identifier: Apache-2.0
// One rank with its weights: runs steps in lock step with all others, and samples where its stage
// gives the answers.
#pragma once

#include <memory>
#include <vector>

#include "engine/base/result.h"
#include "engine/comm/host_collectives.h"
#include "engine/device/device.h"
#include "engine/graph/graph.h"
#include "engine/load/weight_set.h"
#include "engine/plan/plan.h"
#include "engine/recipe/model.h"
#include "engine/runtime/executor.h"
#include "engine/runtime/step.h"

namespace fl::service {

// What a rank is made of. All of it outlives the engine.
struct RankParts {
    const checkpoint::Checkpoint& checkpoint;
    const recipe::Model& model;
    const plan::Plan& plan;
    int rank = 0;
    device::Device& device;
    device::Stream& stream;
    runtime::GroupsByKind groups;
    comm::HostCollectives& world;
};

class RankEngine {
public:
    // Loads the rank's slices and takes the memory that steps will use.
    static Result<std::unique_ptr<RankEngine>> load(const RankParts& parts,
                                                    const load::ReadOptions& options);
    RankEngine(const RankEngine&) = delete;
    RankEngine& operator=(const RankEngine&) = delete;

    // About the weights' values.
    const std::vector<Finding>& findings() const { return weights_.findings; }
    std::int64_t storedBytes() const { return weights_.storedBytes; }

    // Called by all ranks with the same step. On rank 0 it gives every replica's samples, in the
    // order of the step's logit rows; nothing elsewhere.
    Result<std::vector<std::vector<runtime::Sampled>>> run(const runtime::Step& step);

    // Called by all ranks with the same step, which has tokens on one replica only. Gives the
    // rungs that this rank is to write: those of its stage on the first rank of each stage of that
    // replica, else none.
    Result<std::vector<runtime::CapturedValue>> capture(const runtime::Step& step);

private:
    RankEngine(const RankParts& parts, plan::Coordinates where);
    Status prepare(const load::ReadOptions& options);
    std::vector<std::int64_t> groupRows(const runtime::Step& step) const;
    const runtime::ReplicaStep& own(const runtime::Step& step) const;
    Result<std::vector<runtime::Sampled>> sampleAll(const runtime::ReplicaStep& step);
    bool samples() const;

    RankParts parts_;
    plan::Coordinates where_;
    graph::Graph graph_;
    load::WeightSet weights_;
    std::unique_ptr<runtime::Executor> executor_;
};

}  // namespace fl::service
