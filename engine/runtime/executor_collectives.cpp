// SPDX-License-Identifier: Apache-2.0
// The nodes a plan placed between ranks.
#include <numeric>

#include <fmt/core.h>

#include "engine/load/allocate.h"
#include "engine/runtime/executor.h"

namespace fl::runtime {

namespace {

constexpr std::int64_t kWord = sizeof(float);

std::vector<std::int64_t> scaled(std::span<const std::int64_t> counts, std::int64_t factor) {
    std::vector<std::int64_t> out(counts.begin(), counts.end());
    for (std::int64_t& count : out)
        count *= factor;
    return out;
}

}  // namespace

Status Executor::reserveJoined(std::int64_t bytes) {
    if (joined_.bytes() >= bytes)
        return Done{};
    FL_TRY(joined_, load::allocate(device_, bytes, plan::Category::Communication));
    return Done{};
}

// All values are four bytes an element: float32, or int32 for chosen experts.
Status Executor::runCollective(const CompiledNode& compiled, const Pass& pass) {
    const graph::Node& node = *compiled.node;
    comm::Group& group = *compiled.group;
    const graph::ValueId first = node.inputs.empty() ? node.outputs.front() : node.inputs.front();
    const graph::Value& value = graph_.values[static_cast<std::size_t>(first)];
    const std::int64_t elements = pass.rows.of(value.rows) * value.width;
    void* from = node.inputs.empty() ? nullptr : address(node.inputs.front(), pass);
    void* to = node.outputs.empty() ? nullptr : address(node.outputs.front(), pass);
    if (node.op == "gather_tokens") {
        return group.allGather(from, to, scaled(pass.groupRows, value.width * kWord),
                               compiled.site);
    }
    if (node.op == "scatter_tokens") {
        return group.reduceScatter(static_cast<const float*>(from), static_cast<float*>(to),
                                   scaled(pass.groupRows, value.width), compiled.site);
    }
    // Nobody in this group has rows here: they all belong to one replica.
    if (elements == 0)
        return Done{};
    if (node.op == "all_reduce") {
        if (from != to)
            FL_DO(stream_.copy(to, from, elements * kWord));
        return group.allReduce(static_cast<float*>(to), elements, compiled.site);
    }
    if (node.op == "send") {
        return group.send(from, elements * kWord, static_cast<int>(node.integer("to")),
                          compiled.site);
    }
    if (node.op == "receive") {
        return group.receive(to, elements * kWord, static_cast<int>(node.integer("from")),
                             compiled.site);
    }
    return joinColumns(compiled, pass);
}

// all_gather gives one block of [rows, part] per rank; the value wanted is [rows, all parts].
Status Executor::joinColumns(const CompiledNode& compiled, const Pass& pass) {
    const graph::Node& node = *compiled.node;
    const graph::Value& whole = graph_.values[static_cast<std::size_t>(node.outputs.front())];
    const std::int64_t rows = pass.rows.of(whole.rows);
    FL_DO(reserveJoined(rows * whole.width * kWord));
    std::vector<std::int64_t> bytes;
    for (const double columns : node.reals("columns"))
        bytes.push_back(static_cast<std::int64_t>(columns) * rows * kWord);
    FL_DO(compiled.group->allGather(address(node.inputs.front(), pass), joined_.data(), bytes,
                                    compiled.site));
    const auto* from = static_cast<const std::byte*>(joined_.data());
    auto* to = static_cast<std::byte*>(address(node.outputs.front(), pass));
    for (const std::int64_t blockBytes : bytes) {
        const std::int64_t partBytes = blockBytes / rows;
        for (std::int64_t row = 0; row < rows; ++row)
            FL_DO(stream_.copy(to + row * whole.width * kWord, from + row * partBytes, partBytes));
        from += blockBytes;
        to += partBytes;
    }
    return Done{};
}

}  // namespace fl::runtime
