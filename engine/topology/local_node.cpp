// SPDX-License-Identifier: Apache-2.0
#include "engine/topology/local_node.h"

#include <algorithm>
#include <array>
#include <map>
#include <memory>

#include <fmt/core.h>
#include <hwloc.h>
#include <unistd.h>

namespace fl::topology {

namespace {

struct Destroy {
    void operator()(hwloc_topology* topology) const { hwloc_topology_destroy(topology); }
};
using Topology = std::unique_ptr<hwloc_topology, Destroy>;

// All but the last would start a driver in every process that only wants to look. "pci" goes
// through libpciaccess, which keeps about a kilobyte of each look when hwloc unloads it again;
// without it hwloc reads the same from sysfs, but for the names of models, which plugins know of
// their cards.
constexpr std::array<const char*, 7> kUnwanted = {"cuda",   "nvml", "rsmi", "levelzero",
                                                  "opencl", "gl",   "pci"};

Result<Topology> makeTopology() {
    hwloc_topology_t raw = nullptr;
    if (hwloc_topology_init(&raw) != 0)
        return Error{ErrorCode::Internal, "hwloc cannot be initialised"};
    Topology topology(raw);
    for (const char* component : kUnwanted) {
        // Fails where the component is not installed, which is as good.
        hwloc_topology_set_components(raw, HWLOC_TOPOLOGY_COMPONENTS_FLAG_BLACKLIST, component);
    }
    hwloc_topology_set_io_types_filter(raw, HWLOC_TYPE_FILTER_KEEP_IMPORTANT);
    return topology;
}

int countOf(hwloc_topology_t topology, hwloc_obj_type_t type) {
    const int count = hwloc_get_nbobjs_by_type(topology, type);
    return count > 0 ? count : 0;
}

std::vector<Cache> cachesOf(hwloc_topology_t topology) {
    constexpr std::array<hwloc_obj_type_t, 5> kTypes = {HWLOC_OBJ_L1CACHE, HWLOC_OBJ_L2CACHE,
                                                        HWLOC_OBJ_L3CACHE, HWLOC_OBJ_L4CACHE,
                                                        HWLOC_OBJ_L5CACHE};
    std::vector<Cache> caches;
    for (const hwloc_obj_type_t type : kTypes) {
        const hwloc_obj_t first = hwloc_get_obj_by_type(topology, type, 0);
        if (!first)
            continue;
        Cache cache;
        cache.level = static_cast<int>(first->attr->cache.depth);
        cache.bytes = static_cast<std::int64_t>(first->attr->cache.size);
        cache.count = countOf(topology, type);
        caches.push_back(cache);
    }
    return caches;
}

std::string info(hwloc_obj_t object, const char* key) {
    const char* value = hwloc_obj_get_info_by_name(object, key);
    return value ? value : "";
}

// The plugin that drives a card of this PCI vendor, or "" for what computes nothing for us.
std::string pluginOf(const hwloc_obj_attr_u::hwloc_pcidev_attr_s& pci) {
    constexpr unsigned kDisplayClass = 0x03;  // PCI code and ID assignment specification
    constexpr unsigned kNvidia = 0x10de;
    constexpr unsigned kAmd = 0x1002;
    if (pci.class_id >> 8 != kDisplayClass)
        return {};
    return pci.vendor_id == kNvidia ? "cuda" : pci.vendor_id == kAmd ? "hip" : "";
}

int numaNodeOf(hwloc_topology_t topology, hwloc_obj_t object) {
    const hwloc_obj_t holder = hwloc_get_non_io_ancestor_obj(topology, object);
    if (!holder || !holder->nodeset || hwloc_bitmap_weight(holder->nodeset) != 1)
        return -1;  // attached to several, or not known
    return hwloc_bitmap_first(holder->nodeset);
}

std::vector<Device> cardsOf(hwloc_topology_t topology) {
    std::vector<Device> cards;
    std::map<std::string, int> counts;
    for (hwloc_obj_t object = hwloc_get_next_pcidev(topology, nullptr); object;
         object = hwloc_get_next_pcidev(topology, object)) {
        const hwloc_obj_attr_u::hwloc_pcidev_attr_s& pci = object->attr->pcidev;
        const std::string kind = pluginOf(pci);
        if (kind.empty())
            continue;
        Device card;
        card.kind = kind;
        card.index = counts[kind]++;
        const std::string model = info(object, "PCIDevice");
        card.name =
            model.empty() ? fmt::format("PCI {:04x}:{:04x}", pci.vendor_id, pci.device_id) : model;
        card.pciAddress =
            fmt::format("{:04x}:{:02x}:{:02x}.{:x}", pci.domain, pci.bus, pci.dev, pci.func);
        card.numaNode = numaNodeOf(topology, object);
        cards.push_back(std::move(card));
    }
    return cards;
}

Node describe(hwloc_topology_t topology) {
    const hwloc_obj_t root = hwloc_get_root_obj(topology);
    Node node;
    node.name = info(root, "HostName");
    node.sockets = countOf(topology, HWLOC_OBJ_PACKAGE);
    node.cores = countOf(topology, HWLOC_OBJ_CORE);
    node.numaNodes = countOf(topology, HWLOC_OBJ_NUMANODE);
    node.memoryBytes = static_cast<std::int64_t>(root->total_memory);
    node.caches = cachesOf(topology);
    node.devices = cardsOf(topology);
    return node;
}

// hwloc adds up what the NUMA nodes manage at the moment. A virtual machine whose host has borrowed
// memory shows less there than its total, which the kernel gives out all the same, and which
// plugins divide among cards.
std::int64_t totalMemory(std::int64_t ofNumaNodes) {
    const std::int64_t total =
        std::int64_t{::sysconf(_SC_PHYS_PAGES)} * std::int64_t{::sysconf(_SC_PAGESIZE)};
    return std::max(total, ofNumaNodes);
}

}  // namespace

Result<Node> localNode() {
    FL_TRY(const Topology topology, makeTopology());
    if (hwloc_topology_load(topology.get()) != 0)
        return Error{ErrorCode::Io, "hwloc cannot read the topology of this machine"};
    Node node = describe(topology.get());
    node.memoryBytes = totalMemory(node.memoryBytes);
    std::array<char, 256> host{};
    if (::gethostname(host.data(), host.size() - 1) == 0)
        node.name = host.data();
    return node;
}

Result<Node> nodeFromXml(const std::string& xml) {
    FL_TRY(const Topology topology, makeTopology());
    // The length counts the NUL at the end.
    if (hwloc_topology_set_xmlbuffer(topology.get(), xml.c_str(),
                                     static_cast<int>(xml.size() + 1)) != 0 ||
        hwloc_topology_load(topology.get()) != 0)
        return Error{ErrorCode::Corrupt, "this is no topology that hwloc can read"};
    return describe(topology.get());
}

}  // namespace fl::topology
