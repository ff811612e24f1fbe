// SPDX-License-Identifier: Apache-2.0
#include "tests/plugins/fake_transport.h"

#include <cstring>
#include <numeric>

namespace fl::test {

FakeTransport::FakeTransport(int ranks) : ranks_(static_cast<std::size_t>(ranks)), barrier_(ranks) {
    for (int i = 0; i < ranks; ++i) {
        Rank& rank = ranks_[static_cast<std::size_t>(i)];
        rank.owner = this;
        rank.index = i;
        rank.transport = {sizeof(fl_transport), &rank,    i,    ranks,  allReduce, allGather,
                          reduceScatter,        allToAll, send, receive};
    }
}

template <class Read>
fl_status FakeTransport::exchange(void* context,
                                  const void* from,
                                  const std::int64_t* counts,
                                  const Read& read) {
    Rank& self = *static_cast<Rank*>(context);
    self.from = from;
    self.counts = counts;
    self.owner->barrier_.arrive_and_wait();
    read(self, self.owner->ranks_);
    self.owner->barrier_.arrive_and_wait();
    return FL_OK;
}

fl_status FakeTransport::allReduce(void* context, float* data, std::int64_t count) {
    std::vector<float> sum(static_cast<std::size_t>(count));
    const fl_status status =
        exchange(context, data, nullptr, [&](const Rank&, const std::vector<Rank>& ranks) {
            for (const Rank& rank : ranks) {
                const auto* values = static_cast<const float*>(rank.from);
                for (std::size_t i = 0; i < sum.size(); ++i)
                    sum[i] += values[i];
            }
        });
    std::memcpy(data, sum.data(), sum.size() * sizeof(float));
    return status;
}

fl_status FakeTransport::allGather(void* context,
                                   const void* from,
                                   void* to,
                                   const std::int64_t* counts) {
    return exchange(context, from, counts, [&](const Rank&, const std::vector<Rank>& ranks) {
        auto* place = static_cast<char*>(to);
        for (const Rank& rank : ranks) {
            const auto bytes = static_cast<std::size_t>(counts[rank.index]);
            std::memcpy(place, rank.from, bytes);
            place += bytes;
        }
    });
}

fl_status FakeTransport::reduceScatter(void* context,
                                       const float* from,
                                       float* to,
                                       const std::int64_t* counts) {
    return exchange(context, from, counts, [&](const Rank& self, const std::vector<Rank>& ranks) {
        const std::int64_t first = std::accumulate(counts, counts + self.index, std::int64_t{0});
        for (std::int64_t i = 0; i < counts[self.index]; ++i) {
            to[i] = 0;
            for (const Rank& rank : ranks)
                to[i] += static_cast<const float*>(rank.from)[first + i];
        }
    });
}

fl_status FakeTransport::allToAll(void* context,
                                  const void* from,
                                  const std::int64_t* fromCounts,
                                  void* to,
                                  const std::int64_t* toCounts) {
    return exchange(
        context, from, fromCounts, [&](const Rank& self, const std::vector<Rank>& ranks) {
            auto* place = static_cast<char*>(to);
            for (const Rank& rank : ranks) {
                const auto skip =
                    std::accumulate(rank.counts, rank.counts + self.index, std::int64_t{0});
                const auto bytes = static_cast<std::size_t>(toCounts[rank.index]);
                std::memcpy(place, static_cast<const char*>(rank.from) + skip, bytes);
                place += bytes;
            }
        });
}

fl_status FakeTransport::send(void* context,
                              const void* from,
                              std::int64_t /*bytes*/,
                              std::int32_t /*toRank*/) {
    return exchange(context, from, nullptr, [](const Rank&, const std::vector<Rank>&) {});
}

fl_status FakeTransport::receive(void* context,
                                 void* to,
                                 std::int64_t bytes,
                                 std::int32_t fromRank) {
    return exchange(context, nullptr, nullptr, [&](const Rank&, const std::vector<Rank>& ranks) {
        std::memcpy(to, ranks[static_cast<std::size_t>(fromRank)].from,
                    static_cast<std::size_t>(bytes));
    });
}

}  // namespace fl::test
