// SPDX-License-Identifier: Apache-2.0
#include "engine/recipe/contract.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <utility>

#include <fmt/core.h>

#include "engine/base/text.h"
#include "engine/graph/runnable.h"

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

constexpr std::size_t kFoldAt = 4096;

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

// Norms and biases are read value by value; matrices may be in blocks.
bool readable(const Weight& weight, DType dtype) {
    return isQuantised(dtype) ? weight.shape.rank() > 1 : graph::hasKernel(dtype);
}

constexpr const char* kComputable = "F32, F16, BF16, Q4_0, Q4_1, Q8_0, Q4_K or Q6_K";

bool contains(const std::vector<DType>& types, DType type) {
    return std::find(types.begin(), types.end(), type) != types.end();
}

std::string listed(const std::vector<DType>& types) {
    std::vector<std::string> names;
    for (const DType type : types)
        names.emplace_back(fl::name(type));
    return join(names, " or ");
}

// The number that `text` begins with as a count is written: no sign, no leading zero.
std::optional<std::int32_t> leadingNumber(std::string_view& text) {
    std::int32_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    const auto length = static_cast<std::size_t>(end - text.data());
    if (error != std::errc() || value < 0 || (length > 1 && text.front() == '0'))
        return std::nullopt;
    text.remove_prefix(length);
    return value;
}

// The tensors of a family, index: expert; nullptr where there is none. Walks once over the names
// with the family's beginning, which the inventory keeps together.
std::vector<const TensorInfo*> familyOf(const Inventory& inventory,
                                        std::string_view family,
                                        std::int32_t experts) {
    std::vector<const TensorInfo*> out(static_cast<std::size_t>(experts), nullptr);
    const std::size_t place = family.find("{}");
    const std::string_view front = family.substr(0, place);
    const std::string_view behind = family.substr(place + 2);
    const auto& all = inventory.tensors();
    auto at = std::lower_bound(
        all.begin(), all.end(), front,
        [](const TensorInfo& tensor, std::string_view wanted) { return tensor.name < wanted; });
    for (; at != all.end() && at->name.starts_with(front); ++at) {
        std::string_view rest = at->name.substr(front.size());
        const auto expert = leadingNumber(rest);
        if (expert && *expert < experts && rest == behind)
            out[static_cast<std::size_t>(*expert)] = &*at;
    }
    return out;
}

// What one tensor of a weight must be.
struct Wanted {
    std::string name;
    Shape shape;
    const std::vector<DType>* dtypes = nullptr;  // nullptr: what `readable` says
    bool declared = false;
};

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
        for (const Weight& weight : graph_.declared)
            measure(weight, findParts(weight, true));
        countRest();
        countParameters();
        reportCompanions();
        out_.findings = folded(std::move(out_.findings));
        return std::move(out_);
    }

private:
    struct Parts {
        std::vector<const TensorInfo*> tensors;  // all of a weight's, or none
        std::int64_t scaleBytes = 0;
    };

    // Scales and the like, by the end of their names.
    struct Companions {
        std::int64_t wanted = 0;
        std::int64_t found = 0;                      // or lost with its file
        const std::vector<DType>* dtypes = nullptr;  // of what they belong to
    };

    // Where one of many is missing, it has been named; where all are, that is one more fact.
    void reportCompanions() {
        for (const auto& [ending, each] : companions_) {
            if (each.found > 0 || each.wanted < 2 || !each.dtypes)
                continue;
            report("companions-missing", "*" + ending,
                   fmt::format("not one of the tensors *{} is there", ending));
            out_.findings.back().expected =
                fmt::format("one per {} weight ({})", listed(*each.dtypes), each.wanted);
            out_.findings.back().found = "0";
        }
    }

    void compare(const Weight& weight) {
        const Parts parts = findParts(weight, false);
        measure(weight, parts);
        graph::StoredWeight stored;
        stored.blockRows = weight.packing.blockRows;
        stored.blockColumns = weight.packing.blockColumns;
        if (!parts.tensors.empty()) {
            const std::int64_t share = weight.stacked() ? weight.experts : 1;
            stored.dtype = parts.tensors.front()->dtype;
            stored.bytesPerTensor = parts.tensors.front()->bytes / share;
            stored.scaleBytesPerTensor = parts.scaleBytes / weight.parts();
        }
        out_.stored.push_back(stored);
        out_.tensors.push_back(weight.stacked() ? viewsOf(weight, parts) : copiesOf(parts));
    }

    void measure(const Weight& weight, const Parts& parts) {
        Contract& contract = out_.contract;
        contract.scaleBytes += parts.scaleBytes;
        for (const TensorInfo* tensor : parts.tensors) {
            contract.bytesByKind[static_cast<std::size_t>(weight.kind)] += tensor->bytes;
            contract.storedValues +=
                tensor->shape.count().value_or(0) * (weight.packing.perElement - 1);
        }
    }

    // A family is stored as one tensor for each expert, or as one with all of them.
    Parts findParts(const Weight& weight, bool declared) {
        Parts parts;
        const auto* dtypes = weight.packing.dtypes.empty() ? nullptr : &weight.packing.dtypes;
        const std::size_t count = weight.stacked() ? 1 : static_cast<std::size_t>(weight.parts());
        const Wanted wanted{weight.tensor, weight.storedShape(), dtypes, declared};
        parts.tensors = findAll(weight, wanted, count);
        bool whole = alike(parts.tensors) && parts.tensors.size() == count;
        for (const graph::Companion& companion : weight.packing.companions) {
            const Wanted beside{companion.tensor, weight.storedShape(companion), &companion.dtypes,
                                declared};
            const std::int64_t lostBefore = lost_;
            const auto found = findAll(weight, beside, count);
            for (const TensorInfo* tensor : found)
                parts.scaleBytes += tensor->bytes;
            whole = whole && found.size() == count;
            const std::size_t dot = companion.tensor.rfind('.');
            Companions& all =
                companions_[companion.tensor.substr(dot == std::string::npos ? 0 : dot)];
            all.wanted += static_cast<std::int64_t>(count);
            all.found += static_cast<std::int64_t>(found.size()) + lost_ - lostBefore;
            all.dtypes = dtypes;
        }
        // The loader reads all of a weight or none of it.
        if (!whole)
            return {};
        return parts;
    }

    std::vector<const TensorInfo*> findAll(const Weight& weight,
                                           const Wanted& family,
                                           std::size_t count) {
        const bool many = weight.experts > 0 && !weight.stacked();
        const auto found = many ? familyOf(inventory_, family.name, weight.experts)
                                : std::vector{inventory_.find(family.name)};
        std::vector<const TensorInfo*> out;
        out.reserve(count);
        for (std::size_t part = 0; part < count; ++part) {
            if (accept(weight, family, found[part], static_cast<std::int32_t>(part)))
                out.push_back(found[part]);
        }
        return out;
    }

    bool accept(const Weight& weight,
                const Wanted& family,
                const TensorInfo* found,
                std::int32_t part) {
        if (!found) {
            ++out_.contract.missing;
            const graph::Companion named{family.name, {}, {}};
            const std::string name = weight.expertName(part, named);
            if (inventory_.isLost(name)) {
                ++lost_;
                return false;
            }
            report("tensor-missing", name, "the checkpoint lacks a tensor that the recipe needs");
            out_.findings.back().expected = family.shape.text();
            out_.findings.back().found = "nothing";
            return false;
        }
        TensorStatus& status = statusOf(*found);
        if (!(found->shape == family.shape)) {
            status = TensorStatus::WrongShape;
            report("tensor-shape", std::string(found->name),
                   "a tensor has another shape than the recipe expects");
            out_.findings.back().expected = family.shape.text();
            out_.findings.back().found = found->shape.text();
            return false;
        }
        const bool fits =
            family.dtypes ? contains(*family.dtypes, found->dtype) : readable(weight, found->dtype);
        if (!fits) {
            status = TensorStatus::WrongType;
            reportType(weight, family, *found);
            return false;
        }
        if (!family.dtypes && !family.declared && !graph::hasKernel(found->dtype))
            reportIdle(*found);
        status = family.declared ? TensorStatus::Ignored : TensorStatus::Matched;
        ++(family.declared ? out_.contract.ignored : out_.contract.matched);
        return true;
    }

    void reportType(const Weight& weight, const Wanted& wanted, const TensorInfo& found) {
        report("tensor-dtype", std::string(found.name),
               wanted.dtypes ? "a tensor is of another type than its format says"
                             : "a tensor is of a type that no kernel reads here");
        Finding& finding = out_.findings.back();
        finding.expected = wanted.dtypes             ? listed(*wanted.dtypes)
                           : weight.shape.rank() > 1 ? kComputable
                                                     : "F32, F16 or BF16";
        finding.found = fl::name(found.dtype);
    }

    // It can be counted and planned; what would compute with it is not there yet.
    void reportIdle(const TensorInfo& found) {
        report("dtype-unsupported", std::string(found.name),
               "a tensor is of a type that no kernel computes with yet: known, not computable");
        Finding& finding = out_.findings.back();
        finding.severity = Severity::Warning;
        finding.expected = kComputable;
        finding.found = fl::name(found.dtype);
        finding.remedy = "to run the model, use a file of it in one of these types";
    }

    // Experts of one layer go to one kernel.
    bool alike(const std::vector<const TensorInfo*>& parts) {
        bool same = true;
        for (const TensorInfo* part : parts) {
            if (part->dtype == parts.front()->dtype)
                continue;
            same = false;
            report("tensor-dtype", std::string(part->name),
                   "experts of one layer are of different types");
            out_.findings.back().expected = fl::name(parts.front()->dtype);
            out_.findings.back().found = fl::name(part->dtype);
        }
        return same;
    }

    static std::vector<TensorInfo> copiesOf(const Parts& parts) {
        std::vector<TensorInfo> out;
        out.reserve(parts.tensors.size());
        for (const TensorInfo* tensor : parts.tensors)
            out.push_back(*tensor);
        return out;
    }

    // One tensor [experts, …]: a view of each expert's part.
    static std::vector<TensorInfo> viewsOf(const Weight& weight, const Parts& parts) {
        std::vector<TensorInfo> out;
        for (std::int32_t expert = 0; !parts.tensors.empty() && expert < weight.experts; ++expert) {
            TensorInfo part = *parts.tensors.front();
            part.shape = weight.packing.shape.rank() > 0 ? weight.packing.shape : weight.shape;
            part.bytes /= weight.experts;
            part.offset += expert * part.bytes;
            out.push_back(part);
        }
        return out;
    }

    TensorStatus& statusOf(const TensorInfo& tensor) {
        return out_.contract
            .status[static_cast<std::size_t>(&tensor - inventory_.tensors().data())];
    }

    // A new finding at the back, to be completed.
    void report(std::string code, const std::string& tensor, std::string message) {
        // Millions of tensors may be wrong in one way.
        if (out_.findings.size() >= foldAt_) {
            out_.findings = folded(std::move(out_.findings));
            foldAt_ = 2 * out_.findings.size() + kFoldAt;
        }
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

    void countParameters() {
        Contract& contract = out_.contract;
        for (const TensorInfo& tensor : inventory_.tensors())
            contract.storedValues += tensor.shape.count().value_or(0);
        for (const Weight& weight : graph_.declared)
            countParameters(weight);
        for (const Weight& weight : graph_.weights)
            countParameters(weight);
        countActive();
    }

    void countParameters(const Weight& weight) {
        if (weight.table)
            return;
        const std::int64_t count = weight.shape.count().value_or(0) * weight.parts();
        out_.contract.parametersByKind[static_cast<std::size_t>(weight.kind)] += count;
        out_.contract.parameters += count;
    }

    // Which share of a family a token uses is said by the node that reads it.
    void countActive() {
        using Share = std::pair<std::int64_t, std::int64_t>;  // k, experts
        std::vector<Share> shares(graph_.weights.size(), {1, 1});
        for (const graph::Node& node : graph_.nodes) {
            if (!node.find("k") || !node.find("experts"))
                continue;
            for (const graph::WeightId id : node.weights) {
                if (graph_.weights[static_cast<std::size_t>(id)].experts > 0)
                    shares[static_cast<std::size_t>(id)] = {node.integer("k"),
                                                            node.integer("experts")};
            }
        }
        std::map<Share, std::int64_t> sums;
        for (std::size_t id = 0; id < graph_.weights.size(); ++id) {
            const Weight& weight = graph_.weights[id];
            const bool text = weight.kind != graph::WeightKind::Vision &&
                              weight.kind != graph::WeightKind::Projector;
            if (text && !weight.table)
                sums[shares[id]] += weight.shape.count().value_or(0) * weight.parts();
        }
        for (const auto& [share, sum] : sums)
            out_.contract.activeParameters +=
                sum / share.second * share.first + sum % share.second * share.first / share.second;
    }

    const graph::Graph& graph_;
    const Inventory& inventory_;
    const CancelToken& cancel_;
    std::map<std::string, Companions> companions_;
    ContractResult out_;
    std::size_t foldAt_ = kFoldAt;
    std::int64_t lost_ = 0;  // missing with their files, which have findings of their own
};

}  // namespace

ContractResult compareWithInventory(const graph::Graph& graph,
                                    const Inventory& inventory,
                                    const CancelToken& cancel) {
    return Comparison(graph, inventory, cancel).run();
}

}  // namespace fl::recipe
