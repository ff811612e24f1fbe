// SPDX-License-Identifier: Apache-2.0
#include "engine/base/shape.h"

#include <algorithm>

#include "engine/base/checked.h"

namespace fl {

Shape::Shape(std::initializer_list<std::int64_t> dims) {
    for (const std::int64_t dim : dims)
        push(dim);
}

bool Shape::push(std::int64_t dim) {
    if (rank_ == kMaxRank)
        return false;
    dims_[rank_++] = dim;
    return true;
}

void Shape::reverse() {
    std::reverse(dims_.begin(), dims_.begin() + rank_);
}

std::optional<std::int64_t> Shape::count() const {
    // An empty tensor is empty in whatever order its dimensions come.
    bool isEmpty = false;
    for (const std::int64_t dim : dims()) {
        if (dim < 0)
            return std::nullopt;
        isEmpty = isEmpty || dim == 0;
    }
    if (isEmpty)
        return 0;
    std::int64_t product = 1;
    for (const std::int64_t dim : dims()) {
        const auto next = checkedMultiply(product, dim);
        if (!next)
            return std::nullopt;
        product = *next;
    }
    return product;
}

std::string Shape::text() const {
    std::string out = "[";
    for (int axis = 0; axis < rank(); ++axis) {
        if (axis > 0)
            out += ", ";
        out += std::to_string((*this)[axis]);
    }
    return out + "]";
}

bool Shape::operator==(const Shape& other) const {
    return std::equal(dims().begin(), dims().end(), other.dims().begin(), other.dims().end());
}

}  // namespace fl
