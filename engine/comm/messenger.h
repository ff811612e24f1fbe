// SPDX-License-Identifier: Apache-2.0
// Non-blocking messages between the ranks of one communicator: the only thing comm asks of MPI, so
// that everything above it runs over threads in a test and over nothing at all for one rank.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "engine/base/result.h"

namespace fl::comm {

enum class Channel : std::uint8_t { Collective = 1, Point = 2, Control = 3 };

// Called from one thread at a time.
class Messenger {
public:
    virtual ~Messenger() = default;

    virtual int rank() const = 0;
    virtual int ranks() const = 0;

    // Begins a message; the memory belongs to it until test() has said true. Messages to one peer
    // on one channel arrive in order. `peer` is never the own rank.
    virtual Status send(const void* from, std::int64_t bytes, int peer, Channel channel) = 0;
    virtual Status receive(void* to, std::int64_t bytes, int peer, Channel channel) = 0;

    // Whether everything begun is done.
    virtual Result<bool> test() = 0;

    // Forgets what was begun, as far as possible: after a failure, before memory goes.
    virtual void abandon() = 0;

    // Bytes of the next message from the peer, −1 if none has arrived.
    virtual Result<std::int64_t> probe(int peer, Channel channel) = 0;

    // A communicator of `members` (ranks of this one, in the new order). Called by exactly them.
    virtual Result<std::unique_ptr<Messenger>> subset(std::span<const int> members) = 0;
};

// A world of one rank.
std::unique_ptr<Messenger> singleRank();

}  // namespace fl::comm
