// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/topology/topology_scene.h"

#include <algorithm>

#include <QCoreApplication>
#include <QImage>
#include <QPainter>
#include <QSvgGenerator>

#include "ui/models/models.h"
#include "ui/models/text.h"
#include "ui/panels/topology/fabric_item.h"
#include "ui/panels/topology/node_item.h"
#include "ui/panels/topology/node_text.h"

namespace fl::panels {

using models::qt;
using widgets::Token;

namespace {

constexpr int kSelectedSeries = 3;
constexpr double kExportScale = 2;

// "tp12" → 12.
int numberOf(const protocol::GroupInfo& group) {
    return qt(group.name).mid(qsizetype(group.kind.size())).toInt();
}

}  // namespace

TopologyScene::TopologyScene(const widgets::Theme& theme,
                             const models::Models& models,
                             QObject* parent)
    : QGraphicsScene(parent),
      theme_(theme),
      models_(models) {
    // A few hundred items that all move together: an index would cost more than it saves.
    setItemIndexMethod(QGraphicsScene::NoIndex);
}

// The node of a lost rank, and those that one lit group crosses, as many as a window has room for.
std::vector<int> TopologyScene::apart(const LitGroups& lit) const {
    constexpr std::size_t kMost = 8;
    std::vector<int> nodes;
    if (const protocol::GroupInfo* group = models_.topology.group(lit.name))
        nodes = models_.topology.nodesOf(*group);
    if (nodes.size() == 1)
        nodes.clear();  // it crosses nothing
    nodes.resize(std::min(nodes.size(), kMost));
    const protocol::RankLost* lost = models_.ranks.lost();
    const int failed = lost != nullptr ? models_.topology.nodeOf(lost->rank) : -1;
    if (failed >= 0 && std::count(nodes.begin(), nodes.end(), failed) == 0)
        nodes.push_back(failed);
    return nodes;
}

void TopologyScene::rebuild(const LitGroups& lit) {
    apart_ = apart(lit);
    clear();
    nodes_.clear();
    fabric_ = nullptr;
    layout_ = {};
    if (models_.topology.empty())
        return;
    LayoutOptions options;
    options.captions = rowsAreStages(models_);
    options.keep = apart_;
    layout_ = layOut(models_.topology.topology(), options);
    if (!layout_.fabric.isNull()) {
        fabric_ = new FabricItem(theme_, layout_);
        addItem(fabric_);
    }
    for (const NodeBox& box : layout_.nodes) {
        nodes_.push_back(new NodeItem(theme_, box));
        addItem(nodes_.back());
    }
    emit rebuilt();
}

QColor TopologyScene::colorOf(const protocol::GroupInfo& group, const LitGroups& lit) const {
    if (lit.kind.isEmpty() || qt(group.kind) != lit.kind)
        return {};
    if (!lit.name.isEmpty())
        return qt(group.name) == lit.name ? theme_.series(kSelectedSeries) : QColor();
    return theme_.series(numberOf(group) % 8 + 1);
}

QColor TopologyScene::outlineOf(int rank, const LitGroups& lit) const {
    const protocol::GroupInfo* group = models_.topology.groupOf(rank, lit.kind);
    return group != nullptr ? colorOf(*group, lit) : QColor();
}

void TopologyScene::refreshNode(NodeItem& item,
                                TopologyMeasure measure,
                                const LitGroups& lit,
                                const std::vector<QString>& kinds) const {
    const NodeBox& box = item.node();
    const protocol::NodeInfo& node = models_.topology.topology().nodes[std::size_t(box.node)];
    std::vector<CardState> cards;
    for (std::size_t device = 0; device < node.devices.size(); ++device) {
        CardState card = cardState(models_, box.node, int(device), measure);
        card.outline = card.rank >= 0 ? outlineOf(card.rank, lit) : QColor();
        card.selected = card.rank >= 0 && card.rank == models_.selection.rank();
        cards.push_back(card);
    }
    QColor link;
    bool formed = true;
    for (const QString& kind : kinds) {
        // The bar joins all cards of the node: it is lit for a group of all of them.
        const int first = node.devices.empty() ? -1 : node.devices.front().rank;
        const protocol::GroupInfo* group = models_.topology.groupOf(first, kind);
        const bool all =
            std::all_of(node.devices.begin(), node.devices.end(), [&](const auto& device) {
                return models_.topology.groupOf(device.rank, kind) == group;
            });
        if (!all || group == nullptr)
            continue;
        formed = formed && group->state != "failed";
        if (const QColor color = colorOf(*group, lit); color.isValid())
            link = color;
    }
    item.setText(nodeText(models_, box, measure));
    item.setCards(std::move(cards));
    item.setLink(formed ? link : QColor(), formed);
}

void TopologyScene::refreshFabric(const LitGroups& lit) {
    const protocol::Topology& topology = models_.topology.topology();
    FabricText text;
    const protocol::GroupInfo* group =
        lit.name.isEmpty() ? nullptr : models_.topology.group(lit.name);
    const std::vector<int> used = group != nullptr && qt(group->kind) == lit.kind
                                      ? models_.topology.nodesOf(*group)
                                      : std::vector<int>();
    for (const Wire& wire : layout_.wires) {
        const bool isUsed = used.size() > 1 && std::count(used.begin(), used.end(), wire.node) > 0;
        // A group that lies badly is marked on the wires it pays for.
        text.slowWires.push_back(
            models::TopologyModel::isSlow(topology.links[std::size_t(wire.link)]) ||
            (isUsed && group->crossesSlow));
        text.litWires.push_back(isUsed);
    }
    for (const WireLabel& label : layout_.labels) {
        const NodeNetwork network = nodeNetwork(topology, label.node);
        QString words = rateText(network.measured, network.nominal);
        text.labels.push_back(words.remove(QStringLiteral(" GB/s")));
        text.slowLabels.push_back(network.slow);
        if (network.links > 0 && network.nominal > 0) {
            text.count = QStringLiteral("%1 × %2")
                             .arg(network.links)
                             .arg(network.nominal * 8e-9 / network.links, 0, 'f', 0);
            text.unit = QCoreApplication::translate("Topology", "Gb/s per node");
        }
    }
    fabric_->setText(std::move(text));
}

void TopologyScene::refresh(TopologyMeasure measure, const LitGroups& lit) {
    if (layout_.folds && apart(lit) != apart_)
        rebuild(lit);
    const std::vector<QString> kinds = models_.topology.groupKinds();
    for (NodeItem* item : nodes_)
        refreshNode(*item, measure, lit, kinds);
    if (fabric_ != nullptr)
        refreshFabric(lit);
}

bool TopologyScene::writePng(const QString& path) {
    const QRectF area = itemsBoundingRect().adjusted(-16, -16, 16, 16);
    QImage image((area.size() * kExportScale).toSize(), QImage::Format_RGB32);
    image.fill(theme_.color(Token::Bg0));
    QPainter painter(&image);
    render(&painter, QRectF(), area);
    painter.end();
    return image.save(path);
}

bool TopologyScene::writeSvg(const QString& path) {
    const QRectF area = itemsBoundingRect().adjusted(-16, -16, 16, 16);
    QSvgGenerator generator;
    generator.setFileName(path);
    generator.setSize(area.size().toSize());
    generator.setViewBox(QRectF(QPointF(0, 0), area.size()));
    generator.setTitle(
        qt(models_.topology.empty() ? std::string() : models_.topology.topology().name));
    QPainter painter;
    if (!painter.begin(&generator))
        return false;
    painter.fillRect(QRectF(QPointF(0, 0), area.size()), theme_.color(Token::Bg0));
    render(&painter, QRectF(QPointF(0, 0), area.size()), area);
    return painter.end();
}

}  // namespace fl::panels
