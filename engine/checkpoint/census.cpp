// SPDX-License-Identifier: Apache-2.0
#include "engine/checkpoint/census.h"

#include <algorithm>
#include <array>
#include <limits>

#include "engine/base/checked.h"

namespace fl::checkpoint {

namespace {

// Headers that are wrong may claim any size; the sum then stays at the limit.
void add(std::int64_t& sum, std::int64_t value) {
    sum = checkedAdd(sum, value).value_or(std::numeric_limits<std::int64_t>::max());
}

}  // namespace

Census census(const Inventory& inventory) {
    std::array<DTypeCensus, kDTypeCount> rows{};
    Census out;
    for (const TensorInfo& tensor : inventory.tensors()) {
        DTypeCensus& row = rows[static_cast<std::size_t>(tensor.dtype)];
        row.dtype = tensor.dtype;
        ++row.tensors;
        ++out.tensors;
        const std::int64_t parameters = tensor.shape.count().value_or(0);
        add(row.parameters, parameters);
        add(row.bytes, tensor.bytes);
        add(out.parameters, parameters);
        add(out.bytes, tensor.bytes);
    }
    std::copy_if(rows.begin(), rows.end(), std::back_inserter(out.byDType),
                 [](const DTypeCensus& row) { return row.tensors > 0; });
    std::stable_sort(out.byDType.begin(), out.byDType.end(),
                     [](const DTypeCensus& a, const DTypeCensus& b) { return a.bytes > b.bytes; });
    return out;
}

}  // namespace fl::checkpoint
