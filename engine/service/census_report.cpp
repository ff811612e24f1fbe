// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <numeric>

#include "engine/recipe/distinct_layers.h"
#include "engine/service/reports.h"
#include "engine/service/tensor_index.h"

namespace fl::service {

namespace {

template <class Key>
std::vector<protocol::Named> rows(const std::map<Key, std::int64_t>& totals) {
    std::vector<protocol::Named> out;
    for (const auto& [key, value] : totals)
        out.push_back({std::string(key), value});
    std::stable_sort(out.begin(), out.end(),
                     [](const auto& a, const auto& b) { return a.value > b.value; });
    return out;
}

using KindTotals = std::array<std::int64_t, graph::kWeightKindCount>;

std::vector<protocol::Named> rowsByKind(const KindTotals& totals, std::int64_t scales) {
    std::map<std::string_view, std::int64_t> named;
    for (std::size_t kind = 0; kind < totals.size(); ++kind) {
        if (totals[kind] != 0)
            named[graph::name(static_cast<graph::WeightKind>(kind))] += totals[kind];
    }
    if (scales > 0)
        named["scales"] = scales;
    return rows(named);
}

// Bytes that no weight accounts for.
KindTotals withOthers(const recipe::Contract& contract, std::int64_t tensorBytes) {
    KindTotals totals = contract.bytesByKind;
    const std::int64_t known = std::accumulate(totals.begin(), totals.end(), contract.scaleBytes);
    totals[static_cast<std::size_t>(graph::WeightKind::Other)] += tensorBytes - known;
    return totals;
}

std::int64_t total(const KindTotals& totals, graph::WeightKind kind) {
    return totals[static_cast<std::size_t>(kind)];
}

std::vector<protocol::ShardInfo> shardRows(const Inspection& inspection) {
    std::vector<protocol::ShardInfo> out;
    for (const checkpoint::Shard& shard : inspection.checkpoint->shards) {
        protocol::ShardInfo row{shard.fileName, shard.fileBytes, shard.tensorCount, "whole"};
        for (const Finding& finding : inspection.findings) {
            const bool named =
                finding.file == shard.fileName || finding.file == shard.path ||
                std::count(finding.examples.begin(), finding.examples.end(), shard.fileName) > 0;
            if (!named || row.state == "broken" || finding.severity == Severity::Info)
                continue;
            row.state = finding.severity == Severity::Error ? "broken" : "warning";
        }
        out.push_back(std::move(row));
    }
    return out;
}

// Kind of each tensor that a weight of the graph reads, by name.
std::map<std::string_view, graph::WeightKind> kindsByTensor(const recipe::Model& model) {
    std::map<std::string_view, graph::WeightKind> out;
    for (std::size_t i = 0; i < model.tensors.size() && i < model.graph.weights.size(); ++i) {
        for (const checkpoint::TensorInfo& tensor : model.tensors[i])
            out[tensor.name] = model.graph.weights[i].kind;
    }
    return out;
}

protocol::TensorRow rowOf(const checkpoint::TensorInfo& tensor) {
    protocol::TensorRow row;
    row.name = tensor.name;
    row.dtype = name(tensor.dtype);
    row.shape.assign(tensor.shape.dims().begin(), tensor.shape.dims().end());
    row.shard = tensor.shard;
    row.offset = tensor.offset;
    row.bytes = tensor.bytes;
    return row;
}

void addFiles(const checkpoint::Checkpoint& checkpoint, protocol::Census& out) {
    for (const checkpoint::Shard& shard : checkpoint.shards) {
        out.largestFileBytes = std::max(out.largestFileBytes, shard.fileBytes);
        const bool first = &shard == checkpoint.shards.data();
        out.smallestFileBytes =
            first ? shard.fileBytes : std::min(out.smallestFileBytes, shard.fileBytes);
    }
    std::int64_t most = -1;
    for (const checkpoint::TensorInfo& tensor : checkpoint.inventory.tensors()) {
        out.elements += tensor.shape.count().value_or(0);
        if (tensor.bytes >= most) {  // of equal ones the last name
            most = tensor.bytes;
            out.largestTensor = tensor.name;
        }
    }
}

void addParameters(const recipe::Contract& contract, protocol::Census& out) {
    using graph::WeightKind;
    const KindTotals& kinds = contract.parametersByKind;
    out.parameters = contract.parameters;
    out.parametersWithoutMtp = contract.parameters - total(kinds, WeightKind::Mtp);
    out.parametersWithoutVision = contract.parameters - total(kinds, WeightKind::Vision) -
                                  total(kinds, WeightKind::Projector);
    out.activeParameters = contract.activeParameters;
    out.activeParametersWithoutEmbedding =
        contract.activeParameters - total(kinds, WeightKind::Embedding);
    out.storedValues = contract.storedValues;
}

}  // namespace

protocol::Census censusReport(const Inspection& inspection) {
    const checkpoint::Checkpoint& checkpoint = *inspection.checkpoint;
    const recipe::Model& model = inspection.model;
    protocol::Census out;
    out.path = checkpoint.path;
    out.name = std::filesystem::path(checkpoint.path).filename().string();
    out.format = checkpoint.format == checkpoint::Format::Gguf ? "gguf" : "safetensors";
    out.architecture = model.architecture;
    out.recipe = model.recipe;
    out.files = static_cast<std::int64_t>(checkpoint.shards.size());
    out.tensors = static_cast<std::int64_t>(checkpoint.inventory.size());
    out.fileBytes = checkpoint.fileBytes();
    out.tensorBytes = checkpoint.tensorBytes();
    addFiles(checkpoint, out);
    addParameters(model.contract, out);
    std::map<std::string_view, std::int64_t> byDtype;
    for (const checkpoint::TensorInfo& tensor : checkpoint.inventory.tensors())
        byDtype[name(tensor.dtype)] += tensor.bytes;
    out.bytesByDtype = rows(byDtype);
    out.bytesByKind =
        rowsByKind(withOthers(model.contract, out.tensorBytes), model.contract.scaleBytes);
    out.parametersByKind = rowsByKind(model.contract.parametersByKind, 0);
    out.layers = model.graph.layerCount;
    out.distinctLayers = rows(recipe::distinctLayers(model));
    out.contextLength = model.graph.contextLength;
    out.contract = {model.contract.matched, model.contract.missing, model.contract.unexpected,
                    model.contract.ignored};
    out.shards = shardRows(inspection);
    out.verdict = verdictOf(inspection.findings);
    return out;
}

protocol::TensorsReply tensorsReport(const Inspection& inspection,
                                     const protocol::TensorsRequest& request) {
    const auto kinds = kindsByTensor(inspection.model);
    const auto& tensors = inspection.checkpoint->inventory.tensors();
    protocol::TensorsReply out;
    const std::vector<protocol::TensorRow> missing = missingTensors(inspection);
    // One of the rows that match, in order; only those of the page are kept.
    const auto take = [&](const std::string_view name, const auto& make) {
        if (name.find(request.search) == std::string_view::npos)
            return;
        if (out.total >= request.offset && out.total < request.offset + request.limit)
            out.tensors.push_back(make());
        ++out.total;
    };
    std::size_t next = 0;
    const auto takeMissingBefore = [&](std::string_view name) {
        for (; next < missing.size() && (name.empty() || missing[next].name < name); ++next)
            take(missing[next].name, [&] { return missing[next]; });
    };
    for (std::size_t i = 0; i < tensors.size(); ++i) {
        takeMissingBefore(tensors[i].name);
        take(tensors[i].name, [&] {
            protocol::TensorRow row = rowOf(tensors[i]);
            row.contract = contractState(inspection.model.contract, i);
            if (const auto kind = kinds.find(tensors[i].name); kind != kinds.end())
                row.kind = graph::name(kind->second);
            return row;
        });
    }
    takeMissingBefore("");
    return out;
}

}  // namespace fl::service
