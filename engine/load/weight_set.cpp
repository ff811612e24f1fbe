// SPDX-License-Identifier: Apache-2.0
#include "engine/load/weight_set.h"

#include <mutex>
#include <utility>

#include "engine/load/allocate.h"

namespace fl::load {

namespace {

class DeviceSink final : public WeightSink {
public:
    DeviceSink(const device::Device& device, device::Stream& stream, const device::Buffer& memory)
        : hostVisible_(device.hostVisible()),
          stream_(stream),
          begin_(static_cast<std::byte*>(memory.data())) {}

    std::byte* direct(std::int64_t offset) override {
        return hostVisible_ ? begin_ + offset : nullptr;
    }
    Status write(std::int64_t offset, std::span<const std::byte> bytes) override {
        const std::lock_guard lock(mutex_);
        FL_DO(
            stream_.copyIn(begin_ + offset, bytes.data(), static_cast<std::int64_t>(bytes.size())));
        return stream_.synchronize();
    }

private:
    bool hostVisible_;
    std::mutex mutex_;
    device::Stream& stream_;
    std::byte* begin_;
};

Result<device::Buffer> makeExpertTables(const std::vector<const void*>& addresses,
                                        device::Device& device,
                                        device::Stream& stream) {
    const auto bytes = static_cast<std::int64_t>(addresses.size() * sizeof(void*));
    if (bytes == 0)
        return device::Buffer();
    FL_TRY(auto tables, allocate(device, bytes, plan::Category::Weights));
    FL_DO(stream.copyIn(tables.data(), addresses.data(), bytes));
    FL_DO(stream.synchronize());
    return tables;
}

// Fills `set` from where the parts were placed.
Status bindWeights(const PartList& list,
                   device::Device& device,
                   device::Stream& stream,
                   WeightSet& set) {
    const auto* begin = static_cast<const std::byte*>(set.memory.data());
    std::vector<const void*> addresses;
    for (const PlacedWeight& placed : list.weights) {
        for (const std::int64_t target : placed.targets) {
            if (placed.family)
                addresses.push_back(begin + target);
        }
    }
    FL_TRY(set.expertTables, makeExpertTables(addresses, device, stream));
    const auto* table = static_cast<const void* const*>(set.expertTables.data());
    for (const PlacedWeight& placed : list.weights) {
        graph::BoundWeight bound;
        bound.dtype = placed.dtype;
        bound.shape = placed.shape;
        bound.firstRow = placed.firstRow;
        bound.firstExpert = placed.firstExpert;
        if (placed.family) {
            bound.experts = table;
            bound.localExperts = static_cast<std::int64_t>(placed.targets.size());
            table += placed.targets.size();
        } else {
            bound.data = begin + placed.targets.front();
        }
        set.weights.push_back(bound);
    }
    return Done{};
}

}  // namespace

Result<WeightSet> loadWeights(std::span<const plan::Slice> slices,
                              std::span<const std::vector<checkpoint::TensorInfo>> tensors,
                              std::span<const checkpoint::Shard> shards,
                              device::Device& device,
                              const ReadOptions& options) {
    WeightSet set;
    FL_TRY(const PartList list, makeParts(slices, tensors));
    FL_TRY(auto stream, device.createStream());
    FL_TRY(set.memory, allocate(device, list.bytes, plan::Category::Weights));
    set.storedBytes = list.storedBytes;
    DeviceSink sink(device, stream, set.memory);
    FL_TRY(set.findings, readParts(list, shards, sink, options));
    FL_DO(bindWeights(list, device, stream, set));
    return set;
}

}  // namespace fl::load
