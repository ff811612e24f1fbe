// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/latency_model.h"

#include <QTest>

#include "tests/ui/models/tests.h"

namespace fl::test {

using namespace fl::models;  // NOLINT: the folder under test

using Measure = LatencyModel::Measure;

static protocol::StepSample step(double time, int decode) {
    protocol::StepSample value;
    value.time = time;
    value.seconds = 0.02;
    value.decodeTokens = decode;
    value.running = 1;
    value.pages = 64;
    return value;
}

class LatencyModelTest : public QObject {
    Q_OBJECT

private slots:
    void seesTheGapBetweenStepsThatDecode() {
        LatencyModel model;
        QVERIFY(model.empty());
        model.applyStep(step(1.00, 1));
        model.applyStep(step(1.03, 1));
        QCOMPARE(model.series(Measure::InterToken).size(), std::size_t(2));
        QVERIFY(qAbs(model.series(Measure::InterToken).last().value - 0.03) < 1e-9);
        QCOMPARE(model.series(Measure::Step).last().value, 0.02);
    }
    void doesNotCountAPauseAsLatency() {
        LatencyModel model;
        model.applyStep(step(1, 1));
        model.applyStep(step(60, 1));
        QCOMPARE(model.series(Measure::InterToken).last().value, 0.02);
        model.applyStep(step(61, 0));
        QCOMPARE(model.series(Measure::InterToken).size(), std::size_t(2));
    }
    void measuresTokensPerSecond() {
        LatencyModel model;
        QCOMPARE(model.tokensPerSecond(), 0.0);
        for (int i = 0; i <= 40; ++i)
            model.applyStep(step(100 + i * 0.05, 2));
        QVERIFY(qAbs(model.tokensPerSecond() - 40) < 1e-6);
    }
    void keepsFirstTokensAndMarkers() {
        LatencyModel model;
        protocol::ChatDone done;
        model.applyDone(done, 5);
        QVERIFY(model.series(Measure::FirstToken).empty());
        done.timing.ttft = 0.31;
        model.applyDone(done, 5);
        QCOMPARE(model.series(Measure::FirstToken).last().value, 0.31);
        model.mark(4, QStringLiteral("Load"));
        QCOMPARE(model.markers().size(), std::size_t(1));
        model.reset();
        QVERIFY(model.empty());
        QVERIFY(model.markers().empty());
    }
};

std::unique_ptr<QObject> latencyModelTest() {
    return std::make_unique<LatencyModelTest>();
}

}  // namespace fl::test

#include "latency_model_test.moc"
