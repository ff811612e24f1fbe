// SPDX-License-Identifier: Apache-2.0
#include "engine/device/cluster.h"

#include <array>
#include <utility>
#include <vector>

#include <unistd.h>

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

static Status addDevices(const Backend& backend, topology::Node& node) {
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
        node.devices.push_back(std::move(device));
    }
    return Done{};
}

static topology::Node thisNode() {
    std::array<char, 256> host{};
    topology::Node node;
    node.name = gethostname(host.data(), host.size() - 1) == 0 ? host.data() : "localhost";
    return node;
}

Result<topology::Cluster> describeCluster(PluginRegistry& registry, const std::string& spec) {
    if (isClusterFile(spec))
        return Error{ErrorCode::Unsupported, spec + ": cluster files cannot be read yet"};
    topology::Cluster cluster;
    cluster.name = spec;
    topology::Node node = thisNode();
    for (const PluginSpec& plugin : pluginsOf(registry, spec)) {
        FL_TRY(const Backend backend, openPlugin(registry, plugin));
        FL_DO(addDevices(backend, node));
    }
    cluster.nodes.push_back(std::move(node));
    return cluster;
}

Result<Device> openDevice(PluginRegistry& registry, const std::string& spec, int index) {
    if (isClusterFile(spec)) {
        return Error{ErrorCode::InvalidArgument,
                     spec +
                         " only describes machines; a rank needs cards of this one, such as "
                         "cpu:cards=2"};
    }
    int before = 0;
    for (const PluginSpec& plugin : pluginsOf(registry, spec)) {
        FL_TRY(Backend backend, openPlugin(registry, plugin));
        const int count = backend.deviceCount();
        if (index >= before && index < before + count)
            return Backend::openDevice(std::move(backend), index - before);
        before += count;
    }
    return Error{ErrorCode::NotFound, "device " + std::to_string(index) + " of \"" + spec +
                                          "\": there are " + std::to_string(before)};
}

}  // namespace fl::device
