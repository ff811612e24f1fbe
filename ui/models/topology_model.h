// SPDX-License-Identifier: GPL-3.0-or-later
// Machines, cards, wires and communication groups as the engine knows them.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include <QObject>
#include <QString>

#include "engine/protocol/messages.h"

namespace fl::models {

class TopologyModel : public QObject {
    Q_OBJECT

public:
    using QObject::QObject;

    bool empty() const { return !topology_ || topology_->nodes.empty(); }
    // Precondition: !empty().
    const protocol::Topology& topology() const { return *topology_; }

    // Kinds that have a group, in the order tp pp ep edp dp.
    std::vector<QString> groupKinds() const;
    const protocol::GroupInfo* group(const QString& name) const;  // null: none of that name
    const protocol::GroupInfo* groupOf(int rank, const QString& kind) const;
    // "tp1: ranks 3–5 inside node-b, all-reduce 16 KiB in 11 µs, ring 3.1 GiB/s".
    QString describe(const protocol::GroupInfo& group) const;
    // Groups that pay in each step for a link slower than the best ones, the dearest first.
    std::vector<const protocol::GroupInfo*> slowGroups() const;
    // The order of ranks that would take less time, and how much; null: none known.
    const protocol::OrderInfo* betterOrder() const;
    int nodeOf(int rank) const;  // −1: none
    // Nodes of the group's ranks, ascending.
    std::vector<int> nodesOf(const protocol::GroupInfo& group) const;
    // A link is slow when it was measured below 80 % of its nominal rate.
    static bool isSlow(const protocol::LinkInfo& link);

public slots:
    void apply(const fl::protocol::Topology& topology);
    void reset();

signals:
    void changed();

private:
    void index();

    std::optional<protocol::Topology> topology_;
    // For each kind of groups the place of a rank's group in the list, −1: none. A thousand cards
    // ask 20 times a second.
    std::map<QString, std::vector<int>> groupOfRank_;
    std::vector<int> nodeOfRank_;
};

}  // namespace fl::models
