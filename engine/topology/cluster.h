// SPDX-License-Identifier: Apache-2.0
// The machines and cards a job may use, and how they are wired.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fl::topology {

struct Device {
    std::string name;     // "CPU card 3", "NVIDIA H100 80GB HBM3"
    std::string kind;     // "cpu", "cuda"
    std::string plugin;   // that opens it; empty: the one named like its kind
    int index = 0;        // within its node and kind
    std::string options;  // its plugin is opened with, as behind "cpu:"
    std::int64_t memoryBytes = 0;
    std::int64_t budgetBytes = 0;
    std::string pciAddress;
    int numaNode = -1;
    double memoryBytesPerSecond = 0;  // 0: not known
    double flops = 0;                 // of the usual compute type; 0: not known
    // Types that its arithmetic knows, as checkpoints spell them ("BF16"); empty: not known.
    std::vector<std::string> formats;
    int maxHeadDim = 0;  // the widest attention head that its kernels take; 0: not known

    bool operator==(const Device&) const = default;
};

struct Cache {
    int level = 0;
    std::int64_t bytes = 0;
    int count = 0;

    bool operator==(const Cache&) const = default;
};

struct Node {
    std::string name;  // host name
    int sockets = 0;
    int cores = 0;
    int numaNodes = 0;
    std::int64_t memoryBytes = 0;
    std::vector<Cache> caches;
    std::vector<Device> devices;

    bool operator==(const Node&) const = default;
};

enum class LinkKind : std::uint8_t { Memory, NvLink, Hccs, Pcie, Infiniband, Ethernet, Network };
std::string_view name(LinkKind kind);  // "nvlink"
std::vector<std::string> linkKindNames();
std::optional<LinkKind> linkKindFromName(std::string_view name);

// What a link of this kind does in one direction where nobody says otherwise: sums between
// processes of one node through its memory; NVLink 4 of a card to all others; HCCS of a card of the
// 910 line; PCIe 5 with 16 lanes; NDR InfiniBand; 10 Gbit/s Ethernet; a network of which nothing
// is known, 25 Gbit/s.
struct Nominal {
    double bytesPerSecond = 0;
    double latencySeconds = 0;
};
Nominal nominal(LinkKind kind);

// Between two places; device −1 is the node itself (its memory or its network card).
struct Link {
    LinkKind kind = LinkKind::Memory;
    int fromNode = 0;
    int fromDevice = -1;
    int toNode = 0;
    int toDevice = -1;
    double nominalBytesPerSecond = 0;   // 0: not known
    double measuredBytesPerSecond = 0;  // 0: not measured
    double latencySeconds = 0;          // 0: not measured

    bool operator==(const Link&) const = default;
};

struct Cluster {
    std::string name;  // "local", "lab-4x8"
    std::vector<Node> nodes;
    std::vector<Link> links;
    // "host" or "host:port": where the control process is reached by the other nodes; empty: found.
    std::string controlAddress;

    int deviceCount() const;
    bool operator==(const Cluster&) const = default;
};

}  // namespace fl::topology
