// SPDX-License-Identifier: Apache-2.0
#include "engine/comm/preflight.h"

#include <chrono>
#include <utility>
#include <vector>

#include <fmt/core.h>

namespace fl::comm {

namespace {

constexpr std::int64_t kFloats = 4096;
constexpr std::int64_t kBytes = kFloats * static_cast<std::int64_t>(sizeof(float));
constexpr std::string_view kSite = "preflight";

double now() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch())
        .count();
}

struct Scratch {
    device::Stream& stream;
    device::Buffer memory;

    Status write(const std::vector<float>& values) {
        return stream.copyIn(memory.data(), values.data(), bytesOf(values));
    }
    Status read(std::vector<float>& values) {
        FL_DO(stream.copyOut(values.data(), memory.data(), bytesOf(values)));
        return stream.synchronize();
    }
    float* data() { return static_cast<float*>(memory.data()); }

    static std::int64_t bytesOf(const std::vector<float>& values) {
        return static_cast<std::int64_t>(values.size() * sizeof(float));
    }
};

Error wrongValue(const Group& group, std::string_view what, float expected, float found) {
    return Error{ErrorCode::Corrupt,
                 fmt::format("preflight {} of group {} on rank {}: expected {}, found {}", what,
                             group.identity().name, group.identity().worldRank, expected, found)};
}

Result<double> tryAllReduce(Group& group, Scratch& scratch) {
    std::vector<float> values(kFloats);
    double seconds = 0;
    const auto members = static_cast<float>(group.ranks());
    for (int round = 0; round < 2; ++round) {
        values.assign(kFloats, static_cast<float>(group.rank() + 1));
        FL_DO(scratch.write(values));
        const double begin = now();
        FL_DO(group.allReduce(scratch.data(), kFloats, kSite));
        seconds = now() - begin;
        FL_DO(scratch.read(values));
    }
    const float expected = members * (members + 1) / 2;
    for (const float value : values) {
        if (value != expected)
            return wrongValue(group, "all_reduce", expected, value);
    }
    return seconds;
}

// Rank r sends the number 100 r + peer to each peer.
Result<double> tryAllToAll(Group& group, Scratch& from, Scratch& to) {
    const auto members = static_cast<std::size_t>(group.ranks());
    std::vector<float> values(members);
    for (std::size_t peer = 0; peer < members; ++peer)
        values[peer] = static_cast<float>(100 * group.rank()) + static_cast<float>(peer);
    FL_DO(from.write(values));
    const std::vector<std::int64_t> bytes(members, sizeof(float));
    double seconds = 0;
    for (int round = 0; round < 2; ++round) {
        const double begin = now();
        FL_DO(group.allToAll(from.data(), bytes, to.data(), bytes, kSite));
        seconds = now() - begin;
    }
    FL_DO(to.read(values));
    for (std::size_t peer = 0; peer < members; ++peer) {
        const float expected = static_cast<float>(100 * peer) + static_cast<float>(group.rank());
        if (values[peer] != expected)
            return wrongValue(group, "all_to_all", expected, values[peer]);
    }
    return seconds;
}

// A message once around: rank 0 begins, so that no two ranks wait for each other to receive.
Result<double> tryRing(Group& group, Scratch& scratch) {
    const int next = (group.rank() + 1) % group.ranks();
    const int previous = (group.rank() + group.ranks() - 1) % group.ranks();
    double seconds = 0;
    for (int round = 0; round < 2; ++round) {
        const double begin = now();
        if (group.rank() == 0)
            FL_DO(group.send(scratch.data(), kBytes, next, kSite));
        FL_DO(group.receive(scratch.data(), kBytes, previous, kSite));
        if (group.rank() != 0)
            FL_DO(group.send(scratch.data(), kBytes, next, kSite));
        seconds = now() - begin;
    }
    return seconds;
}

}  // namespace

Result<PreflightTimes> preflight(Group& group, device::Device& device, device::Stream& stream) {
    PreflightTimes times;
    FL_TRY(auto one, device.allocate(kBytes, FL_MEMORY_COMMUNICATION));
    FL_TRY(auto other, device.allocate(kBytes, FL_MEMORY_COMMUNICATION));
    Scratch a{stream, std::move(one)};
    Scratch b{stream, std::move(other)};
    times.allReduceBytes = kBytes;
    FL_TRY(times.allReduceSeconds, tryAllReduce(group, a));
    FL_TRY(times.allToAllSeconds, tryAllToAll(group, a, b));
    FL_TRY(const double ring, tryRing(group, a));
    times.ringBytesPerSecond = static_cast<double>(kBytes) * group.ranks() / ring;
    return times;
}

}  // namespace fl::comm
