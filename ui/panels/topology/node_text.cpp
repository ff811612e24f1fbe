// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/topology/node_text.h"

#include <algorithm>
#include <set>

#include <QCoreApplication>

#include "ui/models/models.h"
#include "ui/models/text.h"

namespace fl::panels {

using models::bytesText;
using models::qt;

namespace {

struct Words {
    Q_DECLARE_TR_FUNCTIONS(Topology)
};

QString gigabytes(double bytesPerSecond) {
    const double value = bytesPerSecond / 1e9;
    return QString::number(value, 'f', value < 10 ? 2 : value < 100 ? 1 : 0);
}

// "CPU card 3" and "CPU card 4" are both "CPU card".
QString plainName(const protocol::DeviceInfo& device) {
    QString name = qt(device.name);
    const QString index = QLatin1Char(' ') + QString::number(device.index);
    if (name.endsWith(index))
        name.chop(index.size());
    return name;
}

QString kindText(const protocol::NodeInfo& node) {
    if (node.devices.empty())
        return Words::tr("no cards");
    const protocol::DeviceInfo& first = node.devices.front();
    const QString name = plainName(first);
    const QString text = Words::tr("%1 × %2").arg(node.devices.size()).arg(name);
    if (name.contains(QLatin1String("GiB")) || name.contains(QLatin1String("GB")))
        return text;
    const std::int64_t bytes = first.budgetBytes > 0 ? first.budgetBytes : first.memoryBytes;
    return bytes > 0 ? text + QStringLiteral(", ") + bytesText(bytes) : text;
}

// Ranks of some cards of a node.
std::vector<const protocol::RankInfo*> ranksOf(const models::Models& models,
                                               const protocol::NodeInfo& node,
                                               std::size_t begin,
                                               std::size_t end) {
    std::vector<const protocol::RankInfo*> ranks;
    for (std::size_t i = begin; i < std::min(end, node.devices.size()); ++i) {
        if (const protocol::RankInfo* rank = models.plan.rank(node.devices[i].rank))
            ranks.push_back(rank);
    }
    return ranks;
}

QString stageText(const std::vector<const protocol::RankInfo*>& ranks) {
    if (ranks.empty())
        return {};
    std::set<int> stages;
    int first = ranks.front()->firstLayer;
    int end = ranks.front()->endLayer;
    for (const protocol::RankInfo* rank : ranks) {
        stages.insert(rank->pp);
        first = std::min(first, rank->firstLayer);
        end = std::max(end, rank->endLayer);
    }
    return Words::tr("PP %1 · layers %2")
        .arg(models::rangesText({stages.begin(), stages.end()}),
             QStringLiteral("%1–%2").arg(first).arg(end - 1));
}

QString linkName(const std::string& kind) {
    if (kind == "nvlink")
        return QStringLiteral("NVLink");
    if (kind == "hccs")
        return QStringLiteral("HCCS");
    return kind == "pcie" ? QStringLiteral("PCIe") : Words::tr("Memory");
}

// While states are shown, the bar tells of the group that lives on it.
QString groupText(const models::Models& models, int node) {
    const auto& devices = models.topology.topology().nodes[std::size_t(node)].devices;
    const protocol::GroupInfo* group =
        devices.empty() ? nullptr
                        : models.topology.groupOf(devices.front().rank, QStringLiteral("tp"));
    if (group == nullptr || group->ranks.size() != devices.size() ||
        models.topology.nodesOf(*group) != std::vector<int>{node})
        return {};
    if (group->state == "failed")
        return Words::tr("%1 not formed").arg(qt(group->name));
    if (group->state == "formed")
        return Words::tr("%1 formed in %2")
            .arg(qt(group->name), models::durationText(group->formedSeconds));
    return {};
}

}  // namespace

QString rateText(double measured, double nominal) {
    if (measured > 0 && nominal > 0)
        return Words::tr("%1 of %2 GB/s").arg(gigabytes(measured), gigabytes(nominal));
    if (measured > 0)
        return Words::tr("%1 GB/s").arg(gigabytes(measured));
    return nominal > 0 ? Words::tr("%1 GB/s nominal").arg(gigabytes(nominal)) : QString();
}

NodeNetwork nodeNetwork(const protocol::Topology& topology, int node) {
    NodeNetwork sum;
    for (const int i : networkLinks(topology, node)) {
        const protocol::LinkInfo& link = topology.links[std::size_t(i)];
        sum.measured += link.measured;
        sum.nominal += link.nominal;
        sum.slow = sum.slow || models::TopologyModel::isSlow(link);
        ++sum.links;
    }
    return sum;
}

bool rowsAreStages(const models::Models& models) {
    if (models.topology.empty())
        return false;
    bool several = false;
    for (const protocol::NodeInfo& node : models.topology.topology().nodes) {
        const auto columns = std::size_t(std::max(1, cardColumns(int(node.devices.size()))));
        std::set<int> stages;
        for (std::size_t row = 0; row < node.devices.size(); row += columns) {
            std::set<int> ofRow;
            for (const protocol::RankInfo* rank : ranksOf(models, node, row, row + columns))
                ofRow.insert(rank->pp);
            if (ofRow.size() > 1)
                return false;
            stages.insert(ofRow.begin(), ofRow.end());
        }
        several = several || stages.size() > 1;
    }
    return several;
}

NodeText nodeText(const models::Models& models, const NodeBox& box, TopologyMeasure measure) {
    const protocol::Topology& topology = models.topology.topology();
    const protocol::NodeInfo& node = topology.nodes[std::size_t(box.node)];
    NodeText text;
    text.name = qt(node.name);
    text.kind = kindText(node);
    if (box.folded > 1)
        text.badge = Words::tr("× %1").arg(box.folded);
    if (box.captions.empty()) {
        text.stage = stageText(ranksOf(models, node, 0, node.devices.size()));
    } else {
        const auto columns = std::size_t(box.columns);
        for (std::size_t row = 0; row < box.captions.size(); ++row)
            text.captions.push_back(
                stageText(ranksOf(models, node, row * columns, (row + 1) * columns)));
    }
    const QString group =
        measure == TopologyMeasure::State ? groupText(models, box.node) : QString();
    for (const int i : innerLinks(topology, box.node)) {
        const protocol::LinkInfo& link = topology.links[std::size_t(i)];
        text.link = group.isEmpty() ? linkName(link.kind) : group;
        text.linkRate = group.isEmpty() ? rateText(link.measured, link.nominal) : QString();
        text.linkSlow = models::TopologyModel::isSlow(link);
    }
    return text;
}

}  // namespace fl::panels
