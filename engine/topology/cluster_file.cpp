// SPDX-License-Identifier: Apache-2.0
#include "engine/topology/cluster_file.h"

#include <algorithm>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include <fmt/core.h>

#include "engine/base/text.h"

namespace fl::topology {

namespace {

// More than any cluster has; keeps a wrong count from filling the memory.
constexpr std::int64_t kMaxDevices = 1 << 16;
constexpr std::int64_t kMaxLinks = 1 << 22;

// Reads the members of one object by name. The first problem is kept; later calls do nothing.
class Members {
public:
    Members(const Json& value, std::string place) : value_(value), place_(std::move(place)) {
        if (!value.isObject())
            fail("is " + std::string(value.kindName()) + ", not an object");
    }

    // Call first: every other key is an error.
    void allow(std::span<const std::string_view> keys) {
        const std::vector<std::string> names(keys.begin(), keys.end());
        for (const auto& [key, unused] : value_.members()) {
            if (std::find(names.begin(), names.end(), key) == names.end())
                fail("unknown key '" + key + "'" + nearest(key, names));
        }
    }

    void text(std::string_view key, std::string& out) {
        const Json* const value = value_.find(key);
        if (!value || problem_)
            return;
        if (!value->isString())
            return fail(std::string(key) + " is no text");
        out = value->string();
    }

    template <class T>
    void integer(std::string_view key, T& out, std::int64_t least, std::int64_t most) {
        const Json* const value = value_.find(key);
        if (!value || problem_)
            return;
        if (!value->isInteger() || value->integer() < least || value->integer() > most)
            return fail(fmt::format("{} must be a whole number from {} to {}", key, least, most));
        out = static_cast<T>(value->integer());
    }

    // An integer of bytes, or a text like "80GiB".
    void size(std::string_view key, std::int64_t& out) {
        const Json* const value = value_.find(key);
        if (!value || problem_)
            return;
        const auto parsed = value->isString() ? parseBytes(value->string())
                                              : Result<std::int64_t>(value->integer(-1));
        if (!parsed)
            return fail(std::string(key) + ": " + parsed.error().message);
        if (*parsed < 0)
            return fail(std::string(key) + " must be bytes, or a text like \"80GiB\"");
        out = *parsed;
    }

    void real(std::string_view key, double& out) {
        const Json* const value = value_.find(key);
        if (!value || problem_)
            return;
        if (!value->isNumber() || !(value->number() >= 0))
            return fail(std::string(key) + " must be a number, zero or more");
        out = value->number();
    }

    const Json& list(std::string_view key) {
        const Json& value = value_[key];
        if (!value.isNull() && !value.isArray())
            fail(std::string(key) + " is no list");
        return value;
    }

    void fail(const std::string& what) {
        if (!problem_)
            problem_ =
                Error{ErrorCode::InvalidArgument, place_.empty() ? what : place_ + ": " + what};
    }

    Status status() const { return problem_ ? Status(*problem_) : Status(Done{}); }
    const std::string& place() const { return place_; }

private:
    const Json& value_;
    std::string place_;
    std::optional<Error> problem_;
};

constexpr std::string_view kDeviceKeys[] = {"name",      "kind",    "count",
                                            "memory",    "budget",  "pci_address",
                                            "numa_node", "index",   "memory_bytes_per_second",
                                            "flops",     "options", "plugin"};
constexpr std::string_view kNodeKeys[] = {"name",       "count",  "sockets", "cores",
                                          "numa_nodes", "memory", "caches",  "devices"};
constexpr std::string_view kLinkKeys[] = {
    "kind", "scope", "from", "to", "bytes_per_second", "measured_bytes_per_second", "latency_s"};
constexpr std::string_view kClusterKeys[] = {"name", "nodes", "links", "control_address"};
constexpr std::string_view kCacheKeys[] = {"level", "bytes", "count"};

std::string at(const std::string& place, std::string_view list, std::size_t index) {
    return fmt::format("{}{}{}[{}]", place, place.empty() ? "" : ".", list, index);
}

Status readDevices(const Json& value, const std::string& place, Node& node) {
    Members members(value, place);
    members.allow(kDeviceKeys);
    Device device;
    std::int64_t count = 1;
    members.text("name", device.name);
    members.text("kind", device.kind);
    members.text("plugin", device.plugin);
    members.text("options", device.options);
    members.integer("count", count, 1, kMaxDevices);
    members.size("memory", device.memoryBytes);
    device.budgetBytes = device.memoryBytes;
    members.size("budget", device.budgetBytes);
    members.text("pci_address", device.pciAddress);
    members.integer("numa_node", device.numaNode, -1, 1 << 16);
    members.real("memory_bytes_per_second", device.memoryBytesPerSecond);
    members.real("flops", device.flops);
    device.index = static_cast<int>(
        std::count_if(node.devices.begin(), node.devices.end(),
                      [&device](const Device& other) { return other.kind == device.kind; }));
    members.integer("index", device.index, 0, kMaxDevices);
    if (device.kind.empty())
        members.fail("has no kind (the plugin: \"cpu\", \"cuda\")");
    if (device.memoryBytes == 0)
        members.fail("has no memory");
    if (device.budgetBytes > device.memoryBytes)
        members.fail("has a budget larger than its memory");
    FL_DO(members.status());
    if (device.name.empty())
        device.name = device.kind;
    for (std::int64_t i = 0; i < count; ++i, ++device.index)
        node.devices.push_back(device);
    return Done{};
}

Status readCaches(const Json& list, const std::string& place, Node& node) {
    for (std::size_t i = 0; i < list.size(); ++i) {
        Members members(list.items()[i], at(place, "caches", i));
        members.allow(kCacheKeys);
        Cache cache;
        members.integer("level", cache.level, 1, 5);
        members.size("bytes", cache.bytes);
        members.integer("count", cache.count, 0, 1 << 20);
        FL_DO(members.status());
        node.caches.push_back(cache);
    }
    return Done{};
}

// "gpu" four times becomes gpu-0 … gpu-3.
Status readNodes(const Json& value, const std::string& place, Cluster& cluster) {
    Members members(value, place);
    members.allow(kNodeKeys);
    Node node;
    std::int64_t count = 1;
    members.text("name", node.name);
    members.integer("count", count, 1, kMaxDevices);
    members.integer("sockets", node.sockets, 0, 1 << 16);
    members.integer("cores", node.cores, 0, 1 << 20);
    members.integer("numa_nodes", node.numaNodes, 0, 1 << 16);
    members.size("memory", node.memoryBytes);
    const Json& caches = members.list("caches");
    const Json& devices = members.list("devices");
    if (node.name.empty())
        members.fail("has no name");
    FL_DO(members.status());
    FL_DO(readCaches(caches, place, node));
    for (std::size_t i = 0; i < devices.size(); ++i)
        FL_DO(readDevices(devices.items()[i], at(place, "devices", i), node));
    const auto each = std::max<std::int64_t>(1, static_cast<std::int64_t>(node.devices.size()));
    if (count > kMaxDevices / each) {
        members.fail(fmt::format("makes more than {} devices", formatCount(kMaxDevices)));
        return members.status();
    }
    const std::string stem = node.name;
    for (std::int64_t i = 0; i < count; ++i) {
        if (count > 1)
            node.name = fmt::format("{}-{}", stem, i);
        cluster.nodes.push_back(node);
    }
    return Done{};
}

std::optional<LinkKind> linkKindFromName(std::string_view text) {
    for (const LinkKind kind :
         {LinkKind::Memory, LinkKind::NvLink, LinkKind::Pcie, LinkKind::Network}) {
        if (name(kind) == text)
            return kind;
    }
    return std::nullopt;
}

// "from": [node] or [node, device]
void readEnd(const Json& value,
             std::string_view key,
             const Cluster& cluster,
             Members& members,
             std::pair<int&, int&> end) {
    const Json::Array& items = value[key].items();
    const auto nodes = static_cast<std::int64_t>(cluster.nodes.size());
    const std::int64_t node = items.empty() ? -1 : items[0].integer(-1);
    if (items.size() > 2 || node < 0 || node >= nodes)
        return members.fail(
            fmt::format("{} must be [node] or [node, device], counted from 0", key));
    const auto& devices = cluster.nodes[static_cast<std::size_t>(node)].devices;
    const std::int64_t device = items.size() == 2 ? items[1].integer(-1) : -1;
    if (items.size() == 2 && (device < 0 || device >= static_cast<std::int64_t>(devices.size())))
        return members.fail(fmt::format("{} names a device that node {} does not have", key, node));
    end.first = static_cast<int>(node);
    end.second = static_cast<int>(device);
}

void addLink(Cluster& cluster, Link link, std::pair<int, int> from, std::pair<int, int> to) {
    link.fromNode = from.first;
    link.fromDevice = from.second;
    link.toNode = to.first;
    link.toDevice = to.second;
    cluster.links.push_back(link);
}

// One link of that kind for every pair the scope means.
bool addScope(Cluster& cluster, const Link& link, std::string_view scope) {
    const int nodes = static_cast<int>(cluster.nodes.size());
    for (int i = 0; i < nodes; ++i) {
        const int devices =
            static_cast<int>(cluster.nodes[static_cast<std::size_t>(i)].devices.size());
        for (int j = i + 1; scope == "nodes" && j < nodes; ++j)
            addLink(cluster, link, {i, -1}, {j, -1});
        for (int a = 0; scope == "host" && a < devices; ++a)
            addLink(cluster, link, {i, -1}, {i, a});
        for (int a = 0; scope == "devices" && a < devices; ++a) {
            for (int b = a + 1; b < devices; ++b)
                addLink(cluster, link, {i, a}, {i, b});
        }
        if (static_cast<std::int64_t>(cluster.links.size()) > kMaxLinks)
            return false;
    }
    return true;
}

Status readLink(const Json& value, const std::string& place, Cluster& cluster) {
    Members members(value, place);
    members.allow(kLinkKeys);
    Link link;
    std::string kindName;
    std::string scope;
    members.text("kind", kindName);
    members.text("scope", scope);
    members.real("bytes_per_second", link.nominalBytesPerSecond);
    members.real("measured_bytes_per_second", link.measuredBytesPerSecond);
    members.real("latency_s", link.latencySeconds);
    const auto kind = linkKindFromName(kindName);
    if (!kind)
        members.fail("kind must be memory, nvlink, pcie or network, not '" + kindName + "'");
    link.kind = kind.value_or(LinkKind::Memory);
    if (scope.empty()) {
        readEnd(value, "from", cluster, members, {link.fromNode, link.fromDevice});
        readEnd(value, "to", cluster, members, {link.toNode, link.toDevice});
        FL_DO(members.status());
        cluster.links.push_back(link);
        return Done{};
    }
    if (scope != "nodes" && scope != "host" && scope != "devices")
        members.fail("scope must be nodes, host or devices, not '" + scope + "'");
    if (value.find("from") || value.find("to"))
        members.fail("has a scope as well as ends");
    FL_DO(members.status());
    if (!addScope(cluster, link, scope))
        members.fail(fmt::format("makes more than {} links", formatCount(kMaxLinks)));
    return members.status();
}

Json deviceJson(const Device& device) {
    Json out = Json::object();
    out.set("name", device.name);
    out.set("kind", device.kind);
    out.set("index", device.index);
    out.set("memory", device.memoryBytes);
    out.set("budget", device.budgetBytes);
    if (!device.plugin.empty())
        out.set("plugin", device.plugin);
    if (!device.options.empty())
        out.set("options", device.options);
    if (!device.pciAddress.empty())
        out.set("pci_address", device.pciAddress);
    if (device.numaNode >= 0)
        out.set("numa_node", device.numaNode);
    if (device.memoryBytesPerSecond > 0)
        out.set("memory_bytes_per_second", device.memoryBytesPerSecond);
    if (device.flops > 0)
        out.set("flops", device.flops);
    return out;
}

Json nodeJson(const Node& node) {
    Json out = Json::object();
    out.set("name", node.name);
    out.set("sockets", node.sockets);
    out.set("cores", node.cores);
    out.set("numa_nodes", node.numaNodes);
    out.set("memory", node.memoryBytes);
    Json caches = Json::array();
    for (const Cache& cache : node.caches) {
        Json item = Json::object();
        item.set("level", cache.level);
        item.set("bytes", cache.bytes);
        item.set("count", cache.count);
        caches.push(std::move(item));
    }
    out.set("caches", std::move(caches));
    Json devices = Json::array();
    for (const Device& device : node.devices)
        devices.push(deviceJson(device));
    out.set("devices", std::move(devices));
    return out;
}

Json endJson(int node, int device) {
    Json out = Json::array();
    out.push(node);
    if (device >= 0)
        out.push(device);
    return out;
}

Json linkJson(const Link& link) {
    Json out = Json::object();
    out.set("kind", name(link.kind));
    out.set("from", endJson(link.fromNode, link.fromDevice));
    out.set("to", endJson(link.toNode, link.toDevice));
    if (link.nominalBytesPerSecond > 0)
        out.set("bytes_per_second", link.nominalBytesPerSecond);
    if (link.measuredBytesPerSecond > 0)
        out.set("measured_bytes_per_second", link.measuredBytesPerSecond);
    if (link.latencySeconds > 0)
        out.set("latency_s", link.latencySeconds);
    return out;
}

}  // namespace

Result<Cluster> clusterFromJson(const Json& value) {
    Members members(value, "");
    members.allow(kClusterKeys);
    Cluster cluster;
    members.text("name", cluster.name);
    members.text("control_address", cluster.controlAddress);
    const Json& nodes = members.list("nodes");
    const Json& links = members.list("links");
    if (nodes.size() == 0)
        members.fail("a cluster needs nodes");
    FL_DO(members.status());
    for (std::size_t i = 0; i < nodes.size(); ++i)
        FL_DO(readNodes(nodes.items()[i], at("", "nodes", i), cluster));
    for (std::size_t i = 0; i < links.size(); ++i)
        FL_DO(readLink(links.items()[i], at("", "links", i), cluster));
    if (cluster.deviceCount() == 0)
        return Error{ErrorCode::InvalidArgument, "a cluster needs devices"};
    return cluster;
}

Result<Cluster> readClusterFile(const std::string& path) {
    FL_TRY(const Json value, Json::parseFile(path));
    auto cluster = clusterFromJson(value);
    if (!cluster)
        return Error{cluster.error().code, path + ": " + cluster.error().message};
    return cluster;
}

Json toJson(const Cluster& cluster) {
    Json out = Json::object();
    out.set("name", cluster.name);
    Json nodes = Json::array();
    for (const Node& node : cluster.nodes)
        nodes.push(nodeJson(node));
    out.set("nodes", std::move(nodes));
    Json links = Json::array();
    for (const Link& link : cluster.links)
        links.push(linkJson(link));
    out.set("links", std::move(links));
    if (!cluster.controlAddress.empty())
        out.set("control_address", cluster.controlAddress);
    return out;
}

Status writeClusterFile(const std::string& path, const Cluster& cluster) {
    return writeFile(path, toJson(cluster).dump(2) + "\n");
}

}  // namespace fl::topology
