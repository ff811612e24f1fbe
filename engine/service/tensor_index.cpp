// SPDX-License-Identifier: Apache-2.0
#include "engine/service/tensor_index.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <tuple>
#include <unordered_map>

#include "engine/base/text.h"

namespace fl::service {

namespace {

// More in one reply would be a burden to both ends.
constexpr std::int64_t kMostRows = 65536;

// Of each tensor that a weight of the graph reads. Names of model and inventory are the same
// characters, so that their place tells them apart.
std::unordered_map<const char*, graph::WeightKind> kindsByName(const recipe::Model& model) {
    std::unordered_map<const char*, graph::WeightKind> kinds;
    for (std::size_t i = 0; i < model.tensors.size() && i < model.graph.weights.size(); ++i) {
        for (const checkpoint::TensorInfo& tensor : model.tensors[i])
            kinds.try_emplace(tensor.name.data(), model.graph.weights[i].kind);
    }
    return kinds;
}

}  // namespace

std::string contractState(const recipe::Contract& contract, std::size_t index) {
    return index < contract.status.size() ? std::string(recipe::name(contract.status[index]))
                                          : "unexpected";
}

std::vector<protocol::TensorRow> missingTensors(const Inspection& inspection) {
    std::vector<protocol::TensorRow> out;
    if (inspection.model.contract.missing == 0)
        return out;
    std::set<std::string> seen;
    const auto take = [&](const graph::Weight& weight, std::string name, const Shape& shape) {
        if (inspection.checkpoint->inventory.find(name) || !seen.insert(name).second)
            return;
        protocol::TensorRow row;
        row.name = std::move(name);
        row.shape.assign(shape.dims().begin(), shape.dims().end());
        row.shard = -1;
        row.contract = "missing";
        row.kind = graph::name(weight.kind);
        out.push_back(std::move(row));
    };
    for (const auto* weights :
         {&inspection.model.graph.weights, &inspection.model.graph.declared}) {
        for (const graph::Weight& weight : *weights) {
            for (std::int32_t expert = 0; expert < weight.parts(); ++expert) {
                take(weight, weight.expertName(expert), weight.storedShape());
                for (const graph::Companion& beside : weight.packing.companions)
                    take(weight, weight.expertName(expert, beside), weight.storedShape(beside));
            }
        }
    }
    std::sort(out.begin(), out.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
    return out;
}

TensorIndex::TensorIndex(const Inspection& inspection) : missing_(missingTensors(inspection)) {
    rows_.reserve(inspection.checkpoint->inventory.size() + missing_.size());
    addPresent(inspection);
    addMissing();
    order();
}

void TensorIndex::addPresent(const Inspection& inspection) {
    const auto kinds = kindsByName(inspection.model);
    const auto& tensors = inspection.checkpoint->inventory.tensors();
    using Key = std::tuple<DType, int, int, std::int64_t, std::array<std::int64_t, Shape::kMaxRank>,
                           int>;  // type, state, kind, bytes, shape
    std::map<Key, std::uint32_t> known;
    for (std::size_t i = 0; i < tensors.size(); ++i) {
        const checkpoint::TensorInfo& tensor = tensors[i];
        const auto kind = kinds.find(tensor.name.data());
        const auto& status = inspection.model.contract.status;
        std::array<std::int64_t, Shape::kMaxRank> dims{};
        std::copy(tensor.shape.dims().begin(), tensor.shape.dims().end(), dims.begin());
        const Key key{tensor.dtype,
                      i < status.size() ? static_cast<int>(status[i]) : -1,
                      kind == kinds.end() ? -1 : static_cast<int>(kind->second),
                      tensor.bytes,
                      dims,
                      tensor.shape.rank()};
        const auto [place, isNew] =
            known.try_emplace(key, static_cast<std::uint32_t>(forms_.size()));
        if (isNew) {
            forms_.push_back({std::string(name(tensor.dtype)),
                              {tensor.shape.dims().begin(), tensor.shape.dims().end()},
                              tensor.bytes,
                              contractState(inspection.model.contract, i),
                              kind == kinds.end() ? "" : std::string(graph::name(kind->second))});
        }
        rows_.push_back({tensor.name, tensor.shard, place->second});
    }
}

void TensorIndex::addMissing() {
    const std::size_t present = rows_.size();
    for (const protocol::TensorRow& row : missing_) {
        const protocol::TensorForm form{row.dtype, row.shape, row.bytes, row.contract, row.kind};
        const auto found = std::find(forms_.rbegin(), forms_.rend(), form);
        const auto place = static_cast<std::uint32_t>(
            found == forms_.rend() ? forms_.size() : forms_.rend() - found - 1);
        if (found == forms_.rend())
            forms_.push_back(form);
        rows_.push_back({row.name, -1, place});
    }
    std::inplace_merge(rows_.begin(), rows_.begin() + static_cast<std::ptrdiff_t>(present),
                       rows_.end(), [](const Row& a, const Row& b) { return a.name < b.name; });
}

// Sorted by character already, so only numbered siblings are out of their order: each dotted prefix
// is a range, and its parts are moved as wholes. Sorting half a million names afresh would take ten
// times as long.
void TensorIndex::order() {
    std::vector<Range> todo{{0, rows_.size(), 0}};
    while (!todo.empty()) {
        const Range range = todo.back();
        todo.pop_back();
        std::vector<Part> parts = partsOf(range);
        const auto less = [](const Part& a, const Part& b) { return naturalLess(a.word, b.word); };
        if (!std::is_sorted(parts.begin(), parts.end(), less)) {
            std::stable_sort(parts.begin(), parts.end(), less);
            arrange(range.begin, parts);
        }
        for (const Part& part : parts) {
            if (part.end - part.begin > 1 && part.word.ends_with('.'))
                todo.push_back({part.begin, part.end, range.prefix + part.word.size()});
        }
    }
}

// Rows that have the same next word, with its dot, are one part; a last word is one of its own.
std::vector<TensorIndex::Part> TensorIndex::partsOf(const Range& range) const {
    const auto row = [this](std::size_t place) {
        return rows_.begin() + static_cast<std::ptrdiff_t>(place);
    };
    std::vector<Part> parts;
    for (std::size_t at = range.begin; at < range.end; at = parts.back().end) {
        const std::string_view name = rows_[at].name;
        const std::size_t dot = name.find('.', range.prefix);
        if (dot == std::string_view::npos) {
            parts.push_back({at, at + 1, name.substr(range.prefix)});
            continue;
        }
        const std::string_view word = name.substr(range.prefix, dot - range.prefix + 1);
        const auto next = std::partition_point(row(at + 1), row(range.end), [&](const Row& other) {
            return other.name.substr(range.prefix).starts_with(word);
        });
        parts.push_back({at, static_cast<std::size_t>(next - rows_.begin()), word});
    }
    return parts;
}

void TensorIndex::arrange(std::size_t begin, std::vector<Part>& parts) {
    std::vector<Row> moved;
    for (Part& part : parts) {
        const std::size_t at = begin + moved.size();
        moved.insert(moved.end(), rows_.begin() + static_cast<std::ptrdiff_t>(part.begin),
                     rows_.begin() + static_cast<std::ptrdiff_t>(part.end));
        part = {at, begin + moved.size(), part.word};
    }
    std::copy(moved.begin(), moved.end(), rows_.begin() + static_cast<std::ptrdiff_t>(begin));
}

protocol::TensorColumns TensorIndex::page(const protocol::ColumnsRequest& request) const {
    protocol::TensorPacker packer(forms_);
    const std::int64_t begin = std::clamp<std::int64_t>(request.offset, 0, size());
    const std::int64_t count =
        std::clamp<std::int64_t>(request.limit, 0, std::min(kMostRows, size() - begin));
    for (std::int64_t i = begin; i < begin + count; ++i) {
        const Row& row = rows_[static_cast<std::size_t>(i)];
        packer.add(row.name, row.form, row.shard);
    }
    return packer.take(size(), begin);
}

}  // namespace fl::service
