// SPDX-License-Identifier: Apache-2.0
// Collectives on host memory, built from messages alone. They are what the engine lends to a device
// backend as fl_transport, and what rank 0 uses to spread a step.
//
// Sums add the parts in rank order, whoever computes them: all ranks get the same bits, so all
// ranks of a stage choose the same experts and the same token.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/comm/messenger.h"
#include "engine/comm/waiting.h"
#include "plugins/abi/firstlight_device.h"

namespace fl::comm {

class HostCollectives {
public:
    HostCollectives(std::unique_ptr<Messenger> messenger, WaitRules rules);
    HostCollectives(const HostCollectives&) = delete;
    HostCollectives& operator=(const HostCollectives&) = delete;

    int rank() const { return messenger_->rank(); }
    int ranks() const { return messenger_->ranks(); }
    Messenger& messenger() { return *messenger_; }
    const WaitRules& rules() const { return rules_; }

    // counts[i]: floats or bytes of rank i, as in fl_transport.
    Status allReduce(float* data, std::int64_t count);
    Status allGather(const void* from, void* to, const std::int64_t* counts);
    Status reduceScatter(const float* from, float* to, const std::int64_t* counts);
    Status allToAll(const void* from,
                    const std::int64_t* fromCounts,
                    void* to,
                    const std::int64_t* toCounts);
    Status send(const void* from, std::int64_t bytes, int peer);
    Status receive(void* to, std::int64_t bytes, int peer);

    // Text of any length on a channel of its own. receiveText waits as long as `rules` says.
    Status sendText(const std::string& text, int peer);
    Result<std::string> receiveText(int peer, const WaitRules& rules);
    // Root's text to everybody; the others use receiveText(root).
    Status broadcastText(const std::string& text);
    // Everybody's text, in rank order, on rank 0; empty elsewhere.
    Result<std::vector<std::string>> gatherTexts(const std::string& text);

    // The table for fl_collective_api.group_create; valid while this object lives.
    const fl_transport& transport() const { return transport_; }
    // The reason of the last failure of a transport function.
    const Error& lastError() const { return lastError_; }
    // fl_transport's answer to a Status, with the reason kept for lastError().
    fl_status remember(const Status& status);

private:
    Status finish(const WaitRules& rules);
    Status allReduceSmall(float* data, std::int64_t count);

    std::unique_ptr<Messenger> messenger_;
    WaitRules rules_;
    std::vector<float> scratch_;
    fl_transport transport_{};
    Error lastError_;
};

}  // namespace fl::comm
