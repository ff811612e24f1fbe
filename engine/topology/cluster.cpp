// SPDX-License-Identifier: Apache-2.0
#include "engine/topology/cluster.h"

#include <array>

namespace fl::topology {

std::string_view name(LinkKind kind) {
    constexpr std::array<std::string_view, 4> kNames = {"memory", "nvlink", "pcie", "network"};
    return kNames[static_cast<std::size_t>(kind)];
}

int Cluster::deviceCount() const {
    int count = 0;
    for (const Node& node : nodes)
        count += static_cast<int>(node.devices.size());
    return count;
}

}  // namespace fl::topology
