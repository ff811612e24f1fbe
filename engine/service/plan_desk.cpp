// SPDX-License-Identifier: Apache-2.0
#include "engine/service/plan_desk.h"

#include <utility>

#include "engine/device/cluster.h"
#include "engine/device/plugin_registry.h"
#include "engine/protocol/codec.h"

namespace fl::service {

PlanDesk::PlanDesk(std::vector<fl_plugin_entry_fn> plugins, std::vector<std::string> pluginFolders)
    : plugins_(std::move(plugins)),
      folders_(std::move(pluginFolders)) {}

// A file may have been edited since it was read; a machine does not change so soon.
Result<topology::Cluster> PlanDesk::cluster(const std::string& spec) {
    if (spec == clusterSpec_ && !spec.ends_with(".json"))
        return cluster_;
    device::PluginRegistry registry(plugins_, folders_);
    FL_TRY(cluster_, device::describeCluster(registry, spec));
    clusterSpec_ = spec;
    return cluster_;
}

Result<std::shared_ptr<const Inspection>> PlanDesk::inspected(
    const protocol::JobSettings& settings,
    const std::shared_ptr<const Inspection>& open,
    const CancelToken& cancel) const {
    std::shared_ptr<const Inspection> out = open;
    if (!out) {
        FL_TRY(auto found, inspectCheckpoint(settings, cancel));
        out = std::make_shared<const Inspection>(std::move(found));
    }
    for (const Finding& finding : out->findings) {
        if (finding.severity == Severity::Error)
            return Error{ErrorCode::InvalidArgument, finding.message};
    }
    return out;
}

Result<PlanDesk::Drawn> PlanDesk::draw(const protocol::JobSettings& settings,
                                       const std::shared_ptr<const Inspection>& open,
                                       const CancelToken& cancel) {
    const std::lock_guard lock(mutex_);
    const std::string key = protocol::encode(settings).dump();
    const bool file = settings.cluster.ends_with(".json");
    if (!file && key == lastSettings_ && (!open || open == last_.inspection))
        return last_;
    Drawn out;
    FL_TRY(out.inspection, inspected(settings, open, cancel));
    FL_TRY(auto machines, cluster(settings.cluster));
    FL_TRY(auto placed, placeModel(*out.inspection, settings, std::move(machines), cancel));
    out.placement = std::make_shared<const Placement>(std::move(placed));
    lastSettings_ = key;
    last_ = out;
    return out;
}

Result<plan::SearchState> PlanDesk::search(const protocol::JobSettings& settings,
                                           const std::shared_ptr<const Inspection>& open,
                                           const plan::SearchOptions& search) {
    FL_TRY(const auto inspection, inspected(settings, open, search.cancel));
    FL_TRY(const plan::PlanOptions options, planOptions(settings));
    topology::Cluster machines;
    {
        const std::lock_guard lock(mutex_);
        FL_TRY(machines, cluster(settings.cluster));
    }
    return plan::searchPlans(inspection->model.graph, inspection->model.stored, machines, options,
                             search);
}

protocol::JobSettings completed(protocol::JobSettings settings,
                                const protocol::JobSettings& inForce) {
    const bool sameStages =
        settings.stageLayers.empty() && (settings.pp == 0 || settings.pp == inForce.pp);
    if (sameStages)
        settings.stageLayers = inForce.stageLayers;
    const auto complete = [](auto& number, auto other) {
        if (number == 0)
            number = other;
    };
    complete(settings.tp, inForce.tp);
    complete(settings.pp, inForce.pp);
    complete(settings.ep, inForce.ep);
    complete(settings.dp, inForce.dp);
    complete(settings.maxContext, inForce.maxContext);
    complete(settings.maxSequences, inForce.maxSequences);
    if (settings.order.empty())
        settings.order = inForce.order;
    return settings;
}

}  // namespace fl::service
