// SPDX-License-Identifier: Apache-2.0
#include "engine/load/part_list.h"

#include <algorithm>
#include <map>
#include <tuple>

#include <fmt/core.h>

#include "engine/base/checked.h"

namespace fl::load {

namespace {

using checkpoint::TensorInfo;
using plan::Slice;

Error misfit(const TensorInfo& tensor, const Slice& slice, const char* reason) {
    return Error{ErrorCode::InvalidArgument,
                 fmt::format("tensor {}: slice [{}, {}) along dimension {} of {} {}", tensor.name,
                             slice.begin, slice.end, slice.axis, tensor.shape.text(), reason)};
}

// Elements of one step along `axis`: the product of the dimensions behind it.
std::int64_t elementsBehind(const Shape& shape, int axis) {
    std::int64_t product = 1;
    for (int i = axis + 1; i < shape.rank(); ++i)
        product *= shape[i];
    return product;
}

// The bytes of `slice` in the file, without a target.
Result<Part> cut(const TensorInfo& tensor, const Slice& slice) {
    Part part;
    part.tensor = tensor;
    if (slice.axis < 0) {
        part.fileOffset = tensor.offset;
        part.rowBytes = tensor.bytes;
        part.rowStride = tensor.bytes;
        return part;
    }
    if (slice.axis >= tensor.shape.rank() || slice.begin < 0 ||
        slice.end > tensor.shape[slice.axis] || slice.begin >= slice.end)
        return misfit(tensor, slice, "lies outside the tensor");
    const std::int64_t behind = elementsBehind(tensor.shape, slice.axis);
    const auto first = rowBytes(tensor.dtype, slice.begin * behind);
    const auto length = rowBytes(tensor.dtype, (slice.end - slice.begin) * behind);
    const auto stride = rowBytes(tensor.dtype, tensor.shape[slice.axis] * behind);
    if (!first || !length || !stride)
        return misfit(tensor, slice, "cuts through a quantisation block");
    for (int i = 0; i < slice.axis; ++i)
        part.rows *= tensor.shape[i];
    part.fileOffset = tensor.offset + *first;
    part.rowBytes = *length;
    part.rowStride = *stride;
    return part;
}

Shape cutShape(const TensorInfo& tensor, const Slice& slice) {
    Shape shape = tensor.shape;
    if (slice.axis >= 0)
        shape[slice.axis] = slice.end - slice.begin;
    return shape;
}

// Gives every part its place, equal parts the same one.
class Placer {
public:
    explicit Placer(PartList& list) : list_(list) {}

    std::int64_t place(Part part) {
        const Key key{part.tensor.shard, part.fileOffset, part.rows, part.rowBytes, part.rowStride};
        const auto [known, isNew] = placed_.try_emplace(key, list_.bytes);
        if (isNew) {
            part.target = list_.bytes;
            list_.bytes += roundUp(part.bytes(), kWeightAlignment);
            list_.storedBytes += part.bytes();
            list_.parts.push_back(part);
        }
        return known->second;
    }

private:
    using Key = std::tuple<std::int32_t, std::int64_t, std::int64_t, std::int64_t, std::int64_t>;
    PartList& list_;
    std::map<Key, std::int64_t> placed_;
};

Result<PlacedWeight> placeSlice(const Slice& slice,
                                std::span<const TensorInfo> tensors,
                                Placer& placer) {
    PlacedWeight placed;
    placed.family = slice.expertCount > 0;
    placed.firstExpert = slice.firstExpert;
    placed.firstRow = slice.axis == 0 ? slice.begin : 0;
    const std::int64_t first = placed.family ? slice.firstExpert : 0;
    const std::int64_t count = placed.family ? slice.expertCount : 1;
    if (first < 0 || first + count > static_cast<std::int64_t>(tensors.size())) {
        return Error{ErrorCode::InvalidArgument,
                     fmt::format("weight {}: experts [{}, {}) of {} tensors", slice.weight, first,
                                 first + count, tensors.size())};
    }
    const auto held =
        tensors.subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(count));
    placed.dtype = held.front().dtype;
    placed.shape = cutShape(held.front(), slice);
    for (const TensorInfo& tensor : held) {
        if (tensor.dtype != placed.dtype || !(tensor.shape == held.front().shape)) {
            return Error{ErrorCode::Unsupported,
                         fmt::format("tensor {}: {} {}, while {} is {} {}", tensor.name,
                                     name(tensor.dtype), tensor.shape.text(), held.front().name,
                                     name(placed.dtype), held.front().shape.text())};
        }
        FL_TRY(auto part, cut(tensor, slice));
        placed.targets.push_back(placer.place(part));
    }
    return placed;
}

}  // namespace

Result<PartList> makeParts(std::span<const plan::Slice> slices,
                           std::span<const std::vector<checkpoint::TensorInfo>> tensors) {
    PartList list;
    Placer placer(list);
    for (const Slice& slice : slices) {
        const auto weight = static_cast<std::size_t>(slice.weight);
        FL_TRY(auto placed, placeSlice(slice, tensors[weight], placer));
        list.weights.push_back(std::move(placed));
    }
    std::ranges::sort(list.parts, {}, [](const Part& part) {
        return std::pair(part.tensor.shard, part.fileOffset);
    });
    return list;
}

}  // namespace fl::load
