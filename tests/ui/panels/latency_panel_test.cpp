// SPDX-License-Identifier: GPL-3.0-or-later
// Covers: ui/panels/latency/
#include "ui/panels/latency/latency_panel.h"

#include <QTemporaryDir>
#include <QTest>

#include "tests/ui/panels/bench.h"
#include "tests/ui/panels/tests.h"
#include "tests/ui/support/recorded.h"

namespace fl::test {

using panels::LatencyPanel;
using Measure = models::LatencyModel::Measure;

class LatencyPanelTest : public QObject {
    Q_OBJECT

private slots:
    void teachesWhileEmpty() {
        Bench bench;
        LatencyPanel panel(bench.context);
        QCOMPARE(bench.shoot(panel, QStringLiteral("latency-empty"), {436, 190}), QStringList());
    }
    void drawsStepsWithTheirPercentiles() {
        Bench bench;
        LatencyPanel panel(bench.context);
        panel.setClock([] { return kRecordedNow; });
        bench.models.applySnapshot(smollmServing());
        bench.models.latency.mark(kRecordedNow - 58, QStringLiteral("Load"));
        QCOMPARE(bench.shoot(panel, QStringLiteral("latency"), {436, 190}), QStringList());
        QVERIFY(panel.subject().startsWith(QStringLiteral("ms, p50 3")));
        const QTemporaryDir folder;
        QVERIFY(panel.saveCsv(folder.filePath(QStringLiteral("l.csv"))));
        QVERIFY(!panel.saveCsv(folder.filePath(QStringLiteral("none/l.csv"))));
    }
    void drawsFirstTokensAsPoints() {
        Bench bench;
        LatencyPanel panel(bench.context);
        panel.setClock([] { return kRecordedNow; });
        bench.models.applySnapshot(smollmServing());
        for (int i = 0; i < 12; ++i) {
            protocol::ChatDone done;
            done.timing.ttft = 0.18 + 0.01 * (i * 7 % 5);
            bench.models.latency.applyDone(done, kRecordedNow - 100 + 8 * i);
        }
        panel.setMeasure(Measure::FirstToken);
        QCOMPARE(bench.shoot(panel, QStringLiteral("latency-ttft"), {436, 190}), QStringList());
        QCOMPARE(panel.measure(), Measure::FirstToken);
        panel.setSpan(0);
        QVERIFY(panel.subject().contains(QStringLiteral("p99 220.0")));
    }
};

std::unique_ptr<QObject> latencyPanelTest() {
    return std::make_unique<LatencyPanelTest>();
}

}  // namespace fl::test

#include "latency_panel_test.moc"
