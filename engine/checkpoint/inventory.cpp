// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "engine/checkpoint/checkpoint.h"

namespace fl::checkpoint {

void Inventory::reserve(std::size_t count) {
    tensors_.reserve(count);
}

std::string_view Inventory::add(TensorInfo tensor) {
    tensor.name = names_.keep(tensor.name);
    tensors_.push_back(tensor);
    return tensor.name;
}

std::vector<std::string_view> Inventory::finish() {
    std::sort(tensors_.begin(), tensors_.end(), [](const TensorInfo& a, const TensorInfo& b) {
        const int order = a.name.compare(b.name);
        return order != 0 ? order < 0 : a.shard < b.shard;
    });
    std::vector<std::string_view> twice;
    for (std::size_t i = 1; i < tensors_.size(); ++i) {
        const std::string_view name = tensors_[i].name;
        if (name == tensors_[i - 1].name && (twice.empty() || twice.back() != name))
            twice.push_back(name);
    }
    return twice;
}

const TensorInfo* Inventory::find(std::string_view name) const {
    const auto at = std::lower_bound(
        tensors_.begin(), tensors_.end(), name,
        [](const TensorInfo& tensor, std::string_view wanted) { return tensor.name < wanted; });
    return at != tensors_.end() && at->name == name ? &*at : nullptr;
}

}  // namespace fl::checkpoint
