// SPDX-License-Identifier: Apache-2.0
// Plans that clients ask for without putting them in force. A slider asks many times a second and
// for the map of the same plan at once, so the last one and the description of the machine are
// kept. Calls come from any worker.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/service/prepare.h"
#include "plugins/abi/firstlight_device.h"

namespace fl::service {

class PlanDesk {
public:
    PlanDesk(std::vector<fl_plugin_entry_fn> plugins, std::vector<std::string> pluginFolders);

    struct Drawn {
        std::shared_ptr<const Inspection> inspection;
        std::shared_ptr<const Placement> placement;
    };
    // `open` is used where it is not null; else the checkpoint is inspected. Fails where that finds
    // errors, and on options that have no such value; violated rules are findings of the plan.
    Result<Drawn> draw(const protocol::JobSettings& settings,
                       const std::shared_ptr<const Inspection>& open,
                       const CancelToken& cancel = {});

    Result<plan::SearchState> search(const protocol::JobSettings& settings,
                                     const std::shared_ptr<const Inspection>& open,
                                     const plan::SearchOptions& search);

private:
    Result<std::shared_ptr<const Inspection>> inspected(
        const protocol::JobSettings& settings,
        const std::shared_ptr<const Inspection>& open,
        const CancelToken& cancel) const;
    Result<topology::Cluster> cluster(const std::string& spec);

    const std::vector<fl_plugin_entry_fn> plugins_;
    const std::vector<std::string> folders_;
    std::mutex mutex_;
    std::string lastSettings_;
    Drawn last_;
    std::string clusterSpec_;
    topology::Cluster cluster_;
};

// `settings` with numbers that are 0, and the layers per stage where their number stays, as in the
// plan in force.
protocol::JobSettings completed(protocol::JobSettings settings,
                                const protocol::JobSettings& inForce);

}  // namespace fl::service
