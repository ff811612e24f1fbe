// SPDX-License-Identifier: Apache-2.0
#include "engine/comm/group.h"

#include <utility>

#include <fmt/core.h>

#include "engine/base/text.h"

namespace fl::comm {

namespace {

ErrorCode codeOf(fl_status status) {
    switch (status) {
        case FL_CANCELLED:
            return ErrorCode::Cancelled;
        case FL_DEVICE_LOST:
            return ErrorCode::DeviceLost;
        case FL_INVALID_ARGUMENT:
            return ErrorCode::InvalidArgument;
        case FL_IO:
            return ErrorCode::Io;
        case FL_NOT_FOUND:
            return ErrorCode::NotFound;
        case FL_OUT_OF_MEMORY:
            return ErrorCode::OutOfMemory;
        case FL_TIMEOUT:
            return ErrorCode::Timeout;
        case FL_UNSUPPORTED:
            return ErrorCode::Unsupported;
        case FL_OK:
        case FL_INTERNAL:
            return ErrorCode::Internal;
    }
    return ErrorCode::Internal;
}

}  // namespace

Group::Group(GroupIdentity identity,
             std::unique_ptr<Messenger> messenger,
             const WaitRules& rules,
             const DeviceLink& link,
             CollectiveJournal& journal)
    : identity_(std::move(identity)),
      host_(std::move(messenger), rules),
      link_(link),
      journal_(journal) {}

Group::~Group() {
    if (group_ != nullptr)
        link_.plugin->collectives->group_destroy(group_);
}

Result<std::unique_ptr<Group>> Group::create(GroupIdentity identity,
                                             Messenger& world,
                                             const WaitRules& rules,
                                             const DeviceLink& link,
                                             CollectiveJournal& journal) {
    const fl_collective_api* api = link.plugin->collectives;
    if (api == nullptr || api->group_create == nullptr) {
        return Error{ErrorCode::Unsupported,
                     fmt::format("device backend {} has no collectives, group {} needs them",
                                 link.plugin->name, identity.name)};
    }
    const Patience clock(rules);
    journal.enter("form", 0, identity.name, "preflight");
    FL_TRY(auto messenger, world.subset(identity.ranks));
    std::unique_ptr<Group> group(
        new Group(std::move(identity), std::move(messenger), rules, link, journal));
    const fl_status status =
        api->group_create(link.device, &group->host_.transport(), &group->group_);
    if (status != FL_OK)
        return group->failure(status, fmt::format("forming group {}", group->identity_.name));
    journal.leave();
    group->formedSeconds_ = clock.seconds();
    return group;
}

Error Group::failure(fl_status status, const std::string& what) const {
    const ErrorCode code = codeOf(status);
    if (code == ErrorCode::Timeout) {
        return Error{code, fmt::format("no progress for {}: rank {}, {}",
                                       formatDuration(host_.rules().budgetSeconds),
                                       identity_.worldRank, what)};
    }
    const std::string& host = host_.lastError().message;
    const char* device = link_.plugin->last_error != nullptr ? link_.plugin->last_error() : nullptr;
    const std::string reason = !host.empty() ? host : (device != nullptr ? device : "no reason");
    return Error{code, fmt::format("rank {}, {}: {}", identity_.worldRank, what, reason)};
}

template <class Call>
Status Group::run(std::string_view operation, std::string_view site, Call&& call) {
    const std::int64_t sequence = ++sequence_;
    journal_.enter(operation, sequence, identity_.name, site);
    fl_status status = call(*link_.plugin->collectives);
    if (status == FL_OK)
        status = link_.plugin->device->stream_synchronize(link_.stream);
    if (status != FL_OK)  // the journal stays inside: this is where the rank is stuck
        return failure(status, collectiveText(operation, sequence, identity_.name, site));
    journal_.leave();
    return Done{};
}

Status Group::allReduce(float* data, std::int64_t count, std::string_view site) {
    return run("all_reduce", site, [&](const fl_collective_api& api) {
        return api.all_reduce(group_, link_.stream, data, count);
    });
}

Status Group::allGather(const void* from,
                        void* to,
                        const std::vector<std::int64_t>& bytes,
                        std::string_view site) {
    return run("all_gather", site, [&](const fl_collective_api& api) {
        return api.all_gather(group_, link_.stream, from, to, bytes.data());
    });
}

Status Group::reduceScatter(const float* from,
                            float* to,
                            const std::vector<std::int64_t>& counts,
                            std::string_view site) {
    return run("reduce_scatter", site, [&](const fl_collective_api& api) {
        return api.reduce_scatter(group_, link_.stream, from, to, counts.data());
    });
}

Status Group::allToAll(const void* from,
                       const std::vector<std::int64_t>& fromBytes,
                       void* to,
                       const std::vector<std::int64_t>& toBytes,
                       std::string_view site) {
    return run("all_to_all", site, [&](const fl_collective_api& api) {
        return api.all_to_all(group_, link_.stream, from, fromBytes.data(), to, toBytes.data());
    });
}

Status Group::send(const void* from, std::int64_t bytes, int peer, std::string_view site) {
    return run("send", site, [&](const fl_collective_api& api) {
        return api.send(group_, link_.stream, from, bytes, peer);
    });
}

Status Group::receive(void* to, std::int64_t bytes, int peer, std::string_view site) {
    return run("receive", site, [&](const fl_collective_api& api) {
        return api.receive(group_, link_.stream, to, bytes, peer);
    });
}

}  // namespace fl::comm
