// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/tensor_tree_model.h"

#include <QAbstractItemModelTester>
#include <QElapsedTimer>
#include <QTest>

#include "tests/ui/models/tests.h"
#include "tests/ui/support/recorded.h"

namespace fl::test {

using namespace fl::models;  // NOLINT: the folder under test

static QModelIndex child(const QAbstractItemModel& model,
                         const QModelIndex& parent,
                         const char* name) {
    for (int row = 0; row < model.rowCount(parent); ++row) {
        const QModelIndex index = model.index(row, 0, parent);
        if (index.data().toString() == QString::fromUtf8(name))
            return index;
    }
    return {};
}

class TensorTreeModelTest : public QObject {
    Q_OBJECT

private slots:
    void foldsEqualLayers() {
        TensorTreeModel model;
        const QAbstractItemModelTester tester(
            &model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        model.append(smollmTensors());
        QCOMPARE(model.rowCount(), 3);
        const QModelIndex blk = child(model, {}, "blk");
        QVERIFY(blk.isValid());
        QCOMPARE(model.rowCount(blk), 1);
        const QModelIndex all = model.index(0, 0, blk);
        QCOMPARE(all.data().toString(), QStringLiteral("0–29"));
        QCOMPARE(all.siblingAtColumn(TensorTreeModel::TensorsColumn).data().toString(),
                 QStringLiteral("270"));
        QCOMPARE(model.rowCount(all), 30);
        QCOMPARE(model.index(2, 0, all).data().toString(), QStringLiteral("2"));
        QCOMPARE(model.rowCount(model.index(2, 0, all)), 9);
    }
    void namesExpertsAndMergesLonelyChildren() {
        TensorTreeModel model;
        model.append(kimiTensors());
        const QModelIndex layers =
            child(model, child(model, child(model, {}, "language_model"), "model"), "layers");
        QVERIFY(layers.isValid());
        QCOMPARE(model.rowCount(layers), 2);
        QCOMPARE(model.index(0, 0, layers).data(TensorTreeModel::NoteRole).toString(),
                 QStringLiteral("dense"));
        const QModelIndex experts = model.index(1, 0, layers);
        QCOMPARE(experts.data().toString(), QStringLiteral("1–60"));
        QCOMPARE(experts.data(TensorTreeModel::NoteRole).toString(), QStringLiteral("experts"));
        QCOMPARE(child(model, {}, "vision_tower.encoder.blocks").isValid(), true);
    }
    void pullsTheLayerWithHitsOut() {
        TensorTreeModel model;
        model.append(kimiTensors());
        model.search(QStringLiteral("layers.34. experts.251."));
        QCOMPARE(model.hitCount(), 9);
        const QModelIndex hit = model.hit(1);
        QVERIFY(hit.isValid());
        QVERIFY(hit.data(TensorTreeModel::HitRole).toBool());
        QCOMPARE(hit.data(TensorTreeModel::PathRole).toString(),
                 QStringLiteral(
                     "language_model.model.layers.34.mlp.experts.251.down_proj.weight_scale"));
        QStringList labels;
        for (QModelIndex up = hit; up.isValid(); up = up.parent())
            labels.prepend(up.data().toString());
        QVERIFY(labels.contains(QStringLiteral("34")));
        QVERIFY(labels.contains(QStringLiteral("251")));
        QVERIFY(!model.hit(9).isValid());
    }
    void findsTheTensorsOfAContractState() {
        TensorTreeModel model;
        std::vector<protocol::TensorRow> rows = smollmTensors();
        rows[40].contract = "missing";
        model.append(rows);
        model.showContract(QStringLiteral("missing"));
        QCOMPARE(model.hitCount(), 1);
        const QModelIndex hit = model.hit(0);
        QCOMPARE(hit.data(TensorTreeModel::PathRole).toString(),
                 QString::fromStdString(rows[40].name));
        QCOMPARE(hit.data(TensorTreeModel::ContractRole).toString(), QStringLiteral("missing"));
    }
    void findsATensorByItsName() {
        TensorTreeModel model;
        model.append(smollmTensors());
        const QModelIndex found = model.find(QStringLiteral("blk.12.ffn_up.weight"));
        QVERIFY(found.isValid());
        QCOMPARE(found.siblingAtColumn(TensorTreeModel::ShapeColumn).data().toString(),
                 QStringLiteral("1,536 × 576"));
        QVERIFY(!model.find(QStringLiteral("blk.12")).isValid());
        model.reset();
        QCOMPARE(model.rowCount(), 0);
    }
    void staysFluidWithTwoHundredThousandTensors() {
        TensorTreeModel model;
        const std::vector<protocol::TensorRow> rows = kimiTensors();
        QVERIFY(rows.size() > 200000);
        const std::size_t page = 10000;
        QElapsedTimer timer;
        timer.start();
        for (std::size_t at = 0; at < rows.size(); at += page)
            model.append(
                {rows.begin() + long(at), rows.begin() + long(std::min(at + page, rows.size()))});
        QVERIFY(model.rowCount() > 0);
        qInfo("census of %zu tensors: %lld ms", rows.size(), timer.restart());
        const QModelIndex hit = (model.search(QStringLiteral("34 251")), model.hit(0));
        QVERIFY(hit.isValid());
        qInfo("search and reach: %lld ms", timer.elapsed());
        QCOMPARE(model.table().bytesOf(0, model.table().size()), kimiCensus().tensorBytes);
    }
};

std::unique_ptr<QObject> tensorTreeModelTest() {
    return std::make_unique<TensorTreeModelTest>();
}

}  // namespace fl::test

#include "tensor_tree_model_test.moc"
