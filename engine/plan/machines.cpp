// SPDX-License-Identifier: Apache-2.0
#include "engine/plan/machines.h"

#include <algorithm>

namespace fl::plan {

Machines::Machines(const topology::Cluster& cluster) : cluster_(&cluster) {
    for (std::size_t n = 0; n < cluster.nodes.size(); ++n) {
        const auto& devices = cluster.nodes[n].devices;
        firstPlace_.push_back(count());
        for (std::size_t d = 0; d < devices.size(); ++d) {
            const topology::Device& device = devices[d];
            const std::int64_t budget =
                device.budgetBytes > 0 ? device.budgetBytes : device.memoryBytes;
            places_.push_back({static_cast<int>(n), static_cast<int>(d), &device, budget});
            largestBudget_ = std::max(largestBudget_, budget);
            const topology::Device& first = *places_.front().info;
            alike_ = alike_ && device.kind == first.kind && budget == places_.front().budget &&
                     device.memoryBytesPerSecond == first.memoryBytesPerSecond &&
                     device.flops == first.flops && device.options == first.options;
        }
        const topology::Node& front = cluster.nodes.front();
        alike_ = alike_ && devices.size() == front.devices.size() &&
                 cluster.nodes[n].cores == front.cores && cluster.nodes[n].sockets == front.sockets;
    }
}

// Stages take turns, so that ranks share a machine with those of their own stage at most.
DeviceSpeed Machines::speed(const Place& place, const Mesh& mesh) const {
    const topology::Node& node = cluster_->nodes[static_cast<std::size_t>(place.node)];
    const int before = firstPlace_[static_cast<std::size_t>(place.node)];
    const int here = std::clamp(mesh.ranks() - before, 1, static_cast<int>(node.devices.size()));
    return speedOf(node, *place.info, std::min(here, mesh.dp * mesh.tp));
}

}  // namespace fl::plan
