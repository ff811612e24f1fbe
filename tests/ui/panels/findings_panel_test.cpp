// SPDX-License-Identifier: GPL-3.0-or-later
// Covers: ui/panels/findings/
#include "ui/panels/findings/findings_panel.h"

#include <QSignalSpy>
#include <QTest>

#include "tests/ui/panels/bench.h"
#include "tests/ui/panels/tests.h"
#include "tests/ui/support/recorded.h"
#include "ui/panels/findings/finding_row.h"

namespace fl::test {

using panels::FindingsPanel;

class FindingsPanelTest : public QObject {
    Q_OBJECT

private slots:
    void saysThatThereAreNone() {
        Bench bench;
        FindingsPanel panel(bench.context);
        QCOMPARE(bench.shoot(panel, QStringLiteral("findings-empty"), {436, 200}), QStringList());
    }
    void opensTheWorstOne() {
        Bench bench;
        FindingsPanel panel(bench.context);
        QSignalSpy badge(&panel, &panels::Panel::badgeChanged);
        bench.models.applySnapshot(kimiFailed());
        QCOMPARE(bench.shoot(panel, QStringLiteral("findings-failed"), {436, 222}), QStringList());
        QCOMPARE(panel.openRow(), 0);
        QCOMPARE(badge.last().first().toInt(), 3);
    }
    void showsAWarningWithItsRemedy() {
        Bench bench;
        FindingsPanel panel(bench.context);
        bench.models.applySnapshot(kimiLoading());
        QCOMPARE(bench.shoot(panel, QStringLiteral("findings-warning"), {436, 200}), QStringList());
    }
    void writesNamesAsTheyAre() {
        Bench bench;
        FindingsPanel panel(bench.context);
        fl::Finding finding;
        finding.code = "file-unused";
        finding.severity = fl::Severity::Warning;
        finding.message = "weights\n\u202e.bin is not used";
        finding.file = "weights\n\u202e.bin";
        finding.remedy = "remove it";
        bench.models.findings.add(finding);
        Bench::settle(panel, {436, 200});
        const auto* row = panel.findChild<panels::FindingRow*>();
        QVERIFY(row);
        QVERIFY2(row->accessibleDescription().startsWith("weights\\x0a\\u202e.bin"),
                 qPrintable(row->accessibleDescription()));
        QVERIFY2(row->accessibleName().endsWith("weights\\x0a\\u202e.bin is not used"),
                 qPrintable(row->accessibleName()));
    }
    void goesToTheEvidence() {
        Bench bench;
        FindingsPanel panel(bench.context);
        bench.models.applySnapshot(kimiFailed());
        Bench::settle(panel, {436, 222});
        QSignalSpy asked(&panel, &panels::Panel::panelRequested);
        const auto rows = panel.findChildren<panels::FindingRow*>();
        QCOMPARE(rows.size(), 3);
        emit rows[0]->evidenceWanted();
        QCOMPARE(asked.last().at(0).toString(), QStringLiteral("log"));
        QCOMPARE(asked.last().at(1).toString(), QStringLiteral("rank 13"));
        QCOMPARE(bench.models.selection.rank(), 13);
        QTest::mouseClick(rows[2], Qt::LeftButton, {}, QPoint(40, 10));
        QCOMPARE(panel.openRow(), 2);
        QTest::keyClick(rows[2], Qt::Key_Return);
        QCOMPARE(panel.openRow(), -1);
        panel.reveal(QStringLiteral("shm-too-small"));
        QCOMPARE(panel.openRow(), 1);
    }
};

std::unique_ptr<QObject> findingsPanelTest() {
    return std::make_unique<FindingsPanelTest>();
}

}  // namespace fl::test

#include "findings_panel_test.moc"
