// SPDX-License-Identifier: Apache-2.0
#include "engine/service/rank_station.h"

#include <algorithm>
#include <string>
#include <utility>

#include <fmt/core.h>

#include "engine/base/log.h"
#include "engine/base/text.h"
#include "engine/comm/preflight.h"
#include "engine/device/cluster.h"
#include "engine/protocol/codec.h"
#include "engine/service/found_topology.h"
#include "engine/service/host_name.h"
#include "engine/service/reports.h"
#include "engine/topology/cluster_file.h"

namespace fl::service {

RankStation::RankStation(std::unique_ptr<comm::Messenger> messenger,
                         const comm::WaitRules& rules,
                         Inspection inspection,
                         RankReporter& reporter)
    : reporter_(reporter),
      world_(std::move(messenger), rules),
      inspection_(std::move(inspection)) {}

RankStation::~RankStation() {
    reporter_.watch(nullptr);
}

Result<std::unique_ptr<RankStation>> RankStation::form(const protocol::RankJob& job,
                                                       Inspection inspection,
                                                       std::unique_ptr<comm::Messenger> messenger,
                                                       device::PluginRegistry& registry,
                                                       RankReporter& reporter,
                                                       const CancelToken& stop) {
    comm::WaitRules rules;
    rules.budgetSeconds = job.stageBudget;
    rules.cancel = stop;
    std::unique_ptr<RankStation> team(
        new RankStation(std::move(messenger), rules, std::move(inspection), reporter));
    FL_DO(team->prepare(job, stop));
    reporter.phase("device");
    FL_DO(team->openDevice(registry));
    FL_DO(team->meet());
    reporter.phase("groups");
    FL_DO(team->formGroups());
    reporter.phase("preflight");
    FL_DO(team->tryGroups());
    FL_DO(team->reportTopology());
    team->logTeam();
    return team;
}

Status RankStation::prepare(const protocol::RankJob& job, const CancelToken& stop) {
    FL_TRY(auto cluster, topology::clusterFromJson(job.cluster));
    FL_TRY(placement_, placeModel(inspection_, job.settings, std::move(cluster), stop));
    for (const Finding& finding : placement_.plan.findings) {
        if (finding.severity == Severity::Error)
            return Error{ErrorCode::InvalidArgument, text(finding)};
    }
    const int planned = placement_.plan.mesh.ranks();
    if (planned == world_.ranks())
        return Done{};
    return Error{ErrorCode::InvalidArgument,
                 fmt::format("MPI started {} ranks, the plan {} needs {}", world_.ranks(),
                             plan::text(placement_.plan.mesh), planned)};
}

Status RankStation::openDevice(device::PluginRegistry& registry) {
    const plan::RankPlan& mine = placement_.plan.ranks[static_cast<std::size_t>(world_.rank())];
    const topology::Node& node = placement_.cluster.nodes[static_cast<std::size_t>(mine.node)];
    const topology::Device& described = node.devices[static_cast<std::size_t>(mine.device)];
    FL_TRY(auto device, device::openDevice(registry, described));
    if (const std::int64_t budget = device.info().budgetBytes; budget < mine.ledger.total()) {
        return Error{ErrorCode::OutOfMemory,
                     fmt::format("{} of node {} allows {}, this rank needs {}", device.info().name,
                                 ownHost(), formatBytes(budget), formatBytes(mine.ledger.total()))};
    }
    device_ = std::make_unique<device::Device>(std::move(device));
    FL_TRY(auto stream, device_->createStream());
    stream_ = std::make_unique<device::Stream>(std::move(stream));
    reporter_.watch(device_.get());
    return Done{};
}

// MPI forms groups without regard to budget or cancellation, so nobody begins before all are there.
Status RankStation::meet() {
    FL_TRY(const auto texts, world_.gatherTexts(""));
    if (world_.rank() == 0)
        return world_.broadcastText("");
    FL_TRY(const auto text, world_.receiveText(0, world_.rules()));
    return Done{};
}

Status RankStation::formGroups() {
    for (const plan::Group& group : plan::groups(placement_.plan.mesh)) {
        if (std::ranges::find(group.ranks, world_.rank()) == group.ranks.end())
            continue;
        FL_TRY(auto made, comm::Group::create({group.kind, group.name, group.ranks, world_.rank()},
                                              world_.messenger(), world_.rules(), *device_,
                                              *stream_, reporter_.journal()));
        groups_.push_back(std::move(made));
    }
    return Done{};
}

Status RankStation::tryGroups() {
    for (const auto& group : groups_) {
        FL_TRY(const auto times, comm::preflight(*group, *device_, *stream_));
        const comm::GroupIdentity& identity = group->identity();
        protocol::GroupInfo info;
        info.kind = identity.kind;
        info.name = identity.name;
        info.ranks = identity.ranks;
        info.state = "formed";
        info.formedSeconds = group->formedSeconds();
        info.allReduceSeconds = times.allReduceSeconds;
        info.allReduceBytes = times.allReduceBytes;
        info.ringBytesPerSecond = times.ringBytesPerSecond;
        measured_.push_back(std::move(info));
    }
    return Done{};
}

// What preflight found; what the plan knows of the group stays.
static void take(const protocol::GroupInfo& measured, protocol::GroupInfo& group) {
    group.ranks = measured.ranks;
    group.state = measured.state;
    group.formedSeconds = measured.formedSeconds;
    group.allReduceSeconds = measured.allReduceSeconds;
    group.allReduceBytes = measured.allReduceBytes;
    group.ringBytesPerSecond = measured.ringBytesPerSecond;
}

// Rank 0 hears from everybody; of a group, its first rank's word counts, of a card, that of the
// rank that drives it.
Status RankStation::reportTopology() {
    protocol::Topology mine;
    mine.groups = measured_;
    FL_TRY(auto around, nodeOfRank(device_->info(), world_.rank()));
    mine.nodes.push_back(std::move(around));
    FL_TRY(const auto texts, world_.gatherTexts(protocol::encode(mine).dump()));
    if (world_.rank() != 0)
        return Done{};
    protocol::Topology all = topologyReport(inspection_, placement_);
    std::vector<protocol::NodeInfo> nodes;
    for (const std::string& text : texts) {
        FL_TRY(const Json json, Json::parse(text));
        FL_TRY(auto part, protocol::decode<protocol::Topology>(json));
        if (part.nodes.size() != 1 || part.nodes.front().devices.empty())
            return Error{ErrorCode::Corrupt, "a rank does not say where it runs"};
        nodes.push_back(std::move(part.nodes.front()));
        for (const protocol::GroupInfo& measured : part.groups) {
            for (protocol::GroupInfo& group : all.groups) {
                if (group.name == measured.name && group.state != "formed")
                    take(measured, group);
            }
        }
    }
    FL_TRY(auto findings, takeFound(placement_, nodes, all));
    reporter_.send(protocol::link::kTopology, all);
    if (!findings.empty())
        reporter_.phase("preflight", std::move(findings));
    return Done{};
}

void RankStation::logTeam() const {
    const plan::Plan& plan = placement_.plan;
    const plan::Coordinates where = plan::coordinates(plan.mesh, world_.rank());
    const plan::Stage& stage = plan.stages[static_cast<std::size_t>(where.pp)];
    log::info("rank", "{}: replica {}, stage {} (layers {}–{}), tensor rank {}, on {} with {}",
              plan::text(plan.mesh), where.dp, where.pp, stage.firstLayer, stage.endLayer - 1,
              where.tp, device_->info().name, formatBytes(device_->info().budgetBytes));
    for (const protocol::GroupInfo& group : measured_) {
        std::vector<std::string> ranks;
        for (const int rank : group.ranks)
            ranks.push_back(std::to_string(rank));
        log::info("rank", "group {} of ranks {}: all-reduce of {} in {}", group.name,
                  join(ranks, ", "), formatBytes(group.allReduceBytes),
                  formatDuration(group.allReduceSeconds));
    }
}

RankParts RankStation::parts() {
    runtime::GroupsByKind kinds;
    for (const auto& group : groups_)
        kinds[group->identity().kind] = group.get();
    return {*inspection_.checkpoint,
            inspection_.model,
            placement_.plan,
            world_.rank(),
            *device_,
            *stream_,
            std::move(kinds),
            world_};
}

}  // namespace fl::service
