// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/validate_model.h"

#include <QAbstractItemModelTester>
#include <QTest>

#include "tests/ui/models/tests.h"
#include "tests/ui/support/recorded.h"

namespace fl::test {

using models::ValidateModel;

class ValidateModelTest : public QObject {
    Q_OBJECT

private slots:
    void choosesTheCaseThatParts() {
        ValidateModel model;
        QAbstractItemModelTester tester(&model);
        QVERIFY(model.empty());
        model.apply(parted());
        QCOMPARE(model.chosen(), 1);
        QCOMPARE(model.failedCases(), 1);
        QCOMPARE(model.sentence(), QStringLiteral("First divergence: layer 34, MLP, rank 21"));
        QVERIFY(model.detail().contains(QStringLiteral("limit 2.0e-2")));
        QCOMPARE(model.firstBadLayer(), 34);
        model.choose(0);
        QVERIFY(model.sentence().startsWith(QStringLiteral("This case agrees")));
        model.reset();
        QVERIFY(model.empty());
    }
    void judgesNothingBehindTheFirstFailure() {
        ValidateModel model;
        model.apply(parted());
        QStringList verdicts;
        for (int row = 0; row < model.rowCount(); ++row) {
            const QModelIndex index = model.index(row, ValidateModel::LimitColumn);
            if (index.data(ValidateModel::RungRole) == QStringLiteral("layer.35.attn"))
                verdicts << index.data().toString();
            if (index.data(ValidateModel::RungRole) == QStringLiteral("logits"))
                verdicts << index.data().toString();
        }
        QCOMPARE(verdicts, QStringList({QStringLiteral("not judged"), QStringLiteral("≤ 2.0e-2")}));
    }
    // Around the first failure each rung has its row; what agrees and what follows are folded.
    void foldsEqualLayers() {
        ValidateModel model;
        model.apply(parted());
        QStringList names;
        for (int row = 0; row < model.rowCount(); ++row)
            names << model.index(row, ValidateModel::NameColumn).data().toString();
        QCOMPARE(names, QStringList({"Template", "Prompt to ids", "Embeddings", "Layers 0–33",
                                     "Layer 34, token mixer", "Layer 34, MLP", "Layer 34",
                                     "Layers 35–60", "Final norm", "Logits"}));
        QCOMPARE(model.firstFailedRow(), 5);
        QVERIFY(model.index(5, 0).data(ValidateModel::FirstFailureRole).toBool());
        QVERIFY(!model.index(9, 0).data(ValidateModel::FirstFailureRole).toBool());
        model.choose(0);
        QCOMPARE(model.firstFailedRow(), -1);
        QCOMPARE(model.index(3, 0).data().toString(), QStringLiteral("Layers 0–60"));
    }
    void writesErrorsShort() {
        QCOMPARE(ValidateModel::errorText(6e-3), QStringLiteral("6.0e-3"));
        QCOMPARE(ValidateModel::errorText(1.5e-12), QStringLiteral("1.5e-12"));
        QCOMPARE(ValidateModel::errorText(0.31), QStringLiteral("3.1e-1"));
        QCOMPARE(ValidateModel::errorText(2), QStringLiteral("2.0e0"));
        QCOMPARE(ValidateModel::errorText(0), QStringLiteral("0"));
    }
    void gathersLayers() {
        ValidateModel model;
        model.apply(parted());
        const auto layers = model.layers(false);
        QCOMPARE(layers.size(), std::size_t(61));
        QVERIFY(layers[34].mlp > model.tolerance());
        QVERIFY(layers[33].mlp < model.tolerance());
        QVERIFY(model.layers(true)[34].mlp > layers[34].mlp);
    }
    void namesRungs() {
        QCOMPARE(ValidateModel::rungText(QStringLiteral("layer.3.attn")),
                 QStringLiteral("Layer 3, token mixer"));
        QCOMPARE(ValidateModel::rungText(QStringLiteral("vision.3")), QStringLiteral("vision.3"));
    }
};

std::unique_ptr<QObject> validateModelTest() {
    return std::make_unique<ValidateModelTest>();
}

}  // namespace fl::test

#include "validate_model_test.moc"
