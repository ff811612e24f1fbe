// SPDX-License-Identifier: Apache-2.0
// Runs one rank's graph for one step: kernels of its device, collectives of its groups, the paged
// cache of its layers.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/comm/group.h"
#include "engine/device/device.h"
#include "engine/graph/memory_plan.h"
#include "engine/graph/op.h"
#include "engine/load/weight_set.h"
#include "engine/runtime/step.h"

namespace fl::runtime {

struct ExecutorOptions {
    std::int64_t maxTokens = 512;   // of one replica's step
    std::int64_t maxSequences = 8;  // of one replica's step
    std::int64_t pagesPerSequence = 256;
    std::int64_t pages = 2048;  // of the cache
    int pageTokens = 16;
    DType kv = DType::F32;
    fl_compute compute = FL_COMPUTE_F32;
};

// By kind; a rank is member of at most one group of a kind, and groups of one are absent.
using GroupsByKind = std::map<std::string, comm::Group*>;

// A value that answers a rung.
struct CapturedValue {
    std::string name;  // "layer.3.attn"
    std::int64_t rows = 0;
    std::int64_t width = 0;
    std::vector<float> values;
};

// Calls come from one thread.
class Executor {
public:
    // Looks all kernels up and takes all memory, so that a step can run out of neither. The cache
    // and the workspace are not touched before they are used. Everything given outlives it.
    static Result<std::unique_ptr<Executor>> create(const graph::Graph& graph,
                                                    const load::WeightSet& weights,
                                                    device::Device& device,
                                                    device::Stream& stream,
                                                    const GroupsByKind& groups,
                                                    const ExecutorOptions& options);
    Executor(const Executor&) = delete;
    Executor& operator=(const Executor&) = delete;

    // Runs the rank's part of its replica's batch. `groupRows`: tokens of each member of the
    // rank's edp group, in group order; empty where tokens do not travel.
    Status run(const ReplicaStep& step, std::span<const std::int64_t> groupRows);

    // The logits of the last run: one row per logit row. Empty on ranks without the head.
    Result<std::vector<float>> logits();
    std::int64_t vocabulary() const;

    // As run(), with all values that have a tap kept and returned. Takes its own workspace for
    // this one pass.
    Result<std::vector<CapturedValue>> capture(const ReplicaStep& step,
                                               std::span<const std::int64_t> groupRows);

    const graph::MemoryPlan& memoryPlan() const { return memoryPlan_; }

private:
    struct CompiledNode {
        const graph::Node* node = nullptr;
        const graph::OpDef* op = nullptr;  // null: a collective
        std::optional<device::Kernel> kernel;
        comm::Group* group = nullptr;
        std::vector<graph::BoundWeight> weights;
        graph::BoundState state;
        device::Buffer constants;
        std::string site;
    };
    // One pass: how many rows, and where values lie.
    struct Pass {
        graph::RowCounts rows;
        std::span<const std::int64_t> groupRows;
        const graph::MemoryPlan* plan = nullptr;
        std::byte* workspace = nullptr;
        graph::StepTables tables;
    };

    Executor(const graph::Graph& graph,
             const load::WeightSet& weights,
             device::Device& device,
             device::Stream& stream,
             const ExecutorOptions& options);
    Status takeMemory(const GroupsByKind& groups);
    Result<CompiledNode> compile(const graph::Node& node, const GroupsByKind& groups);
    Status compileKernel(CompiledNode& compiled);

    Status check(const ReplicaStep& step) const;
    graph::RowCounts rowsOf(const ReplicaStep& step, std::span<const std::int64_t> groupRows) const;
    Result<graph::StepTables> uploadTables(const ReplicaStep& step);
    Status runNodes(const Pass& pass);
    Status runKernel(CompiledNode& compiled, const Pass& pass);
    Status runCollective(const CompiledNode& compiled, const Pass& pass);
    Status reserveJoined(std::int64_t bytes);
    Status joinColumns(const CompiledNode& compiled, const Pass& pass);
    void* address(graph::ValueId value, const Pass& pass) const;

    const graph::Graph& graph_;
    const load::WeightSet& weights_;
    device::Device& device_;
    device::Stream& stream_;
    ExecutorOptions options_;
    std::int64_t groupMembers_ = 1;  // of the edp group
    graph::MemoryPlan memoryPlan_;
    device::Buffer workspace_;
    device::Buffer tables_;
    device::Buffer joined_;               // parts of rows before they are put side by side
    std::vector<device::Buffer> states_;  // index: StateId
    std::vector<CompiledNode> nodes_;
    std::int64_t lastLogitRows_ = 0;
};

}  // namespace fl::runtime
