// SPDX-License-Identifier: Apache-2.0
// A transport between threads of one process that stand in for ranks.
#pragma once

#include <barrier>
#include <cstdint>
#include <vector>

#include "plugins/abi/firstlight_device.h"

namespace fl::test {

// Lends one fl_transport per rank. Every rank's thread calls the same functions in the same order.
class FakeTransport {
public:
    explicit FakeTransport(int ranks);
    const fl_transport& rank(int rank) const {
        return ranks_[static_cast<std::size_t>(rank)].transport;
    }

private:
    struct Rank {
        FakeTransport* owner = nullptr;
        int index = 0;
        fl_transport transport{};
        // What this rank offers to the others until the next barrier.
        const void* from = nullptr;
        const std::int64_t* counts = nullptr;
    };

    // Shows `from` to all, runs `read` once all do the same, and returns when all have read.
    template <class Read>
    static fl_status exchange(void* context,
                              const void* from,
                              const std::int64_t* counts,
                              const Read& read);

    static fl_status allReduce(void* context, float* data, std::int64_t count);
    static fl_status allGather(void* context,
                               const void* from,
                               void* to,
                               const std::int64_t* counts);
    static fl_status reduceScatter(void* context,
                                   const float* from,
                                   float* to,
                                   const std::int64_t* counts);
    static fl_status allToAll(void* context,
                              const void* from,
                              const std::int64_t* fromCounts,
                              void* to,
                              const std::int64_t* toCounts);
    static fl_status send(void* context, const void* from, std::int64_t bytes, std::int32_t toRank);
    static fl_status receive(void* context, void* to, std::int64_t bytes, std::int32_t fromRank);

    std::vector<Rank> ranks_;
    std::barrier<> barrier_;
};

}  // namespace fl::test
