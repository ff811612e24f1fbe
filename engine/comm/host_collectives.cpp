// SPDX-License-Identifier: Apache-2.0
#include "engine/comm/host_collectives.h"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <utility>

#include "engine/comm/transport_table.h"
#include "engine/device/status.h"

namespace fl::comm {

namespace {

// Up to here every rank sends its whole vector to every other and sums for itself: one round of
// messages. Above it, each rank sums one part and sends it around: two rounds, but every byte
// travels twice instead of ranks − 1 times.
constexpr std::int64_t kSmallFloats = 16 * 1024;

std::int64_t offsetOf(const std::int64_t* counts, int rank) {
    return std::accumulate(counts, counts + rank, std::int64_t{0});
}

std::vector<std::int64_t> evenParts(std::int64_t count, int ranks) {
    std::vector<std::int64_t> parts(static_cast<std::size_t>(ranks), count / ranks);
    for (std::int64_t i = 0; i < count % ranks; ++i)
        ++parts[static_cast<std::size_t>(i)];
    return parts;
}

// to = sum over ranks, in rank order, of own (where rank == self) or others[...].
void sumInRankOrder(float* to,
                    const float* own,
                    const float* others,
                    std::int64_t count,
                    std::pair<int, int> selfOfRanks) {
    const auto [self, ranks] = selfOfRanks;
    const float* other = others;
    for (int rank = 0; rank < ranks; ++rank) {
        const float* part = rank == self ? own : other;
        if (rank != self)
            other += count;
        if (rank == 0) {
            std::memmove(to, part, static_cast<std::size_t>(count) * sizeof(float));
            continue;
        }
        for (std::int64_t i = 0; i < count; ++i)
            to[i] += part[i];
    }
}

}  // namespace

HostCollectives::HostCollectives(std::unique_ptr<Messenger> messenger, WaitRules rules)
    : messenger_(std::move(messenger)),
      rules_(std::move(rules)) {
    transport_ = transportTable(*this);
}

fl_status HostCollectives::remember(const Status& status) {
    if (status)
        return FL_OK;
    lastError_ = status.error();
    return device::statusOf(lastError_.code);
}

Status HostCollectives::finish(const WaitRules& rules) {
    Patience patience(rules);
    while (true) {
        FL_TRY(const bool done, messenger_->test());
        if (done)
            return Done{};
        if (auto waited = patience.pause(); !waited) {
            messenger_->abandon();
            return waited;
        }
    }
}

Status HostCollectives::allReduceSmall(float* data, std::int64_t count) {
    const auto bytes = count * static_cast<std::int64_t>(sizeof(float));
    const auto size = static_cast<std::size_t>(count);
    const int self = rank();
    scratch_.resize(size * static_cast<std::size_t>(ranks()));
    float* own = scratch_.data();
    float* next = own + size;
    for (int peer = 0; peer < ranks(); ++peer) {
        if (peer == self)
            continue;
        FL_DO(messenger_->receive(next, bytes, peer, Channel::Collective));
        next += count;
    }
    for (int peer = 0; peer < ranks(); ++peer) {
        if (peer != self)
            FL_DO(messenger_->send(data, bytes, peer, Channel::Collective));
    }
    FL_DO(finish(rules_));
    std::memcpy(own, data, size * sizeof(float));
    sumInRankOrder(data, own, own + count, count, {self, ranks()});
    return Done{};
}

Status HostCollectives::allReduce(float* data, std::int64_t count) {
    if (ranks() == 1 || count == 0)
        return Done{};
    if (count <= kSmallFloats)
        return allReduceSmall(data, count);
    const auto parts = evenParts(count, ranks());
    std::vector<float> part(static_cast<std::size_t>(parts[static_cast<std::size_t>(rank())]));
    FL_DO(reduceScatter(data, part.data(), parts.data()));
    std::vector<std::int64_t> bytes = parts;
    for (std::int64_t& value : bytes)
        value *= static_cast<std::int64_t>(sizeof(float));
    return allGather(part.data(), data, bytes.data());
}

Status HostCollectives::allGather(const void* from, void* to, const std::int64_t* counts) {
    auto* next = static_cast<char*>(to);
    const std::int64_t own = counts[rank()];
    for (int peer = 0; peer < ranks(); ++peer) {
        if (peer == rank())
            std::memmove(next, from, static_cast<std::size_t>(own));
        else if (counts[peer] > 0)
            FL_DO(messenger_->receive(next, counts[peer], peer, Channel::Collective));
        next += counts[peer];
    }
    for (int peer = 0; peer < ranks() && own > 0; ++peer) {
        if (peer != rank())
            FL_DO(messenger_->send(from, own, peer, Channel::Collective));
    }
    return finish(rules_);
}

Status HostCollectives::reduceScatter(const float* from, float* to, const std::int64_t* counts) {
    const std::int64_t own = counts[rank()];
    constexpr auto kFloat = static_cast<std::int64_t>(sizeof(float));
    scratch_.resize(static_cast<std::size_t>(own * std::max(ranks() - 1, 1)));
    float* next = scratch_.data();
    for (int peer = 0; peer < ranks() && own > 0; ++peer) {
        if (peer == rank())
            continue;
        FL_DO(messenger_->receive(next, own * kFloat, peer, Channel::Collective));
        next += own;
    }
    for (int peer = 0; peer < ranks(); ++peer) {
        if (peer == rank() || counts[peer] == 0)
            continue;
        const float* part = from + offsetOf(counts, peer);
        FL_DO(messenger_->send(part, counts[peer] * kFloat, peer, Channel::Collective));
    }
    FL_DO(finish(rules_));
    sumInRankOrder(to, from + offsetOf(counts, rank()), scratch_.data(), own, {rank(), ranks()});
    return Done{};
}

Status HostCollectives::allToAll(const void* from,
                                 const std::int64_t* fromCounts,
                                 void* to,
                                 const std::int64_t* toCounts) {
    const auto* source = static_cast<const char*>(from);
    auto* target = static_cast<char*>(to);
    for (int peer = 0; peer < ranks(); ++peer) {
        if (peer != rank() && toCounts[peer] > 0) {
            FL_DO(messenger_->receive(target + offsetOf(toCounts, peer), toCounts[peer], peer,
                                      Channel::Collective));
        }
    }
    for (int peer = 0; peer < ranks(); ++peer) {
        const char* part = source + offsetOf(fromCounts, peer);
        if (peer == rank()) {
            std::memcpy(target + offsetOf(toCounts, peer), part,
                        static_cast<std::size_t>(fromCounts[peer]));
        } else if (fromCounts[peer] > 0) {
            FL_DO(messenger_->send(part, fromCounts[peer], peer, Channel::Collective));
        }
    }
    return finish(rules_);
}

Status HostCollectives::send(const void* from, std::int64_t bytes, int peer) {
    if (bytes == 0)
        return Done{};
    FL_DO(messenger_->send(from, bytes, peer, Channel::Point));
    return finish(rules_);
}

Status HostCollectives::receive(void* to, std::int64_t bytes, int peer) {
    if (bytes == 0)
        return Done{};
    FL_DO(messenger_->receive(to, bytes, peer, Channel::Point));
    return finish(rules_);
}

Status HostCollectives::sendText(const std::string& text, int peer) {
    FL_DO(messenger_->send(text.data(), static_cast<std::int64_t>(text.size()), peer,
                           Channel::Control));
    return finish(rules_);
}

Result<std::string> HostCollectives::receiveText(int peer, const WaitRules& rules) {
    Patience patience(rules);
    std::int64_t bytes = -1;
    while (true) {
        FL_TRY(bytes, messenger_->probe(peer, Channel::Control));
        if (bytes >= 0)
            break;
        FL_DO(patience.pause());
    }
    std::string text(static_cast<std::size_t>(bytes), '\0');
    FL_DO(messenger_->receive(text.data(), bytes, peer, Channel::Control));
    FL_DO(finish(rules));
    return text;
}

Status HostCollectives::broadcastText(const std::string& text) {
    for (int peer = 0; peer < ranks(); ++peer) {
        if (peer != rank()) {
            FL_DO(messenger_->send(text.data(), static_cast<std::int64_t>(text.size()), peer,
                                   Channel::Control));
        }
    }
    return finish(rules_);
}

Result<std::vector<std::string>> HostCollectives::gatherTexts(const std::string& text) {
    std::vector<std::string> texts;
    if (rank() != 0) {
        FL_DO(sendText(text, 0));
        return texts;
    }
    texts.push_back(text);
    for (int peer = 1; peer < ranks(); ++peer) {
        FL_TRY(auto part, receiveText(peer, rules_));
        texts.push_back(std::move(part));
    }
    return texts;
}

}  // namespace fl::comm
