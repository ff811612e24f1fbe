// SPDX-License-Identifier: Apache-2.0
#include "engine/comm/group.h"

#include <utility>

#include <fmt/core.h>

#include "engine/base/text.h"

namespace fl::comm {

Group::Group(GroupIdentity identity,
             std::unique_ptr<Messenger> messenger,
             const WaitRules& rules,
             device::Stream& stream,
             CollectiveJournal& journal)
    : identity_(std::move(identity)),
      host_(std::move(messenger), rules),
      stream_(stream),
      journal_(journal) {}

Result<std::unique_ptr<Group>> Group::create(GroupIdentity identity,
                                             Messenger& world,
                                             const WaitRules& rules,
                                             device::Device& device,
                                             device::Stream& stream,
                                             CollectiveJournal& journal) {
    const Patience clock(rules);
    journal.enter("form", 0, identity.name, "preflight");
    FL_TRY(auto messenger, world.subset(identity.ranks));
    std::unique_ptr<Group> group(
        new Group(std::move(identity), std::move(messenger), rules, stream, journal));
    auto made = device.createGroup(group->host_.transport());
    if (!made)
        return group->failure(made.error(), "forming group " + group->identity_.name);
    group->group_ = *std::move(made);
    journal.leave();
    group->formedSeconds_ = clock.seconds();
    return group;
}

Error Group::failure(const Error& error, const std::string& what) const {
    if (error.code == ErrorCode::Timeout) {
        return Error{error.code, fmt::format("no progress for {}: rank {}, {}",
                                             formatDuration(host_.rules().budgetSeconds),
                                             identity_.worldRank, what)};
    }
    // The transport knows more than the backend that borrowed it.
    const std::string& host = host_.lastError().message;
    return Error{error.code, fmt::format("rank {}, {}: {}", identity_.worldRank, what,
                                         host.empty() ? error.message : host)};
}

template <class Call>
Status Group::run(std::string_view operation, std::string_view site, Call&& call) {
    const std::int64_t sequence = ++sequence_;
    journal_.enter(operation, sequence, identity_.name, site);
    Status done = call(*group_);
    if (done)
        done = stream_.synchronize();
    if (!done)  // the journal stays inside: this is where the rank is stuck
        return failure(done.error(), collectiveText(operation, sequence, identity_.name, site));
    journal_.leave();
    return Done{};
}

Status Group::allReduce(float* data, std::int64_t count, std::string_view site) {
    return run("all_reduce", site, [&](device::CollectiveGroup& group) {
        return group.allReduce(stream_, data, count);
    });
}

Status Group::allGather(const void* from,
                        void* to,
                        const std::vector<std::int64_t>& bytes,
                        std::string_view site) {
    return run("all_gather", site, [&](device::CollectiveGroup& group) {
        return group.allGather(stream_, from, to, bytes.data());
    });
}

Status Group::reduceScatter(const float* from,
                            float* to,
                            const std::vector<std::int64_t>& counts,
                            std::string_view site) {
    return run("reduce_scatter", site, [&](device::CollectiveGroup& group) {
        return group.reduceScatter(stream_, from, to, counts.data());
    });
}

Status Group::allToAll(const void* from,
                       const std::vector<std::int64_t>& fromBytes,
                       void* to,
                       const std::vector<std::int64_t>& toBytes,
                       std::string_view site) {
    return run("all_to_all", site, [&](device::CollectiveGroup& group) {
        return group.allToAll(stream_, from, fromBytes.data(), to, toBytes.data());
    });
}

Status Group::send(const void* from, std::int64_t bytes, int peer, std::string_view site) {
    return run("send", site, [&](device::CollectiveGroup& group) {
        return group.send(stream_, from, bytes, peer);
    });
}

Status Group::receive(void* to, std::int64_t bytes, int peer, std::string_view site) {
    return run("receive", site, [&](device::CollectiveGroup& group) {
        return group.receive(stream_, to, bytes, peer);
    });
}

}  // namespace fl::comm
