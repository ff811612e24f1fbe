// SPDX-License-Identifier: GPL-3.0-or-later
// Covers: ui/panels/log/
#include "ui/panels/log/log_panel.h"

#include <QComboBox>
#include <QLineEdit>
#include <QListView>
#include <QScrollBar>
#include <QTest>

#include "tests/ui/panels/bench.h"
#include "tests/ui/panels/tests.h"
#include "tests/ui/support/recorded.h"

namespace fl::test {

using panels::LogPanel;

class LogPanelTest : public QObject {
    Q_OBJECT

private slots:
    void teachesWhileEmpty() {
        Bench bench;
        LogPanel panel(bench.context);
        QCOMPARE(bench.shoot(panel, QStringLiteral("log-empty"), {436, 200}), QStringList());
    }
    void showsLinesOfAllRanks() {
        Bench bench;
        LogPanel panel(bench.context);
        bench.models.applySnapshot(kimiLoading());
        QCOMPARE(bench.shoot(panel, QStringLiteral("log"), {436, 200}), QStringList());
        QCOMPARE(panel.shown().rowCount(), 8);
    }
    void pinsTheFirstErrorAndFiltersByRank() {
        Bench bench;
        LogPanel panel(bench.context);
        bench.models.applySnapshot(kimiFailed());
        Bench::settle(panel, {436, 222});
        panel.reveal(QStringLiteral("rank 13"));
        QCOMPARE(bench.shoot(panel, QStringLiteral("log-failed"), {436, 222}), QStringList());
        QCOMPARE(panel.shown().rowCount(), 5);
        QCOMPARE(panel.shown().firstError(), 3);
        auto* words = panel.findChild<QLineEdit*>();
        words->setText(QStringLiteral("nothing like this"));
        QCOMPARE(panel.shown().rowCount(), 0);
        QCOMPARE(bench.shoot(panel, QStringLiteral("log-hidden"), {436, 222}), QStringList());
    }
    void followsTheEndUntilScrolledUp() {
        Bench bench;
        LogPanel panel(bench.context);
        for (int i = 0; i < 500; ++i)
            bench.models.log.append({double(i), 0, "info", "load", "line " + std::to_string(i)});
        Bench::settle(panel, {436, 200});
        auto* list = panel.findChild<QListView*>();
        QCOMPARE(list->verticalScrollBar()->value(), list->verticalScrollBar()->maximum());
        list->verticalScrollBar()->triggerAction(QAbstractSlider::SliderPageStepSub);
        QVERIFY(!panel.isFollowing());
        const int before = list->verticalScrollBar()->value();
        bench.models.log.append({501, 0, "info", "load", "later"});
        Bench::settle(panel, {436, 200});
        QCOMPARE(list->verticalScrollBar()->value(), before);
        list->verticalScrollBar()->triggerAction(QAbstractSlider::SliderToMaximum);
        QVERIFY(panel.isFollowing());
    }
};

std::unique_ptr<QObject> logPanelTest() {
    return std::make_unique<LogPanelTest>();
}

}  // namespace fl::test

#include "log_panel_test.moc"
