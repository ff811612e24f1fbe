// SPDX-License-Identifier: Apache-2.0
#include "engine/topology/cluster_file.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <set>
#include <span>
#include <string_view>
#include <tuple>
#include <utility>

#include <fmt/core.h>

#include "engine/base/dtype.h"
#include "engine/base/json_lines.h"
#include "engine/base/text.h"

namespace fl::topology {

namespace {

// More than any cluster has; keeps a wrong count from filling the memory.
constexpr std::int64_t kMaxDevices = 1 << 16;
constexpr std::int64_t kMaxLinks = 1 << 22;
constexpr std::int64_t kMaxFileBytes = std::int64_t{64} << 20;

// Reads the members of one object by name. What is wrong goes into the list, and reading goes on.
class Members {
public:
    Members(const Json& value, std::string place, std::vector<ClusterProblem>& problems)
        : value_(value),
          place_(std::move(place)),
          problems_(problems) {
        if (!value.isObject())
            fail("", "is " + std::string(value.kindName()) + ", not an object");
    }

    // Every other key is an error.
    void allow(std::span<const std::string_view> keys) {
        const std::vector<std::string> names(keys.begin(), keys.end());
        for (const auto& [key, unused] : value_.members()) {
            if (std::find(names.begin(), names.end(), key) == names.end())
                fail(key, "unknown key" + nearest(key, names));
        }
    }

    void text(std::string_view key, std::string& out) {
        const Json* const value = value_.find(key);
        if (!value)
            return;
        if (value->isString())
            out = value->string();
        else
            fail(key, "must be a text and is " + std::string(value->kindName()));
    }

    template <class T>
    void integer(std::string_view key, T& out, std::int64_t least, std::int64_t most) {
        const Json* const value = value_.find(key);
        if (!value)
            return;
        if (value->isInteger() && value->integer() >= least && value->integer() <= most)
            out = static_cast<T>(value->integer());
        else
            fail(key, fmt::format("must be a whole number from {} to {}", least, most));
    }

    // An integer of bytes, or a text like "80GiB".
    void size(std::string_view key, std::int64_t& out) {
        const Json* const value = value_.find(key);
        if (!value)
            return;
        const auto parsed = value->isString() ? parseBytes(value->string())
                                              : Result<std::int64_t>(value->integer(-1));
        if (!parsed)
            fail(key, parsed.error().message);
        else if (*parsed < 0)
            fail(key, "must be bytes, or a text like \"80GiB\"");
        else
            out = *parsed;
    }

    void real(std::string_view key, double& out) {
        const Json* const value = value_.find(key);
        if (!value)
            return;
        if (value->isNumber() && value->number() >= 0)
            out = value->number();
        else
            fail(key, "must be a number, zero or more");
    }

    // Empty where something else stands.
    const Json& list(std::string_view key) {
        static const Json kNothing;
        const Json& value = value_[key];
        if (value.isArray() || value.isNull())
            return value;
        fail(key, "must be a list and is " + std::string(value.kindName()));
        return kNothing;
    }

    void fail(std::string_view key, const std::string& what) {
        fine_ = false;
        failed_.emplace(key);
        std::string at = place_;
        if (!key.empty())
            at += (at.empty() ? "" : ".") + std::string(key);
        problems_.push_back({at, what});
    }

    // As fail(), unless something else is wrong with this member already.
    void lacks(std::string_view key, const std::string& what) {
        if (!failed_.contains(std::string(key)))
            fail(key, what);
    }

    bool isObject() const { return value_.isObject(); }
    bool fine() const { return fine_; }

private:
    const Json& value_;
    std::string place_;
    std::vector<ClusterProblem>& problems_;
    std::set<std::string> failed_;
    bool fine_ = true;
};

constexpr std::string_view kDeviceKeys[] = {"name",      "kind",         "count",
                                            "memory",    "budget",       "pci_address",
                                            "numa_node", "index",        "memory_bytes_per_second",
                                            "formats",   "max_head_dim", "flops",
                                            "options",   "plugin"};
constexpr std::string_view kNodeKeys[] = {"name",       "count",  "sockets", "cores",
                                          "numa_nodes", "memory", "caches",  "devices"};
constexpr std::string_view kLinkKeys[] = {
    "kind",     "scope", "every", "from", "to", "bytes_per_second", "measured_bytes_per_second",
    "latency_s"};
constexpr std::string_view kClusterKeys[] = {"name", "nodes", "links", "control_address"};
constexpr std::string_view kCacheKeys[] = {"level", "bytes", "count"};

std::string at(const std::string& place, std::string_view list, std::size_t index) {
    return fmt::format("{}{}{}[{}]", place, place.empty() ? "" : ".", list, index);
}

class ClusterReader {
public:
    explicit ClusterReader(std::vector<ClusterProblem>& problems) : problems_(problems) {}

    Cluster read(const Json& value) {
        Members members(value, "", problems_);
        members.allow(kClusterKeys);
        members.text("name", cluster_.name);
        members.text("control_address", cluster_.controlAddress);
        const Json& nodes = members.list("nodes");
        const Json& links = members.list("links");
        for (std::size_t i = 0; i < nodes.size(); ++i)
            readNodes(nodes.items()[i], at("", "nodes", i));
        // Links speak of nodes: after a mistake among those each of them would be wrong too.
        const bool complete = problems_.empty();
        for (std::size_t i = 0; i < links.size(); ++i)
            readLink(links.items()[i], at("", "links", i), complete);
        if (value.isObject() && nodes.size() == 0)
            members.fail("nodes", "a cluster needs nodes");
        else if (problems_.empty() && cluster_.deviceCount() == 0)
            members.fail("nodes", "a cluster needs devices");
        return std::move(cluster_);
    }

private:
    using End = std::pair<int, int>;

    void readDevices(const Json& value, const std::string& place, Node& node) {
        Members members(value, place, problems_);
        if (!members.isObject())
            return;
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
        members.integer("max_head_dim", device.maxHeadDim, 1, 1 << 16);
        readFormats(members, device);
        device.index = static_cast<int>(
            std::count_if(node.devices.begin(), node.devices.end(),
                          [&device](const Device& other) { return other.kind == device.kind; }));
        members.integer("index", device.index, 0, kMaxDevices);
        if (device.kind.empty())
            members.lacks("kind", "is missing (the plugin: \"cpu\", \"cuda\")");
        if (device.memoryBytes == 0)
            members.lacks("memory", "is missing");
        if (device.budgetBytes > device.memoryBytes)
            members.fail("budget", "is larger than the memory");
        if (device.name.empty())
            device.name = device.kind;
        for (std::int64_t i = 0; members.fine() && i < count; ++i, ++device.index)
            node.devices.push_back(device);
    }

    void readFormats(Members& members, Device& device) {
        std::vector<std::string> known = {"fp4 e2m1", "int4", "mxfp4", "nvfp4"};  // packed
        for (int i = 0; i < kDTypeCount; ++i)
            known.emplace_back(fl::name(static_cast<DType>(i)));
        for (const Json& item : members.list("formats").items()) {
            const std::string& format = item.string();
            if (std::find(known.begin(), known.end(), format) == known.end())
                members.fail("formats", fmt::format("'{}' is no type of weights{}", format,
                                                    nearest(format, known)));
            device.formats.push_back(format);
        }
    }

    void readCaches(const Json& list, const std::string& place, Node& node) {
        for (std::size_t i = 0; i < list.size(); ++i) {
            Members members(list.items()[i], at(place, "caches", i), problems_);
            if (!members.isObject())
                continue;
            members.allow(kCacheKeys);
            Cache cache;
            if (!list.items()[i].find("level"))
                members.lacks("level", "is missing");
            members.integer("level", cache.level, 1, 5);
            members.size("bytes", cache.bytes);
            members.integer("count", cache.count, 0, 1 << 20);
            node.caches.push_back(cache);
        }
    }

    // "gpu" four times becomes gpu-0 … gpu-3.
    void readNodes(const Json& value, const std::string& place) {
        Members members(value, place, problems_);
        if (!members.isObject())
            return;
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
            members.lacks("name", "is missing");
        readCaches(caches, place, node);
        for (std::size_t i = 0; i < devices.size(); ++i)
            readDevices(devices.items()[i], at(place, "devices", i), node);
        const auto each = std::max<std::int64_t>(1, static_cast<std::int64_t>(node.devices.size()));
        if (count > (kMaxDevices - devices_) / each)
            return members.fail(
                "count", fmt::format("makes more than {} devices", formatCount(kMaxDevices)));
        devices_ += count * each;
        const std::string stem = node.name;
        for (std::int64_t i = 0; i < count; ++i) {
            if (count > 1)
                node.name = fmt::format("{}-{}", stem, i);
            if (!names_.insert(node.name).second)
                members.fail("name", fmt::format("'{}' is the name of another node", node.name));
            cluster_.nodes.push_back(node);
        }
    }

    // "from": [node] or [node, device]
    End readEnd(const Json& value, std::string_view key, Members& members) {
        const Json::Array& items = value[key].items();
        const auto nodes = static_cast<std::int64_t>(cluster_.nodes.size());
        const std::int64_t node = items.empty() ? -1 : items[0].integer(-1);
        if (items.size() > 2 || node < 0 || node >= nodes) {
            members.fail(key,
                         fmt::format("must be [node] or [node, device], nodes 0 to {}", nodes - 1));
            return {0, -1};
        }
        const auto devices = static_cast<std::int64_t>(
            cluster_.nodes[static_cast<std::size_t>(node)].devices.size());
        const std::int64_t device = items.size() == 2 ? items[1].integer(-1) : -1;
        if (items.size() == 2 && (device < 0 || device >= devices))
            members.fail(key, fmt::format("names a device that node {} does not have (0 to {})",
                                          node, devices - 1));
        return {static_cast<int>(node), static_cast<int>(device)};
    }

    void add(Link link, End from, End to) {
        link.fromNode = from.first;
        link.fromDevice = from.second;
        link.toNode = to.first;
        link.toDevice = to.second;
        joined_.insert({std::min(from, to), std::max(from, to)});
        cluster_.links.push_back(link);
    }
    // For a scope: pairs that an earlier entry has joined stay as they are.
    void addNew(const Link& link, End from, End to) {
        if (!joined_.contains({std::min(from, to), std::max(from, to)}))
            add(link, from, to);
    }

    // One link of that kind for every pair that the scope means; false if there are too many.
    bool addScope(const Link& link, std::string_view scope, int every) {
        const int nodes = static_cast<int>(cluster_.nodes.size());
        const auto together = [every](int a, int b) {
            return every == 0 || a / every == b / every;
        };
        const auto room = [this] {
            return static_cast<std::int64_t>(cluster_.links.size()) <= kMaxLinks;
        };
        for (int i = 0; i < nodes && room(); ++i) {
            const int devices =
                static_cast<int>(cluster_.nodes[static_cast<std::size_t>(i)].devices.size());
            for (int j = i + 1; scope == "nodes" && j < nodes && together(i, j); ++j)
                addNew(link, {i, -1}, {j, -1});
            for (int a = 0; scope == "host" && a < devices; ++a)
                addNew(link, {i, -1}, {i, a});
            for (int a = 0; scope == "devices" && a < devices && room(); ++a) {
                for (int b = a + 1; b < devices && together(a, b); ++b)
                    addNew(link, {i, a}, {i, b});
            }
        }
        return room();
    }

    void readLink(const Json& value, const std::string& place, bool complete) {
        Members members(value, place, problems_);
        if (!members.isObject())
            return;
        members.allow(kLinkKeys);
        Link link;
        std::string kindName;
        std::string scope;
        int every = 0;
        members.text("kind", kindName);
        members.text("scope", scope);
        members.integer("every", every, 1, kMaxDevices);
        members.real("bytes_per_second", link.nominalBytesPerSecond);
        members.real("measured_bytes_per_second", link.measuredBytesPerSecond);
        members.real("latency_s", link.latencySeconds);
        const auto kind = linkKindFromName(kindName);
        if (!kind)
            members.fail("kind", fmt::format("'{}' is not one of {}", kindName,
                                             join(linkKindNames(), ", ")));
        link.kind = kind.value_or(LinkKind::Memory);
        if (link.nominalBytesPerSecond == 0)
            link.nominalBytesPerSecond = nominal(link.kind).bytesPerSecond;
        if (link.latencySeconds == 0)
            link.latencySeconds = nominal(link.kind).latencySeconds;
        const std::vector<std::string> scopes = {"host", "devices", "nodes"};
        if (!scope.empty() && std::find(scopes.begin(), scopes.end(), scope) == scopes.end())
            return members.fail("scope", fmt::format("'{}' is not one of {}{}", scope,
                                                     join(scopes, ", "), nearest(scope, scopes)));
        if (scope.empty() && every > 0)
            members.fail("every", "belongs to a scope");
        for (const char* end : {"from", "to"}) {
            if (!scope.empty() && value.find(end))
                members.fail(end, "does not go with a scope");
        }
        if (!complete || !members.fine())
            return;
        if (!scope.empty()) {
            if (!addScope(link, scope, every))
                members.fail("scope", fmt::format("makes more than {} links", kMaxLinks));
            return;
        }
        const End from = readEnd(value, "from", members);
        const End to = readEnd(value, "to", members);
        if (members.fine() && from == to)
            members.fail("to", "is where the link begins");
        if (members.fine())
            add(link, from, to);
    }

    std::vector<ClusterProblem>& problems_;
    Cluster cluster_;
    std::int64_t devices_ = 0;
    std::set<std::string> names_;
    std::set<std::pair<End, End>> joined_;
};

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
    if (device.maxHeadDim > 0)
        out.set("max_head_dim", device.maxHeadDim);
    if (!device.formats.empty()) {
        Json formats = Json::array();
        for (const std::string& format : device.formats)
            formats.push(format);
        out.set("formats", std::move(formats));
    }
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

std::string listed(const std::vector<ClusterProblem>& problems,
                   const std::function<std::string(const ClusterProblem&)>& where) {
    constexpr std::size_t kShown = 20;
    std::string out;
    for (std::size_t i = 0; i < std::min(problems.size(), kShown); ++i)
        out += (i > 0 ? "\n" : "") + where(problems[i]) + problems[i].what;
    if (problems.size() > kShown)
        out += fmt::format("\nand {} more", problems.size() - kShown);
    return out;
}

std::string before(const std::string& place) {
    return place.empty() ? "" : place + ": ";
}

}  // namespace

Result<Cluster> clusterFromJson(const Json& value, std::vector<ClusterProblem>& problems) {
    Cluster cluster = ClusterReader(problems).read(value);
    if (problems.empty())
        return cluster;
    return Error{ErrorCode::InvalidArgument,
                 listed(problems, [](const auto& problem) { return before(problem.place); })};
}

Result<Cluster> clusterFromJson(const Json& value) {
    std::vector<ClusterProblem> problems;
    return clusterFromJson(value, problems);
}

Result<Cluster> readClusterFile(const std::string& path) {
    FL_TRY(const std::string text, readFile(path, kMaxFileBytes));
    const auto value = Json::parse(text);
    if (!value)
        return Error{value.error().code, path + ": " + value.error().message};
    std::vector<ClusterProblem> problems;
    auto cluster = clusterFromJson(*value, problems);
    if (cluster)
        return cluster;
    const JsonLines lines(text);
    return Error{cluster.error().code, listed(problems, [&](const auto& problem) {
                     return fmt::format("{}:{}: {}", path, lines.line(problem.place),
                                        before(problem.place));
                 })};
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
