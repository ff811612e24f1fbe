// SPDX-License-Identifier: Apache-2.0
// A rank on its way from its job to "ready": plan, device, groups, preflight.
#pragma once

#include <memory>
#include <vector>

#include "engine/base/finding.h"
#include "engine/base/result.h"
#include "engine/comm/group.h"
#include "engine/comm/host_collectives.h"
#include "engine/device/device.h"
#include "engine/device/plugin_registry.h"
#include "engine/protocol/link_messages.h"
#include "engine/service/prepare.h"
#include "engine/service/rank_engine.h"
#include "engine/service/rank_reporter.h"

namespace fl::service {

// Everything a rank has before it loads. Not movable: the parts refer to each other.
class RankStation {
public:
    // `inspection` is of this node's checkpoint, without errors. Reports each phase as it begins. A
    // failure is a finding: which phase, what, and what to do.
    static Result<std::unique_ptr<RankStation>> form(const protocol::RankJob& job,
                                                     Inspection inspection,
                                                     std::unique_ptr<comm::Messenger> messenger,
                                                     device::PluginRegistry& registry,
                                                     RankReporter& reporter,
                                                     const CancelToken& stop);
    ~RankStation();
    RankStation(const RankStation&) = delete;
    RankStation& operator=(const RankStation&) = delete;

    const Placement& placement() const { return placement_; }
    const Inspection& inspection() const { return inspection_; }
    comm::HostCollectives& world() { return world_; }
    device::Device& device() { return *device_; }
    // For RankEngine::load(); refers to this team.
    RankParts parts();

private:
    RankStation(std::unique_ptr<comm::Messenger> messenger,
                const comm::WaitRules& rules,
                Inspection inspection,
                RankReporter& reporter);
    Status prepare(const protocol::RankJob& job, const CancelToken& stop);
    Status openDevice(device::PluginRegistry& registry);
    Status meet();
    Status formGroups();
    Status tryGroups();
    Status reportTopology();
    void logTeam() const;

    RankReporter& reporter_;
    comm::HostCollectives world_;
    Inspection inspection_;
    Placement placement_;
    std::unique_ptr<device::Device> device_;
    std::unique_ptr<device::Stream> stream_;
    std::vector<std::unique_ptr<comm::Group>> groups_;
    std::vector<protocol::GroupInfo> measured_;
};

}  // namespace fl::service
