// SPDX-License-Identifier: Apache-2.0
#include "engine/plan/links.h"

#include <algorithm>
#include <utility>

namespace fl::plan {

using topology::Cluster;
using topology::Link;

namespace {

LinkSpeed speedOf(const Link& link) {
    const topology::Nominal nominal = topology::nominal(link.kind);
    LinkSpeed speed;
    speed.bytesPerSecond = link.measuredBytesPerSecond > 0  ? link.measuredBytesPerSecond
                           : link.nominalBytesPerSecond > 0 ? link.nominalBytesPerSecond
                                                            : nominal.bytesPerSecond;
    speed.latencySeconds = link.latencySeconds > 0 ? link.latencySeconds : nominal.latencySeconds;
    return speed;
}

// Both at once: a path is as slow as its slowest part.
void slow(LinkSpeed& speed, const LinkSpeed& other) {
    speed.bytesPerSecond = speed.bytesPerSecond == 0
                               ? other.bytesPerSecond
                               : std::min(speed.bytesPerSecond, other.bytesPerSecond);
    speed.latencySeconds = std::max(speed.latencySeconds, other.latencySeconds);
}

LinkSpeed ofKind(topology::LinkKind kind) {
    Link link;
    link.kind = kind;
    return speedOf(link);
}

// Ranks along one axis of the mesh, at equal distances on the devices.
struct Comb {
    int stride = 1;
    int size = 1;
};

Comb combOf(const Mesh& mesh, const RankOrder& order, Axis axis) {
    const auto sizeOf = [&](Axis each) {
        return each == Axis::Tp ? mesh.tp : each == Axis::Pp ? mesh.pp : mesh.dp;
    };
    Comb comb;
    for (const Axis each : order) {
        if (each == axis)
            break;
        comb.stride *= sizeOf(each);
    }
    comb.size = sizeOf(axis);
    return comb;
}

// Whether every such group lies within one node of `perNode` devices.
bool staysWithin(const Comb& comb, int ranks, int perNode) {
    const int span = comb.stride * comb.size;
    return comb.size == 1 || ranks <= perNode || (span <= perNode && perNode % span == 0);
}

}  // namespace

LinkTable::LinkTable(const Cluster& cluster) {
    const std::size_t count = cluster.nodes.size();
    std::vector<LinkSpeed> host(count);
    within_.resize(count);
    for (std::size_t n = 0; n < count; ++n)
        nodes_.insert(nodes_.end(), cluster.nodes[n].devices.size(), static_cast<int>(n));
    for (const Link& link : cluster.links) {
        const auto from = static_cast<std::size_t>(link.fromNode);
        const auto to = static_cast<std::size_t>(link.toNode);
        if (from != to) {
            slow(between_[from * count + to], speedOf(link));
            slow(between_[to * count + from], speedOf(link));
            slow(network_, speedOf(link));
        } else {
            const bool direct = link.fromDevice >= 0 && link.toDevice >= 0;
            slow(direct ? within_[from] : host[from], speedOf(link));
        }
    }
    for (std::size_t n = 0; n < count; ++n) {
        if (within_[n].bytesPerSecond == 0)
            within_[n] = host[n];
        if (within_[n].bytesPerSecond == 0)
            within_[n] = ofKind(topology::LinkKind::Memory);
    }
    if (network_.bytesPerSecond == 0)
        network_ = ofKind(topology::LinkKind::Network);
    findGrid(cluster);
}

// A grid: every node has as many devices, all within and all between are alike.
void LinkTable::findGrid(const Cluster& cluster) {
    const std::size_t count = cluster.nodes.size();
    for (std::size_t n = 0; n < count; ++n) {
        if (cluster.nodes[n].devices.size() != cluster.nodes[0].devices.size() ||
            within_[n] != within_[0])
            return;
    }
    // The slowest named pair is the network's, and pairs without a name are too.
    for (const auto& [pair, speed] : between_) {
        if (speed != network_)
            return;
    }
    perNode_ = count == 0 ? 0 : static_cast<int>(cluster.nodes[0].devices.size());
}

LinkSpeed LinkTable::between(int oneNode, int otherNode) const {
    const auto named = between_.find(static_cast<std::size_t>(oneNode) * within_.size() +
                                     static_cast<std::size_t>(otherNode));
    return named != between_.end() ? named->second : network_;
}

std::vector<GroupReach> LinkTable::reach(const Mesh& mesh, const RankOrder& order) const {
    return perNode_ > 0 ? onGrid(mesh, order) : reachByRank(mesh, order);
}

std::vector<GroupReach> LinkTable::onGrid(const Mesh& mesh, const RankOrder& order) const {
    const auto link = [&](const Comb& comb) {
        LinkSpeed speed = within(0);
        if (!staysWithin(comb, mesh.ranks(), perNode_))
            slow(speed, between(0, 1));
        return speed;
    };
    Comb edp = combOf(mesh, order, Axis::Dp);
    edp.size = expertReplicas(mesh);
    return {{"tp", mesh.tp, link(combOf(mesh, order, Axis::Tp))},
            {"pp", 2, link(combOf(mesh, order, Axis::Pp))},
            {"edp", edp.size, link(edp)}};
}

std::vector<GroupReach> LinkTable::reachByRank(const Mesh& mesh, const RankOrder& order) const {
    const auto nodeOf = [&](const Coordinates& where) {
        return nodes_[static_cast<std::size_t>(placeOf(mesh, order, where))];
    };
    LinkSpeed tp, pp, edp;
    const auto join = [&](LinkSpeed& speed, const Coordinates& one, const Coordinates& other) {
        const int a = nodeOf(one);
        const int b = nodeOf(other);
        slow(speed, within(a));
        if (a != b)
            slow(speed, between(a, b));
    };
    const int replicas = expertReplicas(mesh);
    for (int rank = 0; rank < mesh.ranks(); ++rank) {
        const Coordinates me = coordinates(mesh, rank);
        Coordinates next = me;
        next.tp = (me.tp + 1) % mesh.tp;
        join(tp, me, next);
        next = me;
        next.pp = std::min(me.pp + 1, mesh.pp - 1);
        join(pp, me, next);
        next = me;
        next.dp = me.dp / replicas * replicas + (me.dp + 1) % replicas;
        join(edp, me, next);
    }
    return {{"tp", mesh.tp, tp}, {"pp", 2, pp}, {"edp", replicas, edp}};
}

}  // namespace fl::plan
