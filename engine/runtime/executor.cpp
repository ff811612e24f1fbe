// SPDX-License-Identifier: Apache-2.0
#include "engine/runtime/executor.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/core.h>

#include "engine/base/checked.h"
#include "engine/load/allocate.h"

namespace fl::runtime {

namespace {

constexpr std::array<std::string_view, 6> kCollectives = {
    "all_reduce", "all_gather", "gather_tokens", "scatter_tokens", "send", "receive"};

constexpr std::int64_t kWord = sizeof(std::int32_t);  // of ids, positions and tables; of F32 too

bool isCollective(std::string_view op) {
    return std::ranges::find(kCollectives, op) != kCollectives.end();
}

// "layer.3.attn", "embed", "head"
std::string siteOf(const graph::Graph& graph, const graph::Node& node) {
    if (node.layer < 0 || node.layer >= graph.layerCount)
        return node.site;
    return fmt::format("layer.{}.{}", node.layer, node.site);
}

Error at(const std::string& site, const graph::Node& node, const Error& error) {
    return Error{error.code, fmt::format("{} {}: {}", site, node.op, error.message)};
}

std::size_t index(std::int32_t id) {
    return static_cast<std::size_t>(id);
}

}  // namespace

Executor::Executor(const graph::Graph& graph,
                   const load::WeightSet& weights,
                   device::Device& device,
                   device::Stream& stream,
                   const ExecutorOptions& options)
    : graph_(graph),
      weights_(weights),
      device_(device),
      stream_(stream),
      options_(options) {}

Result<std::unique_ptr<Executor>> Executor::create(const graph::Graph& graph,
                                                   const load::WeightSet& weights,
                                                   device::Device& device,
                                                   device::Stream& stream,
                                                   const GroupsByKind& groups,
                                                   const ExecutorOptions& options) {
    std::unique_ptr<Executor> executor(new Executor(graph, weights, device, stream, options));
    FL_DO(executor->takeMemory(groups));
    for (const graph::Node& node : graph.nodes) {
        FL_TRY(auto compiled, executor->compile(node, groups));
        executor->nodes_.push_back(std::move(compiled));
    }
    FL_DO(stream.synchronize());
    return executor;
}

Status Executor::takeMemory(const GroupsByKind& groups) {
    if (const auto found = groups.find("edp"); found != groups.end())
        groupMembers_ = found->second->ranks();
    graph::RowCounts most;
    most.tokens = options_.maxTokens;
    most.sequences = options_.maxSequences;
    most.groupTokens = options_.maxTokens * groupMembers_;
    memoryPlan_ = graph::planMemory(graph_, most, graph::Taps::Reuse);
    FL_TRY(workspace_, load::allocate(device_, memoryPlan_.peakBytes, plan::Category::Activations));
    const std::int64_t words =
        4 * options_.maxTokens + options_.maxSequences * options_.pagesPerSequence;
    FL_TRY(tables_, load::allocate(device_, words * kWord, plan::Category::Activations));
    for (const graph::State& state : graph_.states) {
        if (state.kind != graph::State::Kind::Paged) {
            return Error{ErrorCode::Unsupported,
                         fmt::format("state {} is kept per sequence, which is not supported yet",
                                     state.name)};
        }
        const auto pageBytes = rowBytes(options_.kv, state.elements * options_.pageTokens);
        FL_TRY(auto pages,
               load::allocate(device_, pageBytes.value_or(0) * options_.pages, plan::Category::Kv));
        states_.push_back(std::move(pages));
    }
    return Done{};
}

Result<Executor::CompiledNode> Executor::compile(const graph::Node& node,
                                                 const GroupsByKind& groups) {
    CompiledNode compiled;
    compiled.node = &node;
    compiled.site = siteOf(graph_, node);
    if (isCollective(node.op)) {
        const auto group = groups.find(node.text("group"));
        if (group == groups.end()) {
            return Error{ErrorCode::Internal,
                         fmt::format("{} {}: this rank has no group {}", compiled.site, node.op,
                                     node.text("group"))};
        }
        compiled.group = group->second;
        if (node.op == "all_gather") {
            const std::int64_t width = graph_.values[index(node.outputs.front())].width;
            FL_DO(reserveJoined(options_.maxSequences * width * kWord));
        }
        return compiled;
    }
    compiled.op = graph::findOp(node.op);
    if (!compiled.op) {
        return Error{ErrorCode::Internal,
                     fmt::format("{}: unknown operator {}", compiled.site, node.op)};
    }
    FL_DO(compileKernel(compiled));
    return compiled;
}

Status Executor::compileKernel(CompiledNode& compiled) {
    const graph::Node& node = *compiled.node;
    for (const graph::WeightId weight : node.weights)
        compiled.weights.push_back(weights_.weights[index(weight)]);
    device::KernelTypes types;
    types.compute = options_.compute;
    types.state = static_cast<fl_dtype>(options_.kv);
    if (!compiled.weights.empty())
        types.weight = static_cast<fl_dtype>(compiled.weights.front().dtype);
    auto kernel = device_.findKernel(node.op, types);
    if (!kernel)
        return at(compiled.site, node, kernel.error());
    compiled.kernel = *kernel;
    if (node.state != graph::kNone) {
        const graph::State& state = graph_.states[index(node.state)];
        compiled.state.pages = states_[index(node.state)].data();
        compiled.state.dtype = options_.kv;
        compiled.state.pageBytes =
            rowBytes(options_.kv, state.elements * options_.pageTokens).value_or(0);
    }
    if (!compiled.op->constants)
        return Done{};
    const std::vector<float> values = compiled.op->constants(node);
    const std::int64_t bytes = static_cast<std::int64_t>(values.size()) * kWord;
    FL_TRY(compiled.constants, load::allocate(device_, bytes, plan::Category::Activations));
    return stream_.copyIn(compiled.constants.data(), values.data(), bytes);
}

Status Executor::check(const ReplicaStep& step) const {
    const auto sequences =
        step.pageTableStride > 0
            ? static_cast<std::int64_t>(step.pageTables.size()) / step.pageTableStride
            : 0;
    const bool fits = step.tokens() <= options_.maxTokens && sequences <= options_.maxSequences &&
                      step.pageTableStride <= options_.pagesPerSequence &&
                      step.positions.size() == step.ids.size() &&
                      step.rowSequences.size() == step.ids.size() &&
                      step.logitRows.size() <= step.ids.size();
    if (fits)
        return Done{};
    return Error{ErrorCode::InvalidArgument,
                 fmt::format("step of {} tokens in {} sequences, at most {} in {} are planned",
                             step.tokens(), sequences, options_.maxTokens, options_.maxSequences)};
}

graph::RowCounts Executor::rowsOf(const ReplicaStep& step,
                                  std::span<const std::int64_t> groupRows) const {
    graph::RowCounts rows;
    rows.tokens = step.tokens();
    rows.sequences = static_cast<std::int64_t>(step.logitRows.size());
    rows.groupTokens = rows.tokens;
    if (!groupRows.empty()) {
        rows.groupTokens = 0;
        for (const std::int64_t part : groupRows)
            rows.groupTokens += part;
    }
    return rows;
}

Result<graph::StepTables> Executor::uploadTables(const ReplicaStep& step) {
    graph::StepTables tables;
    auto* next = static_cast<std::int32_t*>(tables_.data());
    const auto upload = [&](const std::vector<std::int32_t>& values) -> Result<std::int32_t*> {
        std::int32_t* begin = next;
        const auto count = static_cast<std::int64_t>(values.size());
        if (count > 0)
            FL_DO(stream_.copyIn(begin, values.data(), count * kWord));
        next += count;
        return begin;
    };
    FL_TRY(tables.ids, upload(step.ids));
    FL_TRY(tables.positions, upload(step.positions));
    FL_TRY(tables.rowSequences, upload(step.rowSequences));
    FL_TRY(tables.logitRows, upload(step.logitRows));
    FL_TRY(tables.pageTables, upload(step.pageTables));
    tables.pageTableStride = step.pageTableStride;
    tables.pageTokens = options_.pageTokens;
    tables.compute = options_.compute;
    return tables;
}

void* Executor::address(graph::ValueId value, const Pass& pass) const {
    return pass.workspace + pass.plan->offsets[index(value)];
}

Status Executor::runNodes(const Pass& pass) {
    for (CompiledNode& compiled : nodes_)
        FL_DO(compiled.op ? runKernel(compiled, pass) : runCollective(compiled, pass));
    return stream_.synchronize();
}

Status Executor::runKernel(CompiledNode& compiled, const Pass& pass) {
    const graph::Node& node = *compiled.node;
    graph::Binding binding;
    binding.rows = pass.rows.of(graph_.values[index(node.outputs.front())].rows);
    if (binding.rows == 0)
        return Done{};
    std::vector<void*> inputs;
    std::vector<void*> outputs;
    for (const graph::ValueId value : node.inputs)
        inputs.push_back(address(value, pass));
    for (const graph::ValueId value : node.outputs)
        outputs.push_back(address(value, pass));
    binding.node = &node;
    binding.graph = &graph_;
    binding.inputs = inputs;
    binding.outputs = outputs;
    binding.weights = compiled.weights;
    binding.state = compiled.state;
    binding.constants = compiled.constants.data();
    binding.step = pass.tables;
    graph::KernelArguments arguments;
    compiled.op->bind(binding, arguments);
    if (auto launched = stream_.launch(*compiled.kernel, arguments.bytes.data()); !launched)
        return at(compiled.site, node, launched.error());
    return Done{};
}

Status Executor::run(const ReplicaStep& step, std::span<const std::int64_t> groupRows) {
    FL_DO(check(step));
    Pass pass;
    pass.rows = rowsOf(step, groupRows);
    pass.groupRows = groupRows;
    pass.plan = &memoryPlan_;
    pass.workspace = static_cast<std::byte*>(workspace_.data());
    FL_TRY(pass.tables, uploadTables(step));
    lastLogitRows_ = pass.rows.sequences;
    return runNodes(pass);
}

std::int64_t Executor::vocabulary() const {
    return graph_.output == graph::kNone ? 0 : graph_.values[index(graph_.output)].width;
}

Result<std::vector<float>> Executor::logits() {
    std::vector<float> values;
    if (graph_.output == graph::kNone || lastLogitRows_ == 0)
        return values;
    values.resize(static_cast<std::size_t>(lastLogitRows_ * vocabulary()));
    const auto* from = static_cast<const std::byte*>(workspace_.data()) +
                       memoryPlan_.offsets[index(graph_.output)];
    FL_DO(stream_.copyOut(values.data(), from, static_cast<std::int64_t>(values.size()) * kWord));
    FL_DO(stream_.synchronize());
    return values;
}

Result<std::vector<CapturedValue>> Executor::capture(const ReplicaStep& step,
                                                     std::span<const std::int64_t> groupRows) {
    FL_DO(check(step));
    Pass pass;
    pass.rows = rowsOf(step, groupRows);
    pass.groupRows = groupRows;
    const graph::MemoryPlan plan = graph::planMemory(graph_, pass.rows, graph::Taps::Keep);
    FL_TRY(const auto workspace,
           load::allocate(device_, plan.peakBytes, plan::Category::Activations));
    pass.plan = &plan;
    pass.workspace = static_cast<std::byte*>(workspace.data());
    FL_TRY(pass.tables, uploadTables(step));
    FL_DO(runNodes(pass));

    std::vector<CapturedValue> captured;
    for (std::size_t id = 0; id < graph_.values.size(); ++id) {
        const graph::Value& value = graph_.values[id];
        if (value.tap.empty() || plan.offsets[id] < 0)
            continue;
        CapturedValue one{value.tap, pass.rows.of(value.rows), value.width, {}};
        one.values.resize(static_cast<std::size_t>(one.rows * one.width));
        FL_DO(stream_.copyOut(one.values.data(), pass.workspace + plan.offsets[id],
                              static_cast<std::int64_t>(one.values.size()) * kWord));
        captured.push_back(std::move(one));
    }
    FL_DO(stream_.synchronize());
    return captured;
}

}  // namespace fl::runtime
