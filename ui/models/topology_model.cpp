// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/topology_model.h"

#include <algorithm>
#include <array>
#include <set>

#include "ui/models/text.h"

namespace fl::models {

namespace {

constexpr double kSlowFraction = 0.8;

bool holds(const protocol::GroupInfo& group, int rank) {
    return std::find(group.ranks.begin(), group.ranks.end(), rank) != group.ranks.end();
}

}  // namespace

std::vector<QString> TopologyModel::groupKinds() const {
    std::vector<QString> kinds;
    if (!topology_)
        return kinds;
    for (const char* kind : {"tp", "pp", "ep", "edp", "dp"}) {
        const auto& groups = topology_->groups;
        if (std::any_of(groups.begin(), groups.end(),
                        [&](const auto& g) { return g.kind == kind; }))
            kinds.push_back(QString::fromLatin1(kind));
    }
    return kinds;
}

const protocol::GroupInfo* TopologyModel::group(const QString& name) const {
    if (!topology_)
        return nullptr;
    for (const protocol::GroupInfo& group : topology_->groups) {
        if (qt(group.name) == name)
            return &group;
    }
    return nullptr;
}

const protocol::GroupInfo* TopologyModel::groupOf(int rank, const QString& kind) const {
    if (!topology_)
        return nullptr;
    for (const protocol::GroupInfo& group : topology_->groups) {
        if (qt(group.kind) == kind && holds(group, rank))
            return &group;
    }
    return nullptr;
}

std::vector<int> TopologyModel::nodesOf(const protocol::GroupInfo& group) const {
    std::set<int> nodes;
    for (std::size_t node = 0; topology_ && node < topology_->nodes.size(); ++node) {
        for (const protocol::DeviceInfo& device : topology_->nodes[node].devices) {
            if (device.rank >= 0 && holds(group, device.rank))
                nodes.insert(int(node));
        }
    }
    return {nodes.begin(), nodes.end()};
}

QString TopologyModel::describe(const protocol::GroupInfo& group) const {
    std::vector<int> ranks = group.ranks;
    std::sort(ranks.begin(), ranks.end());
    QString text = tr("%1: ranks %2").arg(qt(group.name), rangesText(ranks));
    const std::vector<int> nodes = nodesOf(group);
    if (nodes.size() == 1)
        text += tr(" inside %1").arg(qt(topology_->nodes[std::size_t(nodes.front())].name));
    else if (nodes.size() > 1)
        text += tr(" across %1 nodes").arg(nodes.size());
    if (group.state == "planned")
        return text + tr(", planned");
    if (group.state == "failed")
        return text + tr(", not formed");
    if (group.allReduceSeconds > 0)
        text += tr(", all-reduce %1 in %2")
                    .arg(bytesText(group.allReduceBytes), durationText(group.allReduceSeconds));
    if (group.ringBytesPerSecond > 0)
        text += tr(", ring %1").arg(rateText(group.ringBytesPerSecond));
    if (group.allReduceSeconds <= 0 && group.ringBytesPerSecond <= 0)
        text += tr(", formed in %1").arg(durationText(group.formedSeconds));
    return text;
}

bool TopologyModel::isSlow(const protocol::LinkInfo& link) {
    return link.nominal > 0 && link.measured > 0 && link.measured < kSlowFraction * link.nominal;
}

void TopologyModel::apply(const protocol::Topology& topology) {
    topology_ = topology;
    emit changed();
}

void TopologyModel::reset() {
    topology_.reset();
    emit changed();
}

}  // namespace fl::models
