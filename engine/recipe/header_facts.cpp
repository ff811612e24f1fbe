// SPDX-License-Identifier: Apache-2.0
#include "engine/recipe/header_facts.h"

#include <algorithm>
#include <map>
#include <utility>

#include "engine/base/dtype.h"

namespace fl::recipe {

using checkpoint::Inventory;
using checkpoint::TensorInfo;

namespace {

// A wrong name must not make us count for long.
constexpr std::int64_t kMaxLayers = 100'000;
// Experts are counted in so many layers, and so many in a row may be missing.
constexpr int kSampledLayers = 4;
constexpr int kGap = 8;

constexpr std::string_view kLayer = "{i}";
constexpr std::string_view kExpert = "{}";

std::string with(std::string name, std::string_view mark, std::int64_t number) {
    const std::size_t at = name.find(mark);
    return at == std::string::npos ? name : name.replace(at, mark.size(), std::to_string(number));
}

std::string counted(std::string name, std::string_view mark) {
    const std::size_t at = name.find(mark);
    return at == std::string::npos ? "" : name.replace(at, mark.size(), "#");
}

// Several values in one byte or word: the shape is not the weight's own.
bool isPacked(DType type) {
    return !isFloat(type);
}

class Gathering {
public:
    Gathering(const Inventory& inventory, const TensorNames& names)
        : inventory_(inventory),
          names_(names) {}

    void take(const Evidence& evidence) {
        if (evidence.tensor.empty()) {
            add(evidence.agree[0], evidence.agree[1]);
            return;
        }
        const std::string name = names_(evidence.tensor);
        if (name.empty())
            return;
        const std::vector<std::int64_t> layers = layersOf(name);
        for (const std::int64_t layer : layers)
            takeShape(evidence, with(name, kLayer, layer));
        const std::string first = layers.empty() ? name : with(name, kLayer, layers.front());
        const std::string last = layers.empty() ? name : with(name, kLayer, layers.back());
        if (evidence.layers && !layers.empty())
            add(*evidence.layers, static_cast<double>(layers.back() + 1), last, true);
        if (evidence.count) {
            HeaderFact& fact =
                add(*evidence.count, static_cast<double>(layers.size()), first, true);
            if (!layers.empty() && layers.back() + 1 == std::ssize(layers))
                fact.counted = counted(name, kLayer);
        }
        if (evidence.experts)
            countExperts(evidence, name, layers);
        if (evidence.when) {
            const bool most = 2 * static_cast<std::int64_t>(layers.size()) > layerCount(name);
            addBoolean(*evidence.when, layers.empty() ? 0 : (most ? 1 : -1), first);
        }
    }

    std::vector<HeaderFact> finish() { return std::move(facts_); }

    void listen(const Evidence& evidence, std::vector<HeaderSaying>& out) {
        const std::string name = names_(evidence.tensor);
        const std::vector<std::int64_t> layers =
            name.empty() ? std::vector<std::int64_t>() : layersOf(name);
        if (layers.empty())
            return;
        for (const auto& [key, value] : evidence.says.members())
            out.push_back({key, value, with(name, kLayer, layers.front())});
    }

private:
    // The layers that have a tensor of this name, in order; {0} for a name without a layer.
    std::vector<std::int64_t> layersOf(const std::string& name) {
        std::vector<std::int64_t> out;
        const bool perLayer = name.find(kLayer) != std::string::npos;
        const std::int64_t count = perLayer ? layerCount(name) : 1;
        for (std::int64_t layer = 0; layer < count; ++layer) {
            if (inventory_.find(with(with(name, kLayer, layer), kExpert, 0)))
                out.push_back(layer);
        }
        return out;
    }

    // Highest layer of any tensor with this beginning, plus 1.
    std::int64_t layerCount(const std::string& name) {
        const std::string prefix = name.substr(0, name.find(kLayer));
        const auto [at, isNew] = layerCounts_.try_emplace(prefix, 0);
        if (!isNew)
            return at->second;
        for (const TensorInfo& tensor : inventory_.tensors()) {
            if (tensor.name.substr(0, prefix.size()) != prefix)
                continue;
            std::int64_t layer = 0;
            std::size_t digit = prefix.size();
            for (; digit < tensor.name.size() && layer < kMaxLayers; ++digit) {
                const char c = tensor.name[digit];
                if (c < '0' || c > '9')
                    break;
                layer = layer * 10 + (c - '0');
            }
            if (digit > prefix.size())
                at->second = std::max(at->second, std::min(layer, kMaxLayers) + 1);
        }
        return at->second;
    }

    void takeShape(const Evidence& evidence, const std::string& name) {
        const TensorInfo* tensor = inventory_.find(with(name, kExpert, 0));
        if (!tensor || isPacked(tensor->dtype))
            return;
        // All experts in one tensor: their number comes first.
        const bool stacked = evidence.experts && name.find(kExpert) == std::string::npos;
        const int skipped = stacked ? 1 : 0;
        if (tensor->shape.rank() != static_cast<int>(evidence.shape.size()) + skipped)
            return;
        const std::string shown(tensor->name);
        if (stacked)
            add(*evidence.experts, static_cast<double>(tensor->shape[0]), shown);
        for (std::size_t i = 0; i < evidence.shape.size(); ++i) {
            const auto dim = static_cast<double>(tensor->shape[static_cast<int>(i) + skipped]);
            add(evidence.shape[i], dim, shown);
        }
    }

    void countExperts(const Evidence& evidence,
                      const std::string& name,
                      const std::vector<std::int64_t>& layers) {
        if (name.find(kExpert) == std::string::npos)
            return;
        for (std::size_t i = 0; i < layers.size() && i < kSampledLayers; ++i) {
            const std::string family = with(name, kLayer, layers[i]);
            std::int64_t last = 0;
            for (std::int64_t expert = 0; expert <= last + kGap; ++expert) {
                if (inventory_.find(with(family, kExpert, expert)))
                    last = expert;
            }
            add(*evidence.experts, static_cast<double>(last + 1), with(family, kExpert, last),
                true);
        }
    }

    // Neither all nor none: the contract names those that are missing or too many.
    void addBoolean(const std::string& key, int value, const std::string& tensor) {
        auto formula = Formula::parse(key);
        if (formula && value >= 0)
            add(*std::move(formula), value, tensor);
    }

    HeaderFact& add(const Formula& formula,
                    double value,
                    const std::string& tensor,
                    bool isCount = false) {
        const auto [at, isNew] = places_.try_emplace({formula.text(), value}, facts_.size());
        if (isNew)
            facts_.push_back({formula, value, 0, tensor, isCount, ""});
        ++facts_[at->second].votes;
        return facts_[at->second];
    }

    // left = right is (left) - (right) = 0.
    void add(const Formula& left, const Formula& right) {
        auto difference = Formula::parse("(" + left.text() + ") - (" + right.text() + ")");
        if (difference)
            add(*std::move(difference), 0, "");
    }

    const Inventory& inventory_;
    const TensorNames& names_;
    std::map<std::string, std::int64_t> layerCounts_;
    std::map<std::pair<std::string, double>, std::size_t> places_;
    std::vector<HeaderFact> facts_;
};

}  // namespace

std::vector<HeaderFact> gatherFacts(const std::vector<Evidence>& evidence,
                                    const Inventory& inventory,
                                    const TensorNames& names) {
    Gathering gathering(inventory, names);
    for (const Evidence& each : evidence)
        gathering.take(each);
    return gathering.finish();
}

std::vector<HeaderSaying> gatherSayings(const std::vector<Evidence>& evidence,
                                        const Inventory& inventory,
                                        const TensorNames& names) {
    Gathering gathering(inventory, names);
    std::vector<HeaderSaying> out;
    for (const Evidence& each : evidence) {
        if (each.says.size() > 0)
            gathering.listen(each, out);
    }
    return out;
}

}  // namespace fl::recipe
