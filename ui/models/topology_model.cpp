// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/topology_model.h"

#include <algorithm>
#include <array>
#include <set>

#include "ui/models/text.h"

namespace fl::models {

namespace {

constexpr double kSlowFraction = 0.8;

// The first one counts, where a file lists a rank twice. No plan has ranks beyond kMostRanks.
constexpr int kMostRanks = 1 << 20;

void place(std::vector<int>& ofRank, int rank, int value) {
    if (rank < 0 || rank >= kMostRanks)
        return;
    if (rank >= int(ofRank.size()))
        ofRank.resize(std::size_t(rank) + 1, -1);
    if (ofRank[std::size_t(rank)] < 0)
        ofRank[std::size_t(rank)] = value;
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
    const auto groups = groupOfRank_.find(kind);
    if (groups == groupOfRank_.end() || rank < 0 || rank >= int(groups->second.size()))
        return nullptr;
    const int group = groups->second[std::size_t(rank)];
    return group < 0 ? nullptr : &topology_->groups[std::size_t(group)];
}

int TopologyModel::nodeOf(int rank) const {
    return rank >= 0 && rank < int(nodeOfRank_.size()) ? nodeOfRank_[std::size_t(rank)] : -1;
}

std::vector<int> TopologyModel::nodesOf(const protocol::GroupInfo& group) const {
    std::set<int> nodes;
    for (const int rank : group.ranks) {
        if (const int node = nodeOf(rank); node >= 0)
            nodes.insert(node);
    }
    return {nodes.begin(), nodes.end()};
}

std::vector<const protocol::GroupInfo*> TopologyModel::slowGroups() const {
    std::vector<const protocol::GroupInfo*> slow;
    for (std::size_t i = 0; topology_ && i < topology_->groups.size(); ++i) {
        if (topology_->groups[i].crossesSlow)
            slow.push_back(&topology_->groups[i]);
    }
    std::stable_sort(slow.begin(), slow.end(),
                     [](const auto* a, const auto* b) { return a->stepSeconds > b->stepSeconds; });
    return slow;
}

const protocol::OrderInfo* TopologyModel::betterOrder() const {
    const bool gains = topology_ && topology_->gain > 0 && !topology_->orders.empty() &&
                       topology_->orders.front().order != topology_->order;
    return gains ? &topology_->orders.front() : nullptr;
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
    if (group.crossesSlow)
        text += tr(", crosses a slow link: %1 of a step").arg(durationText(group.stepSeconds));
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

void TopologyModel::index() {
    groupOfRank_.clear();
    nodeOfRank_.clear();
    for (std::size_t node = 0; topology_ && node < topology_->nodes.size(); ++node) {
        for (const protocol::DeviceInfo& device : topology_->nodes[node].devices)
            place(nodeOfRank_, device.rank, int(node));
    }
    for (std::size_t group = 0; topology_ && group < topology_->groups.size(); ++group) {
        const protocol::GroupInfo& info = topology_->groups[group];
        for (const int rank : info.ranks)
            place(groupOfRank_[qt(info.kind)], rank, int(group));
    }
}

void TopologyModel::apply(const protocol::Topology& topology) {
    topology_ = topology;
    index();
    emit changed();
}

void TopologyModel::reset() {
    topology_.reset();
    index();
    emit changed();
}

}  // namespace fl::models
