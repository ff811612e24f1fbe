// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/metric_series.h"

#include <QTest>

#include "tests/ui/models/tests.h"

namespace fl::test {

using namespace fl::models;  // NOLINT: the folder under test

class MetricSeriesTest : public QObject {
    Q_OBJECT

private slots:
    void dropsTheOldestWhenFull() {
        MetricSeries series(3);
        for (int i = 0; i < 5; ++i)
            series.append(i, 10 * i);
        QCOMPARE(series.size(), std::size_t(3));
        QCOMPARE(series.at(0).time, 2.0);
        QCOMPARE(series.last().value, 40.0);
        series.clear();
        QVERIFY(series.empty());
    }
    void givesPercentilesByNearestRank() {
        MetricSeries series;
        for (int i = 1; i <= 100; ++i)
            series.append(i, i);
        QCOMPARE(series.percentile(0.5, 0), 50.0);
        QCOMPARE(series.percentile(0.99, 0), 99.0);
        QCOMPARE(series.percentile(1, 0), 100.0);
        QCOMPARE(series.percentile(0.5, 91), 95.0);
        QCOMPARE(series.percentile(0.5, 1000), 0.0);
        QCOMPARE(series.largest(0), 100.0);
    }
    void neverLetsTimeRunBack() {
        MetricSeries series;
        series.append(10, 1);
        series.append(9, 2);
        QCOMPARE(series.at(1).time, 10.0);
    }
    void keepsASpikeAtEveryZoom() {
        MetricSeries series;
        for (int i = 0; i < 10000; ++i)
            series.append(i, i == 5432 ? 900 : 1);
        const auto points = series.decimated(0, 10000, 50);
        QVERIFY(points.size() <= 100);
        double most = 0;
        for (std::size_t i = 0; i < points.size(); ++i) {
            most = std::max(most, points[i].value);
            QVERIFY(i == 0 || points[i].time >= points[i - 1].time);
        }
        QCOMPARE(most, 900.0);
    }
    void givesFewPointsAsTheyAre() {
        MetricSeries series;
        for (int i = 0; i < 10; ++i)
            series.append(i, i);
        QCOMPARE(series.decimated(2, 5, 50).size(), std::size_t(4));
    }
};

std::unique_ptr<QObject> metricSeriesTest() {
    return std::make_unique<MetricSeriesTest>();
}

}  // namespace fl::test

#include "metric_series_test.moc"
