// SPDX-License-Identifier: Apache-2.0
#include "engine/topology/cluster.h"

#include <array>

namespace fl::topology {

namespace {

struct KindInfo {
    std::string_view name;
    Nominal nominal;
};
// In the order of LinkKind.
constexpr std::array<KindInfo, 7> kKinds = {{{"memory", {5e9, 20e-6}},
                                             {"nvlink", {450e9, 2e-6}},
                                             {"hccs", {196e9, 3e-6}},
                                             {"pcie", {64e9, 4e-6}},
                                             {"infiniband", {50e9, 3e-6}},
                                             {"ethernet", {1.25e9, 30e-6}},
                                             {"network", {3e9, 50e-6}}}};

}  // namespace

std::string_view name(LinkKind kind) {
    return kKinds[static_cast<std::size_t>(kind)].name;
}

Nominal nominal(LinkKind kind) {
    return kKinds[static_cast<std::size_t>(kind)].nominal;
}

std::vector<std::string> linkKindNames() {
    std::vector<std::string> out;
    for (const KindInfo& kind : kKinds)
        out.emplace_back(kind.name);
    return out;
}

std::optional<LinkKind> linkKindFromName(std::string_view name) {
    for (std::size_t i = 0; i < kKinds.size(); ++i) {
        if (kKinds[i].name == name)
            return static_cast<LinkKind>(i);
    }
    return std::nullopt;
}

int Cluster::deviceCount() const {
    int count = 0;
    for (const Node& node : nodes)
        count += static_cast<int>(node.devices.size());
    return count;
}

}  // namespace fl::topology
