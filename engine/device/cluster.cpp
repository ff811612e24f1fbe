// SPDX-License-Identifier: Apache-2.0
#include "engine/device/cluster.h"

#include <utility>
#include <vector>

#include <fmt/core.h>

#include "engine/topology/cluster_file.h"
#include "engine/topology/local_node.h"

namespace fl::device {

struct PluginSpec {
    std::string name;
    std::string options;
};

static std::vector<PluginSpec> pluginsOf(const PluginRegistry& registry, const std::string& spec) {
    std::vector<PluginSpec> specs;
    if (spec == "local") {
        for (const std::string& name : registry.names())
            specs.push_back({name, ""});
        return specs;
    }
    const std::size_t colon = spec.find(':');
    specs.push_back({spec.substr(0, colon),
                     colon == std::string::npos ? std::string() : spec.substr(colon + 1)});
    return specs;
}

static bool isClusterFile(std::string_view spec) {
    return spec.ends_with(".json");
}

static Result<Backend> openPlugin(PluginRegistry& registry, const PluginSpec& spec) {
    FL_TRY(const fl_plugin* plugin, registry.find(spec.name));
    return Backend::open(*plugin, spec.options);
}

static Status addDevices(const Backend& backend, const PluginSpec& plugin, topology::Node& node) {
    for (int index = 0; index < backend.deviceCount(); ++index) {
        FL_TRY(DeviceInfo info, backend.info(index));
        topology::Device device;
        device.name = std::move(info.name);
        device.kind = std::move(info.kind);
        device.index = info.index;
        device.memoryBytes = info.memoryBytes;
        device.budgetBytes = info.budgetBytes;
        device.pciAddress = std::move(info.pciAddress);
        device.numaNode = info.numaNode;
        device.plugin = plugin.name == device.kind ? "" : plugin.name;
        device.options = plugin.options;
        node.devices.push_back(std::move(device));
    }
    return Done{};
}

// Plugins say which cards can be used; the machine knows better where they are plugged in.
static void placeByAddress(const std::vector<topology::Device>& seen, topology::Node& node) {
    for (topology::Device& device : node.devices) {
        for (const topology::Device& other : seen) {
            if (!device.pciAddress.empty() && other.pciAddress == device.pciAddress &&
                device.numaNode < 0)
                device.numaNode = other.numaNode;
        }
    }
}

Result<topology::Cluster> describeCluster(PluginRegistry& registry, const std::string& spec) {
    if (isClusterFile(spec))
        return topology::readClusterFile(spec);
    topology::Cluster cluster;
    cluster.name = spec;
    FL_TRY(topology::Node node, topology::localNode());
    const std::vector<topology::Device> seen = std::exchange(node.devices, {});
    for (const PluginSpec& plugin : pluginsOf(registry, spec)) {
        FL_TRY(const Backend backend, openPlugin(registry, plugin));
        FL_DO(addDevices(backend, plugin, node));
    }
    placeByAddress(seen, node);
    cluster.nodes.push_back(std::move(node));
    return cluster;
}

Result<Device> openDevice(PluginRegistry& registry, const topology::Device& described) {
    const std::string& plugin = described.plugin.empty() ? described.kind : described.plugin;
    FL_TRY(Backend backend, openPlugin(registry, {plugin, described.options}));
    const int count = backend.deviceCount();
    const std::string spec = plugin + (described.options.empty() ? "" : ":" + described.options);
    if (described.index < 0 || described.index >= count) {
        return Error{ErrorCode::NotFound,
                     fmt::format("device {} of \"{}\": there are {} (a cluster file's devices may "
                                 "have `options` for their plugin)",
                                 described.index, spec, count)};
    }
    return Backend::openDevice(std::move(backend), described.index);
}

}  // namespace fl::device
