// SPDX-License-Identifier: GPL-3.0-or-later
// Covers: ui/panels/memory/
#include "ui/panels/memory/memory_panel.h"

#include <QTest>

#include "tests/ui/panels/bench.h"
#include "tests/ui/panels/tests.h"
#include "tests/ui/support/recorded.h"
#include "ui/models/text.h"
#include "ui/panels/memory/memory_bars.h"
#include "ui/widgets/message_strip.h"

namespace fl::test {

using panels::MemoryPanel;

class MemoryPanelTest : public QObject {
    Q_OBJECT

private slots:
    void teachesWhileEmpty() {
        Bench bench;
        MemoryPanel panel(bench.context);
        QCOMPARE(bench.shoot(panel, QStringLiteral("memory-empty"), {436, 190}), QStringList());
    }
    void stacksRanksBesideTheirPlan() {
        Bench bench;
        MemoryPanel panel(bench.context);
        bench.models.applySnapshot(kimiLoading());
        QCOMPARE(bench.shoot(panel, QStringLiteral("memory-4x8"), {436, 190}), QStringList());
        const panels::MemoryBars bars = panels::memoryBars(bench.models.memory);
        QCOMPARE(bars.unit, QStringLiteral("GiB"));
        QCOMPARE(bars.groups.size(), std::size_t(4));
        QCOMPARE(bars.groups.front().count, 8);
        QVERIFY(bars.legend.size() <= 5);
        QVERIFY(qAbs(bars.budget - 73.6) < 0.01);
        double stack = 0;
        for (const widgets::StackPart& part : bars.parts)
            stack += part.values.front();
        QVERIFY(qAbs(stack - double(bench.models.memory.rank(0)->planned.total) / double(1 << 30)) <
                0.01);
    }
    void stacksThePlanBeforeLaunch() {
        Bench bench;
        MemoryPanel panel(bench.context);
        bench.models.applySnapshot(smollmPlanned());
        QCOMPARE(bench.shoot(panel, QStringLiteral("memory-planned"), {436, 190}), QStringList());
        const panels::MemoryBars bars = panels::memoryBars(bench.models.memory);
        QVERIFY(bars.planned);
        QVERIFY(bars.parts.size() > 2);
        double stack = 0;
        for (const widgets::StackPart& part : bars.parts)
            stack += part.values.front();
        QVERIFY(qAbs(stack * models::unitBytes(bars.unit) -
                     double(bench.models.memory.rank(0)->planned.total)) < 1);
    }
    void showsSixCardsNowAndOverTime() {
        Bench bench;
        MemoryPanel panel(bench.context);
        bench.models.applySnapshot(smollmServing());
        QCOMPARE(bench.shoot(panel, QStringLiteral("memory-6-cards"), {436, 190}), QStringList());
        for (protocol::MemorySample sample : smollmServing().memory) {
            for (int i = 0; i < 60; ++i) {
                sample.time += 1;
                sample.used.total += (i * 7919 + sample.rank * 31) % 400'000;
                bench.models.memory.applySample(sample);
            }
        }
        panel.setOverTime(true);
        QCOMPARE(bench.shoot(panel, QStringLiteral("memory-over-time"), {436, 190}), QStringList());
        QVERIFY(panel.plot()->toCsv().contains(QStringLiteral("r0")));
    }
    void saysWhichRankIsOverItsBudget() {
        Bench bench;
        MemoryPanel panel(bench.context);
        protocol::Snapshot snapshot = smollmServing();
        snapshot.memory[4].used.total = snapshot.memory[4].budget + 1;
        bench.models.applySnapshot(snapshot);
        Bench::settle(panel, {436, 220});
        const auto* strip = panel.findChild<widgets::MessageStrip*>();
        QVERIFY(strip->isVisible());
        QVERIFY(strip->sentence().startsWith(QStringLiteral("Rank 4 holds 512 MiB")));
    }
};

std::unique_ptr<QObject> memoryPanelTest() {
    return std::make_unique<MemoryPanelTest>();
}

}  // namespace fl::test

#include "memory_panel_test.moc"
