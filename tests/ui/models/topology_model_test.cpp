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
};

std::unique_ptr<QObject> topologyModelTest() {
    return std::make_unique<TopologyModelTest>();
}

}  // namespace fl::test

#include "topology_model_test.moc"
