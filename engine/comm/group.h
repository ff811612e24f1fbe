// SPDX-License-Identifier: Apache-2.0
// One communication group of this rank. Its collectives go through the device's own table, with a
// sequence number and the place in the model that asked.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"
#include "engine/comm/collective_journal.h"
#include "engine/comm/host_collectives.h"
#include "engine/device/device.h"

namespace fl::comm {

// Who a group is: as plan::Group, plus this rank's place in it.
struct GroupIdentity {
    std::string kind;        // "tp"
    std::string name;        // "tp0"
    std::vector<int> ranks;  // of the job, in group order
    int worldRank = 0;       // this rank
};

// All calls block until the data is there (on the device's stream) and come from one thread. An
// error names rank, collective, group and site.
class Group {
public:
    // Called by all members at the same time; `world` is the communicator of all ranks. Device,
    // stream and journal outlive the group.
    static Result<std::unique_ptr<Group>> create(GroupIdentity identity,
                                                 Messenger& world,
                                                 const WaitRules& rules,
                                                 device::Device& device,
                                                 device::Stream& stream,
                                                 CollectiveJournal& journal);
    Group(const Group&) = delete;
    Group& operator=(const Group&) = delete;

    const GroupIdentity& identity() const { return identity_; }
    int rank() const { return host_.rank(); }  // in the group
    int ranks() const { return host_.ranks(); }
    double formedSeconds() const { return formedSeconds_; }

    // Device memory. Counts as in fl_collective_api.
    Status allReduce(float* data, std::int64_t count, std::string_view site);
    Status allGather(const void* from,
                     void* to,
                     const std::vector<std::int64_t>& bytes,
                     std::string_view site);
    Status reduceScatter(const float* from,
                         float* to,
                         const std::vector<std::int64_t>& counts,
                         std::string_view site);
    Status allToAll(const void* from,
                    const std::vector<std::int64_t>& fromBytes,
                    void* to,
                    const std::vector<std::int64_t>& toBytes,
                    std::string_view site);
    Status send(const void* from, std::int64_t bytes, int peer, std::string_view site);
    Status receive(void* to, std::int64_t bytes, int peer, std::string_view site);

private:
    Group(GroupIdentity identity,
          std::unique_ptr<Messenger> messenger,
          const WaitRules& rules,
          device::Stream& stream,
          CollectiveJournal& journal);
    // Runs one collective inside a journal entry; `call` is what the card does for it.
    template <class Call>
    Status run(std::string_view operation, std::string_view site, Call&& call);
    Error failure(const Error& error, const std::string& what) const;

    GroupIdentity identity_;
    HostCollectives host_;
    device::Stream& stream_;
    CollectiveJournal& journal_;
    std::optional<device::CollectiveGroup> group_;
    std::int64_t sequence_ = 0;
    double formedSeconds_ = 0;
};

}  // namespace fl::comm
