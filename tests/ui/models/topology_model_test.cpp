// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/topology_model.h"

#include <QSignalSpy>
#include <QTest>

#include "tests/ui/models/tests.h"
#include "tests/ui/support/recorded.h"

namespace fl::test {

using namespace fl::models;  // NOLINT: the folder under test

class TopologyModelTest : public QObject {
    Q_OBJECT

private slots:
    void describesAGroupInWords() {
        TopologyModel model;
        model.apply(kimiTopology());
        const protocol::GroupInfo* group = model.group(QStringLiteral("tp1"));
        QVERIFY(group != nullptr);
        QVERIFY(model.describe(*group).startsWith(
            QStringLiteral("tp1: ranks 8–15 inside node-b, all-reduce 16.0 KiB in")));
        const protocol::GroupInfo* across = model.groupOf(9, QStringLiteral("pp"));
        QVERIFY(across != nullptr);
        QCOMPARE(across->name, std::string("pp1"));
        QVERIFY(model.describe(*across).contains(QStringLiteral("across 4 nodes")));
    }
    void saysThatAGroupIsOnlyPlannedOrBroken() {
        TopologyModel model;
        protocol::Topology topology = smollmTopology();
        topology.groups[0].state = "planned";
        topology.groups[1].state = "failed";
        model.apply(topology);
        QVERIFY(model.describe(topology.groups[0]).endsWith(QStringLiteral("planned")));
        QVERIFY(model.describe(topology.groups[1]).endsWith(QStringLiteral("not formed")));
    }
    void knowsWhichKindsExist() {
        TopologyModel model;
        QVERIFY(model.groupKinds().empty());
        model.apply(smollmTopology());
        QCOMPARE(model.groupKinds(),
                 (std::vector<QString>{QStringLiteral("tp"), QStringLiteral("pp")}));
        QVERIFY(model.group(QStringLiteral("ep0")) == nullptr);
        QVERIFY(model.groupOf(99, QStringLiteral("tp")) == nullptr);
    }
    void callsALinkSlowBelowFourFifths() {
        protocol::LinkInfo link;
        link.nominal = 200;
        link.measured = 152;
        QVERIFY(TopologyModel::isSlow(link));
        link.measured = 187;
        QVERIFY(!TopologyModel::isSlow(link));
        link.measured = 0;
        QVERIFY(!TopologyModel::isSlow(link));
    }
    void tellsChangesAndReset() {
        TopologyModel model;
        QSignalSpy changed(&model, &TopologyModel::changed);
        model.apply(kimiTopology());
        QVERIFY(!model.empty());
        model.reset();
        QVERIFY(model.empty());
        QCOMPARE(changed.count(), 2);
    }
    void namesTheGroupsThatPayForSlowLinks() {
        TopologyModel model;
        protocol::Topology topology = kimiTopology();
        topology.order = "tp,pp,dp";
        model.apply(topology);
        QVERIFY(model.slowGroups().empty());
        QVERIFY(model.betterOrder() == nullptr);
        topology.groups[1].crossesSlow = topology.groups[2].crossesSlow = true;
        topology.groups[1].stepSeconds = 0.004;
        topology.groups[2].stepSeconds = 0.011;
        topology.orders = {{"pp,tp,dp", 0.0146, 0.002}, {"dp,tp,pp", 0.02, 0.004}};
        topology.gain = 0.0036;
        model.apply(topology);
        QCOMPARE(model.slowGroups().size(), std::size_t(2));
        QCOMPARE(model.slowGroups().front()->name, topology.groups[2].name);
        QCOMPARE(model.betterOrder()->order, std::string("pp,tp,dp"));
        QVERIFY(model.describe(topology.groups[2])
                    .contains(QStringLiteral("crosses a slow link: 11.0 ms of a step")));
        topology.gain = 0;
        model.apply(topology);
        QVERIFY(model.betterOrder() == nullptr);
    }
};

std::unique_ptr<QObject> topologyModelTest() {
    return std::make_unique<TopologyModelTest>();
}

}  // namespace fl::test

#include "topology_model_test.moc"
