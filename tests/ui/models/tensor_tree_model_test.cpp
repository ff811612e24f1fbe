// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/tensor_tree_model.h"

#include <QAbstractItemModelTester>
#include <QSignalSpy>
#include <QTest>

#include "tests/ui/models/tests.h"
#include "tests/ui/support/tensor_tables.h"

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

static bool searched(TensorTreeModel& model, const QString& words) {
    QSignalSpy answers(&model, &TensorTreeModel::searched);
    model.search(words);
    return answers.wait();
}

class TensorTreeModelTest : public QObject {
    Q_OBJECT

private slots:
    void foldsEqualLayers() {
        TensorTreeModel model;
        const QAbstractItemModelTester tester(
            &model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        model.setTable(tableOf(smollmTensors()));
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
        model.setTable(tableOf(kimiTensors()));
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
    // The first row of each layer is the first of its first expert, too.
    void foldsLayersThatBeginWithTheirExperts() {
        std::vector<protocol::TensorRow> rows;
        for (int layer = 0; layer < 3; ++layer) {
            for (int expert = 0; expert < 4; ++expert) {
                protocol::TensorRow row;
                row.name = "layers." + std::to_string(layer) + ".experts." +
                           std::to_string(expert) + ".up";
                row.kind = "expert";
                rows.push_back(row);
            }
            protocol::TensorRow row;
            row.name = "layers." + std::to_string(layer) + ".norm";
            rows.push_back(row);
        }
        TensorTreeModel model;
        model.setTable(tableOf(rows));
        const QModelIndex all = model.index(0, 0, model.index(0, 0));
        QCOMPARE(all.data().toString(), QStringLiteral("0–2"));
        const QModelIndex first = model.index(0, 0, all);
        QCOMPARE(first.data().toString(), QStringLiteral("0"));
        const QModelIndex experts = model.index(0, 0, first);
        QCOMPARE(experts.data().toString(), QStringLiteral("experts"));
        QCOMPARE(model.index(0, 0, experts).data().toString(), QStringLiteral("0–3"));
    }
    void pullsTheLayerWithHitsOut() {
        TensorTreeModel model;
        model.setTable(tableOf(kimiTensors()));
        QVERIFY(searched(model, QStringLiteral("layers.34. experts.251.")));
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
    void showsTheTensorsOfAContractStateAlone() {
        TensorTreeModel model;
        const QAbstractItemModelTester tester(
            &model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        std::vector<protocol::TensorRow> rows = smollmTensors();
        rows[40].contract = "missing";
        model.setTable(tableOf(rows));
        QSignalSpy shown(&model, &TensorTreeModel::searched);
        model.showContract(QStringLiteral("missing"));
        QVERIFY(shown.wait());
        QCOMPARE(model.contractState(), QStringLiteral("missing"));
        QCOMPARE(model.table().size(), std::size_t(1));
        const QModelIndex only = model.find(QString::fromStdString(rows[40].name));
        QVERIFY(only.isValid());
        QCOMPARE(only.data(TensorTreeModel::ContractRole).toString(), QStringLiteral("missing"));
        QVERIFY(!model.find(QString::fromStdString(rows[41].name)).isValid());
        QVERIFY(searched(model, QStringLiteral("weight")));
        QCOMPARE(model.hitCount(), 1);
        model.showContract({});
        QVERIFY(shown.wait());
        QCOMPARE(model.table().size(), rows.size());
    }
    void answersTheLastOfManyQuestions() {
        TensorTreeModel model;
        model.setTable(tableOf(kimiTensors()));
        QSignalSpy answers(&model, &TensorTreeModel::searched);
        for (const char* word : {"3", "34", "34 2", "34 25", "34 251"})
            model.search(QString::fromLatin1(word));
        QTRY_COMPARE(answers.count(), 1);
        QCOMPARE(model.hitCount(), 9);
        QCOMPARE(model.words().size(), std::size_t(2));
    }
    void keepsTheWordsForTheNextTable() {
        TensorTreeModel model;
        QVERIFY(searched(model, QStringLiteral("ffn_up")));
        QCOMPARE(model.hitCount(), 0);
        QSignalSpy answers(&model, &TensorTreeModel::searched);
        model.setTable(tableOf(smollmTensors()));
        QVERIFY(answers.wait());
        QCOMPARE(model.hitCount(), 30);
    }
    void findsATensorByItsName() {
        TensorTreeModel model;
        model.setTable(tableOf(smollmTensors()));
        const QModelIndex found = model.find(QStringLiteral("blk.12.ffn_up.weight"));
        QVERIFY(found.isValid());
        QCOMPARE(found.siblingAtColumn(TensorTreeModel::ShapeColumn).data().toString(),
                 QStringLiteral("1,536 × 576"));
        QVERIFY(!model.find(QStringLiteral("blk.12")).isValid());
        model.reset();
        QCOMPARE(model.rowCount(), 0);
    }
    void reachesAnyOfTwoHundredThousandTensors() {
        TensorTreeModel model;
        model.setTable(tableOf(kimiTensors()));
        QVERIFY(model.table().size() > 200000);
        QVERIFY(searched(model, QStringLiteral("34 251")));
        QVERIFY(model.hit(0).isValid());
        QCOMPARE(model.table().bytesOf(0, model.table().size()), kimiCensus().tensorBytes);
    }
};

std::unique_ptr<QObject> tensorTreeModelTest() {
    return std::make_unique<TensorTreeModelTest>();
}

}  // namespace fl::test

#include "tensor_tree_model_test.moc"
