// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iterator>
#include <utility>

#include "engine/base/thread_pool.h"
#include "engine/checkpoint/checkpoint.h"

namespace fl::checkpoint {

namespace {

bool before(const TensorInfo& a, const TensorInfo& b) {
    const int order = a.name.compare(b.name);
    return order != 0 ? order < 0 : a.shard < b.shard;
}

// The tensors in order, of `runs` that each are: neighbours are merged, then what came of them.
std::vector<const TensorInfo*> merged(const std::vector<TensorInfo>& tensors,
                                      std::vector<std::size_t> ends,
                                      ThreadPool* pool) {
    std::vector<const TensorInfo*> order(tensors.size());
    for (std::size_t i = 0; i < tensors.size(); ++i)
        order[i] = &tensors[i];
    while (ends.size() > 1) {
        const auto mergePair = [&order, &ends](std::int64_t pair) {
            const auto second = static_cast<std::size_t>(2 * pair + 1);
            const auto at = [&order](std::size_t place) {
                return order.begin() + static_cast<std::ptrdiff_t>(place);
            };
            std::inplace_merge(
                at(second == 1 ? 0 : ends[second - 2]), at(ends[second - 1]), at(ends[second]),
                [](const TensorInfo* a, const TensorInfo* b) { return before(*a, *b); });
        };
        const auto pairs = static_cast<std::int64_t>(ends.size() / 2);
        if (pool)
            pool->parallelFor(pairs, mergePair);
        for (std::int64_t pair = 0; !pool && pair < pairs; ++pair)
            mergePair(pair);
        std::vector<std::size_t> left;
        for (std::size_t i = 1; i < ends.size(); i += 2)
            left.push_back(ends[i]);
        if (ends.size() % 2 != 0)
            left.push_back(ends.back());
        ends = std::move(left);
    }
    return order;
}

}  // namespace

void Inventory::reserve(std::size_t count) {
    tensors_.reserve(count);
}

std::string_view Inventory::add(TensorInfo tensor) {
    tensor.name = names_.keep(tensor.name);
    tensors_.push_back(tensor);
    runs_.clear();
    return tensor.name;
}

void Inventory::absorb(Inventory&& part) {
    const bool inRuns = tensors_.empty() || !runs_.empty();
    tensors_.insert(tensors_.end(), part.tensors_.begin(), part.tensors_.end());
    names_.absorb(std::move(part.names_));
    if (inRuns && part.runs_.size() <= 1 && !part.tensors_.empty() && !part.runs_.empty())
        runs_.push_back(tensors_.size());
    else if (!part.tensors_.empty())
        runs_.clear();
    part = {};
}

std::vector<std::string_view> Inventory::finish(ThreadPool* pool) {
    if (runs_.empty()) {
        std::sort(tensors_.begin(), tensors_.end(), before);
    } else if (runs_.size() > 1) {
        const auto order = merged(tensors_, runs_, pool);
        std::vector<TensorInfo> sorted;
        sorted.reserve(order.size());
        for (const TensorInfo* tensor : order)
            sorted.push_back(*tensor);
        tensors_ = std::move(sorted);
    }
    runs_.assign(1, tensors_.size());
    std::vector<std::string_view> twice;
    for (std::size_t i = 1; i < tensors_.size(); ++i) {
        const std::string_view name = tensors_[i].name;
        if (name == tensors_[i - 1].name && (twice.empty() || twice.back() != name))
            twice.push_back(name);
    }
    return twice;
}

void Inventory::dropRepeats() {
    const auto end =
        std::unique(tensors_.begin(), tensors_.end(),
                    [](const TensorInfo& a, const TensorInfo& b) { return a.name == b.name; });
    tensors_.erase(end, tensors_.end());
    runs_.assign(1, tensors_.size());
}

const TensorInfo* Inventory::find(std::string_view name) const {
    const auto at = std::lower_bound(
        tensors_.begin(), tensors_.end(), name,
        [](const TensorInfo& tensor, std::string_view wanted) { return tensor.name < wanted; });
    return at != tensors_.end() && at->name == name ? &*at : nullptr;
}

void Inventory::setLost(const std::vector<std::string_view>& names) {
    lost_.clear();
    lost_.reserve(names.size());
    for (const std::string_view name : names)
        lost_.push_back(names_.keep(name));
    std::sort(lost_.begin(), lost_.end());
    lost_.erase(std::unique(lost_.begin(), lost_.end()), lost_.end());
}

bool Inventory::isLost(std::string_view name) const {
    return std::binary_search(lost_.begin(), lost_.end(), name);
}

}  // namespace fl::checkpoint
