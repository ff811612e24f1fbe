// SPDX-License-Identifier: Apache-2.0
#include "engine/recipe/contract.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/core.h>

namespace fl::recipe {

using checkpoint::Inventory;
using checkpoint::TensorInfo;
using graph::Weight;

std::string_view name(TensorStatus status) {
    switch (status) {
        case TensorStatus::Matched:
            return "matched";
        case TensorStatus::Unexpected:
            return "unexpected";
        case TensorStatus::Ignored:
            return "ignored";
        case TensorStatus::WrongShape:
            return "wrong-shape";
        case TensorStatus::WrongType:
            return "wrong-type";
    }
    return "matched";
}

namespace {

// '*' stands for any text.
bool matches(std::string_view pattern, std::string_view text) {
    const std::size_t star = pattern.find('*');
    if (star == std::string_view::npos)
        return pattern == text;
    if (text.substr(0, star) != pattern.substr(0, star))
        return false;
    const std::string_view rest = pattern.substr(star + 1);
    for (std::size_t at = star; at <= text.size(); ++at) {
        if (matches(rest, text.substr(at)))
            return true;
    }
    return false;
}

// Norms and biases are read value by value; matrices go to kernels that know blocks.
bool readable(const Weight& weight, DType dtype) {
    switch (dtype) {
        case DType::F32:
        case DType::F16:
        case DType::BF16:
            return true;
        case DType::Q4_0:
        case DType::Q4_1:
        case DType::Q8_0:
        case DType::Q4_K:
        case DType::Q6_K:
            return weight.shape.rank() > 1;
        default:
            return false;
    }
}

class Comparison {
public:
    Comparison(const graph::Graph& graph, const Inventory& inventory, const CancelToken& cancel)
        : graph_(graph),
          inventory_(inventory),
          cancel_(cancel) {}

    ContractResult run() {
        out_.contract.status.assign(inventory_.size(), TensorStatus::Unexpected);
        out_.tensors.reserve(graph_.weights.size());
        for (const Weight& weight : graph_.weights) {
            if (cancel_.cancelled())
                return std::move(out_);
            compare(weight);
        }
        countRest();
        countParameters();
        out_.findings = folded(std::move(out_.findings));
        return std::move(out_);
    }

private:
    void compare(const Weight& weight) {
        std::vector<TensorInfo> parts =
            weight.stacked() ? stackedParts(weight) : plainParts(weight);
        graph::StoredWeight stored;
        if (!parts.empty()) {
            stored = {parts.front().dtype, parts.front().bytes};
            const auto kind = static_cast<std::size_t>(weight.kind);
            for (const TensorInfo& part : parts)
                out_.contract.bytesByKind[kind] += part.bytes;
        }
        out_.stored.push_back(stored);
        out_.tensors.push_back(std::move(parts));
    }

    std::vector<TensorInfo> plainParts(const Weight& weight) {
        std::vector<TensorInfo> parts;
        for (std::int32_t part = 0; part < weight.parts(); ++part) {
            const std::string name = weight.expertName(part);
            const TensorInfo* found = find(weight, name, weight.shape);
            if (found && !parts.empty() && found->dtype != parts.front().dtype) {
                report("tensor-dtype", name, "experts of one layer are of different types");
                out_.findings.back().expected = fl::name(parts.front().dtype);
                out_.findings.back().found = fl::name(found->dtype);
                found = nullptr;
            }
            if (found)
                parts.push_back(*found);
        }
        // The loader reads all of a weight or none of it.
        if (parts.size() != static_cast<std::size_t>(weight.parts()))
            parts.clear();
        return parts;
    }

    // One tensor [experts, …]: a view of each expert's part.
    std::vector<TensorInfo> stackedParts(const Weight& weight) {
        Shape whole;
        whole.push(weight.experts);
        for (const std::int64_t dim : weight.shape.dims())
            whole.push(dim);
        const TensorInfo* found = find(weight, weight.tensor, whole);
        std::vector<TensorInfo> parts;
        for (std::int32_t expert = 0; found && expert < weight.experts; ++expert) {
            TensorInfo part = *found;
            part.shape = weight.shape;
            part.bytes = found->bytes / weight.experts;
            part.offset = found->offset + expert * part.bytes;
            parts.push_back(part);
        }
        return parts;
    }

    const TensorInfo* find(const Weight& weight, const std::string& name, const Shape& shape) {
        const TensorInfo* found = inventory_.find(name);
        if (!found) {
            ++out_.contract.missing;
            report("tensor-missing", name, "the checkpoint lacks a tensor that the recipe needs");
            out_.findings.back().expected = shape.text();
            out_.findings.back().found = "nothing";
            return nullptr;
        }
        TensorStatus& status = statusOf(*found);
        if (!(found->shape == shape)) {
            status = TensorStatus::WrongShape;
            report("tensor-shape", name, "a tensor has another shape than the recipe expects");
            out_.findings.back().expected = shape.text();
            out_.findings.back().found = found->shape.text();
            return nullptr;
        }
        if (!readable(weight, found->dtype)) {
            status = TensorStatus::WrongType;
            report("tensor-dtype", name, "a tensor is of a type that no kernel reads here");
            out_.findings.back().expected = weight.shape.rank() > 1
                                                ? "F32, F16, BF16, Q4_0, Q4_1, Q8_0, Q4_K or Q6_K"
                                                : "F32, F16 or BF16";
            out_.findings.back().found = fl::name(found->dtype);
            return nullptr;
        }
        status = TensorStatus::Matched;
        ++out_.contract.matched;
        return found;
    }

    TensorStatus& statusOf(const TensorInfo& tensor) {
        return out_.contract
            .status[static_cast<std::size_t>(&tensor - inventory_.tensors().data())];
    }

    void report(std::string code, const std::string& tensor, std::string message) {
        Finding finding;
        finding.code = std::move(code);
        finding.stage = "inspect";
        finding.message = std::move(message);
        finding.tensor = tensor;
        finding.remedy = "fetch the checkpoint again, or correct its configuration or the recipe";
        out_.findings.push_back(std::move(finding));
    }

    void countRest() {
        for (const TensorInfo& tensor : inventory_.tensors()) {
            if (statusOf(tensor) != TensorStatus::Unexpected)
                continue;
            if (cancel_.cancelled())
                return;
            const bool ignored =
                std::any_of(graph_.ignoredTensors.begin(), graph_.ignoredTensors.end(),
                            [&](const auto& each) { return matches(each, tensor.name); });
            if (ignored) {
                statusOf(tensor) = TensorStatus::Ignored;
                ++out_.contract.ignored;
                continue;
            }
            ++out_.contract.unexpected;
            report("tensor-unexpected", std::string(tensor.name),
                   "the checkpoint has a tensor that the recipe has no use for");
            out_.findings.back().expected = "no such tensor";
            out_.findings.back().found =
                fmt::format("{} {}", fl::name(tensor.dtype), tensor.shape.text());
            out_.findings.back().remedy =
                "declare it with host.ignore in the recipe if it belongs to no computation";
        }
    }

    // Which share of a family a token uses is said by the node that reads it.
    void countParameters() {
        std::vector<double> share(graph_.weights.size(), 1.0);
        for (const graph::Node& node : graph_.nodes) {
            const auto* k = node.find("k");
            const auto* experts = node.find("experts");
            for (const graph::WeightId id : node.weights) {
                if (k && experts && graph_.weights[static_cast<std::size_t>(id)].experts > 0)
                    share[static_cast<std::size_t>(id)] = node.real("k") / node.real("experts");
            }
        }
        Contract& contract = out_.contract;
        for (std::size_t id = 0; id < graph_.weights.size(); ++id) {
            const Weight& weight = graph_.weights[id];
            const std::int64_t count = weight.shape.count().value_or(0) * weight.parts();
            contract.parametersByKind[static_cast<std::size_t>(weight.kind)] += count;
            contract.parameters += count;
            contract.activeParameters += std::llround(static_cast<double>(count) * share[id]);
        }
    }

    const graph::Graph& graph_;
    const Inventory& inventory_;
    const CancelToken& cancel_;
    ContractResult out_;
};

}  // namespace

ContractResult compareWithInventory(const graph::Graph& graph,
                                    const Inventory& inventory,
                                    const CancelToken& cancel) {
    return Comparison(graph, inventory, cancel).run();
}

}  // namespace fl::recipe
