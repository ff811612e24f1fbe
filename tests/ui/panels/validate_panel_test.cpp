// SPDX-License-Identifier: GPL-3.0-or-later
// Covers: ui/panels/validate/
#include "ui/panels/validate/validate_panel.h"

#include <QComboBox>
#include <QSignalSpy>
#include <QTest>

#include "tests/ui/panels/bench.h"
#include "tests/ui/panels/tests.h"
#include "tests/ui/support/recorded.h"
#include "ui/widgets/message_strip.h"

namespace fl::test {

using panels::ValidatePanel;

class ValidatePanelTest : public QObject {
    Q_OBJECT

private slots:
    void teachesWhileEmpty() {
        Bench bench;
        ValidatePanel panel(bench.context);
        bench.models.applySnapshot(smollmServing());
        QCOMPARE(bench.shoot(panel, QStringLiteral("validate-empty"), {874, 424}), QStringList());
    }
    void namesTheFirstDivergence() {
        Bench bench;
        ValidatePanel panel(bench.context);
        QSignalSpy badge(&panel, &panels::Panel::badgeChanged);
        bench.models.applySnapshot(kimiLoading());
        bench.models.validation.apply(parted());
        QCOMPARE(bench.shoot(panel, QStringLiteral("validate-parted"), {874, 424}), QStringList());
        const auto* strip = panel.findChild<widgets::MessageStrip*>();
        QVERIFY(strip->isVisible());
        QVERIFY(strip->sentence().contains(QStringLiteral("layer 34, MLP, rank 21")));
        QCOMPARE(badge.last().first().toInt(), 1);
        emit panel.findChild<QComboBox*>()->activated(0);
        QVERIFY(strip->sentence().startsWith(QStringLiteral("This case agrees")));
    }
    void keepsLongNamesInTheirPlace() {
        Bench bench;
        ValidatePanel panel(bench.context);
        bench.models.applySnapshot(kimiLoading());
        protocol::ValidateReply reply = parted();
        for (protocol::CaseResult& one : reply.cases)
            one.name = std::string(150, 'c') + one.name;
        bench.models.validation.apply(reply);
        QCOMPARE(bench.shoot(panel, QStringLiteral("validate-long-names"), {874, 424}),
                 QStringList());
        QVERIFY(panel.width() <= 874);
    }
    void saysWhyItCannotRun() {
        Bench bench;
        ValidatePanel panel(bench.context);
        bench.models.applySnapshot(smollmPlanned());
        Bench::settle(panel, {874, 424});
        panel.run();
        QCOMPARE(panel.findChild<widgets::MessageStrip*>()->sentence(),
                 QStringLiteral("Waits for Load"));
    }
};

std::unique_ptr<QObject> validatePanelTest() {
    return std::make_unique<ValidatePanelTest>();
}

}  // namespace fl::test

#include "validate_panel_test.moc"
