// SPDX-License-Identifier: GPL-3.0-or-later
// The scene of the topology: items made from the models, and kept current with them.
#pragma once

#include <vector>

#include <QGraphicsScene>

#include "ui/panels/topology/card_state.h"
#include "ui/panels/topology/topology_layout.h"

namespace fl::panels {

class FabricItem;
class NodeItem;

// Which groups are lit: one by name, all of a kind, or none.
struct LitGroups {
    QString kind;  // "tp"; empty: none
    QString name;  // "tp1"; empty: all of the kind
};

class TopologyScene : public QGraphicsScene {
    Q_OBJECT

public:
    TopologyScene(const widgets::Theme& theme, const models::Models& models, QObject* parent);

    // Lays everything out anew: after nodes, ranks or stages changed. Where equal nodes are folded
    // into one, those of a lit group stand apart: what it crosses must be seen.
    void rebuild(const LitGroups& lit);
    // Values, states, lit groups.
    void refresh(TopologyMeasure measure, const LitGroups& lit);
    // Colour of a group under these settings; invalid if it is not lit.
    QColor colorOf(const protocol::GroupInfo& group, const LitGroups& lit) const;
    bool writePng(const QString& path);
    bool writeSvg(const QString& path);

signals:
    void rebuilt();

private:
    std::vector<int> apart(const LitGroups& lit) const;
    // `kinds`: of all groups there are.
    void refreshNode(NodeItem& item,
                     TopologyMeasure measure,
                     const LitGroups& lit,
                     const std::vector<QString>& kinds) const;
    void refreshFabric(const LitGroups& lit);
    QColor outlineOf(int rank, const LitGroups& lit) const;

    const widgets::Theme& theme_;
    const models::Models& models_;
    std::vector<NodeItem*> nodes_;
    FabricItem* fabric_ = nullptr;
    TopologyLayout layout_;
    std::vector<int> apart_;  // nodes that no fold takes
};

}  // namespace fl::panels
