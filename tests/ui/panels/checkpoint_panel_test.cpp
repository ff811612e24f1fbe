// SPDX-License-Identifier: GPL-3.0-or-later
// Covers: ui/panels/checkpoint/
#include "ui/panels/checkpoint/checkpoint_panel.h"

#include <algorithm>
#include <cmath>

#include <QPointer>
#include <QSignalSpy>
#include <QTest>
#include <QTreeView>

#include "tests/ui/client/fake_engine.h"
#include "tests/ui/panels/bench.h"
#include "tests/ui/panels/tests.h"
#include "tests/ui/support/recorded.h"
#include "tests/ui/support/tensor_tables.h"
#include "ui/panels/checkpoint/recipe_writer.h"
#include "ui/panels/checkpoint/shard_cells.h"
#include "ui/panels/checkpoint/tensor_detail.h"
#include "ui/widgets/message_strip.h"

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
    void showsATensorAndItsValues() {
        Bench bench;
        CheckpointPanel panel(bench.context);
        bench.models.applySnapshot(kimiLoading());
        bench.models.tensors.setTable(tableOf(kimiTensors()));
        Bench::settle(panel, {876, 800});
        auto* detail = panel.findChild<panels::TensorDetail*>();
        QVERIFY(!detail->isVisible());
        panel.search(QStringLiteral("34 251 down_proj scale"));
        QTRY_VERIFY(detail->isVisible());
        QVERIFY(detail->tensor().endsWith(QStringLiteral("251.down_proj.weight_scale")));
        protocol::HistogramReply reply;
        reply.values = 458'752;
        reply.zero = 32;
        reply.min = 0;
        reply.max = 0.0287;
        reply.mean = 0.011;
        reply.rms = 0.0112;
        for (int i = 0; i < 64; ++i)
            reply.counts.push_back(std::int64_t(40'000 * std::exp(-0.012 * (i - 22) * (i - 22))));
        reply.counts[0] = 32;
        detail->setHistogram(reply);
        QCOMPARE(bench.shoot(panel, QStringLiteral("checkpoint-histogram"), {876, 800}),
                 QStringList());
        detail->setTensor({});
        detail->setFailure(QStringLiteral("the engine does not know the values of IQ2_XXS"));
        QCOMPARE(bench.shoot(panel, QStringLiteral("checkpoint-no-histogram"), {876, 800}),
                 QStringList());
        // In a narrow panel the list keeps its room.
        Bench::settle(panel, {560, 500});
        QVERIFY(!detail->isVisible());
    }
    void callsTheCountOffWithTheNextTensor() {
        FakeEngine engine;
        Bench bench;
        CheckpointPanel panel(bench.context);
        bench.models.applySnapshot(smollmPlanned());
        bench.models.tensors.setTable(tableOf(smollmTensors()));
        bench.client.attach(engine.path());
        QTRY_VERIFY(bench.client.isConnected());
        const auto asked = [&engine](std::string_view method) {
            return std::count_if(engine.requests.begin(), engine.requests.end(),
                                 [&](const auto& request) { return request.method == method; });
        };
        Bench::settle(panel, {876, 800});
        panel.reveal(QStringLiteral("blk.3.ffn_up.weight"));
        panel.findChild<panels::TensorDetail*>()->askHistogram();
        panel.reveal(QStringLiteral("blk.4.ffn_up.weight"));
        panel.reveal(QStringLiteral("blk.5.ffn_up.weight"));
        QTRY_COMPARE(asked(protocol::method::kHistogramCancel), 1);
        QCOMPARE(asked(protocol::method::kHistogram), 1);
    }
    void foldsAHundredThousandFiles() {
        Bench bench;
        CheckpointPanel panel(bench.context);
        protocol::Snapshot snapshot = smollmPlanned();
        const protocol::ShardInfo one = snapshot.census.shards.front();
        snapshot.census.shards.assign(100'000, one);
        snapshot.census.shards[70'123].state = "broken";
        snapshot.census.shards[70'123].file = "the-broken-one";
        bench.models.applySnapshot(snapshot);
        QCOMPARE(bench.shoot(panel, QStringLiteral("checkpoint-many-files"), {876, 800}),
                 QStringList());
        auto* cells = panel.findChild<panels::ShardCells*>();
        QCOMPARE(cells->filesPerCell(), 625);
        QVERIFY(cells->cellRect(99'999).bottom() < cells->height());
        QSignalSpy hovered(cells, &panels::ShardCells::hovered);
        QTest::mouseMove(cells, cells->cellRect(70'000).center());
        QTRY_COMPARE(hovered.last().first().toInt(), 70'123);
        panel.reveal(QStringLiteral("the-broken-one"));
        QCOMPARE(cells->selected(), 70'123);
    }
    void keepsLongNamesInTheirPlace() {
        Bench bench;
        CheckpointPanel panel(bench.context);
        const std::string longName(160, 'm');
        protocol::Snapshot snapshot = smollmPlanned();
        snapshot.census.recipe = "a_recipe_" + longName;
        for (protocol::ShardInfo& shard : snapshot.census.shards)
            shard.file = longName + shard.file;
        std::vector<protocol::TensorRow> rows = smollmTensors();
        for (protocol::TensorRow& row : rows)
            row.name = "backbone_" + longName + ".decoder_" + longName + "." + row.name;
        rows.push_back(rows.back());
        rows.back().name +=
            "\nsecond line \xE2\x80\xAE"
            "backwards";
        bench.models.applySnapshot(snapshot);
        bench.models.tensors.setTable(tableOf(rows));
        Bench::settle(panel, {876, 600});
        const std::string name = rows[3].name;
        panel.reveal(QString::fromStdString(name));
        QVERIFY(panel.findChild<panels::TensorDetail*>()->isVisible());
        QCOMPARE(bench.shoot(panel, QStringLiteral("checkpoint-long-names"), {876, 600}),
                 QStringList());
        QVERIFY(panel.width() <= 876);
    }
    void offersARecipeForAnUnknownArchitecture() {
        Bench bench;
        CheckpointPanel panel(bench.context);
        protocol::Snapshot snapshot = smollmPlanned();
        snapshot.census.recipe.clear();
        snapshot.census.contract = {};
        Finding unknown;
        unknown.code = "architecture-unknown";
        unknown.stage = "inspect";
        unknown.message =
            "no recipe knows the architecture NovaForCausalLM; the nearest recipe is qwen3_moe (11 "
            "of 13 tensor names, 20 of 24 keys)";
        snapshot.findings = {unknown};
        bench.models.applySnapshot(snapshot);
        bench.models.tensors.setTable(tableOf(smollmTensors()));
        QCOMPARE(bench.shoot(panel, QStringLiteral("checkpoint-unknown"), {876, 500}),
                 QStringList());
        auto* strip = panel.findChild<widgets::MessageStrip*>();
        QCOMPARE(strip->sentence(), QStringLiteral("No recipe knows this architecture"));
        const QPointer<widgets::Button> offer = strip->findChild<widgets::Button*>();
        QVERIFY(!offer.isNull());
        const QModelIndex read = bench.models.shards.index(0, 0);
        emit bench.models.shards.dataChanged(read, read);  // progress takes no button away
        Bench::settle(panel, {876, 500});
        QVERIFY(!offer.isNull());
        auto* writer = panel.findChild<panels::RecipeWriter*>();
        QSignalSpy failed(writer, &panels::RecipeWriter::failed);
        writer->write(QStringLiteral("/nowhere/nova.lua"));  // nobody is connected
        QTRY_COMPARE(failed.count(), 1);
        QVERIFY(writer->draft() == nullptr);
        snapshot.findings.clear();
        snapshot.settings.recipe = "/home/user/recipes/nova.lua";
        bench.models.applySnapshot(snapshot);
        QTRY_VERIFY(strip->sentence().contains(QStringLiteral("nova.lua")));
        QCOMPARE(bench.shoot(panel, QStringLiteral("checkpoint-own-recipe"), {876, 500}),
                 QStringList());
    }
};

std::unique_ptr<QObject> checkpointPanelTest() {
    return std::make_unique<CheckpointPanelTest>();
}

}  // namespace fl::test

#include "checkpoint_panel_test.moc"
