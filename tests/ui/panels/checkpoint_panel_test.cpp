// SPDX-License-Identifier: GPL-3.0-or-later
// Covers: ui/panels/checkpoint/
#include "ui/panels/checkpoint/checkpoint_panel.h"

#include <QSignalSpy>
#include <QTest>
#include <QTreeView>

#include "tests/ui/panels/bench.h"
#include "tests/ui/panels/tests.h"
#include "tests/ui/support/recorded.h"
#include "tests/ui/support/tensor_tables.h"
#include "ui/panels/checkpoint/shard_cells.h"

namespace fl::test {

using panels::CheckpointPanel;

class CheckpointPanelTest : public QObject {
    Q_OBJECT

private slots:
    void teachesWhileEmpty() {
        Bench bench;
        CheckpointPanel panel(bench.context);
        QCOMPARE(bench.shoot(panel, QStringLiteral("checkpoint-empty"), {876, 410}), QStringList());
    }
    void showsASmallModelAtOnce() {
        Bench bench;
        CheckpointPanel panel(bench.context);
        bench.models.applySnapshot(smollmPlanned());
        bench.models.tensors.setTable(tableOf(smollmTensors()));
        QCOMPARE(bench.shoot(panel, QStringLiteral("checkpoint-smollm2"), {876, 410}),
                 QStringList());
        panel.reveal(QStringLiteral("blk.3.ffn_up.weight"));
        QCOMPARE(bench.models.selection.tensor(), QStringLiteral("blk.3.ffn_up.weight"));
    }
    void searchesTwoHundredThousandTensors() {
        Bench bench;
        CheckpointPanel panel(bench.context);
        QSignalSpy badge(&panel, &panels::Panel::badgeChanged);
        bench.models.applySnapshot(kimiLoading());
        bench.models.tensors.setTable(tableOf(kimiTensors()));
        const protocol::Census& census = bench.models.census.census();
        for (const protocol::RankInfo& rank : bench.models.plan.plan().ranks) {
            const auto& from = census.shards[std::size_t(rank.firstLayer)].file;
            bench.models.applyLoad({rank.rank, 0, 9, 0, 9, 0, from});
        }
        panel.search(QStringLiteral("34 251"));
        QCOMPARE(bench.shoot(panel, QStringLiteral("checkpoint-search"), {876, 800}),
                 QStringList());
        QCOMPARE(panel.currentHit(), 0);
        panel.step(1);
        QCOMPARE(panel.currentHit(), 1);
        panel.step(-1);
        panel.step(-1);
        QCOMPARE(panel.currentHit(), 8);
        QVERIFY(panel.findChild<QTreeView*>()->currentIndex().isValid());
        emit bench.models.census.changed();
        QCOMPARE(badge.last().first().toInt(), 1);
        auto* cells = panel.findChild<panels::ShardCells*>();
        QVERIFY(cells->cellRect(63).bottom() < cells->height());
    }
    void namesWhatTheContractMisses() {
        Bench bench;
        CheckpointPanel panel(bench.context);
        protocol::Snapshot snapshot = smollmPlanned();
        snapshot.census.contract.missing = 2;
        snapshot.census.verdict = "errors";
        std::vector<protocol::TensorRow> rows = smollmTensors();
        rows[10].contract = rows[11].contract = "missing";
        bench.models.applySnapshot(snapshot);
        bench.models.tensors.setTable(tableOf(rows));
        QSignalSpy badge(&panel, &panels::Panel::badgeChanged);
        emit bench.models.census.changed();
        QCOMPARE(badge.last().first().toInt(), 2);
        bench.models.tensors.showContract(QStringLiteral("missing"));
        QCOMPARE(bench.shoot(panel, QStringLiteral("checkpoint-missing"), {876, 410}),
                 QStringList());
    }
};

std::unique_ptr<QObject> checkpointPanelTest() {
    return std::make_unique<CheckpointPanelTest>();
}

}  // namespace fl::test

#include "checkpoint_panel_test.moc"
