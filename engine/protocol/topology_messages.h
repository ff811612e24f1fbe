// SPDX-License-Identifier: Apache-2.0
// Nodes, devices, links and groups as clients see them. Part of messages.h.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace fl::protocol {

struct DeviceInfo {
    std::string name;
    std::string kind;
    int index = 0;
    std::int64_t memoryBytes = 0;
    std::int64_t budgetBytes = 0;
    std::string pci;
    int numa = -1;
    int rank = -1;  // that runs here; −1: none
    template <class S, class F>
    static void fields(S& s, F&& f) {
        f("name", s.name);
        f("kind", s.kind);
        f("index", s.index);
        f("memory_bytes", s.memoryBytes);
        f("budget_bytes", s.budgetBytes);
        f("pci", s.pci);
        f("numa", s.numa);
        f("rank", s.rank);
    }
};

struct CacheInfo {
    int level = 0;
    std::int64_t bytes = 0;
    int count = 0;
    template <class S, class F>
    static void fields(S& s, F&& f) {
        f("level", s.level);
        f("bytes", s.bytes);
        f("count", s.count);
    }
};

struct NodeInfo {
    std::string name;
    int sockets = 0;
    int cores = 0;
    int numaNodes = 0;
    std::int64_t memoryBytes = 0;
    std::vector<CacheInfo> caches;
    std::vector<DeviceInfo> devices;
    template <class S, class F>
    static void fields(S& s, F&& f) {
        f("name", s.name);
        f("sockets", s.sockets);
        f("cores", s.cores);
        f("numa_nodes", s.numaNodes);
        f("memory_bytes", s.memoryBytes);
        f("caches", s.caches);
        f("devices", s.devices);
    }
};

struct LinkInfo {
    std::string kind;  // memory nvlink hccs pcie infiniband ethernet network
    int fromNode = 0;
    int fromDevice = -1;
    int toNode = 0;
    int toDevice = -1;
    double nominal = 0;   // bytes per second; 0: not known
    double measured = 0;  // 0: not measured
    double latency = 0;   // seconds; 0: not known
    template <class S, class F>
    static void fields(S& s, F&& f) {
        f("kind", s.kind);
        f("from_node", s.fromNode);
        f("from_device", s.fromDevice);
        f("to_node", s.toNode);
        f("to_device", s.toDevice);
        f("nominal_bytes_per_s", s.nominal);
        f("measured_bytes_per_s", s.measured);
        f("latency_s", s.latency);
    }
};

// One communication group and what preflight measured in it.
struct GroupInfo {
    std::string kind;  // tp pp ep edp dp
    std::string name;  // "tp1"
    std::vector<int> ranks;
    std::string state = "planned";  // planned, formed, failed
    double formedSeconds = 0;
    double allReduceSeconds = 0;  // of `allReduceBytes`; 0: not measured
    std::int64_t allReduceBytes = 0;
    double ringBytesPerSecond = 0;
    std::vector<int> links;  // of the topology that join its neighbours, each once
    int slowestLink = -1;    // of those
    bool crossesSlow =
        false;               // a link slower than the best ones of the cluster, paid for each step
    double stepSeconds = 0;  // predicted, of its collectives in one decode step
    template <class S, class F>
    static void fields(S& s, F&& f) {
        f("kind", s.kind);
        f("name", s.name);
        f("ranks", s.ranks);
        f("state", s.state);
        f("formed_s", s.formedSeconds);
        f("all_reduce_s", s.allReduceSeconds);
        f("all_reduce_bytes", s.allReduceBytes);
        f("ring_bytes_per_s", s.ringBytesPerSecond);
        f("links", s.links);
        f("slowest_link", s.slowestLink);
        f("crosses_slow", s.crossesSlow);
        f("step_s", s.stepSeconds);
    }
};

// The same mesh with its ranks on the devices in another order.
struct OrderInfo {
    std::string order;         // as JobSettings::order
    double step = 0;           // predicted
    double communication = 0;  // of it
    template <class S, class F>
    static void fields(S& s, F&& f) {
        f("order", s.order);
        f("step_s", s.step);
        f("communication_s", s.communication);
    }
};

// Event `topology.changed`.
struct Topology {
    std::string name;
    std::vector<NodeInfo> nodes;
    std::vector<LinkInfo> links;
    std::vector<GroupInfo> groups;
    std::string order;              // in force
    std::vector<OrderInfo> orders;  // all that differ, best first
    double gain = 0;                // seconds of a step that the best order would save
    template <class S, class F>
    static void fields(S& s, F&& f) {
        f("name", s.name);
        f("nodes", s.nodes);
        f("links", s.links);
        f("groups", s.groups);
        f("order", s.order);
        f("orders", s.orders);
        f("gain_s", s.gain);
    }
};

}  // namespace fl::protocol
