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
        QVERIFY(model.detail().contains(QStringLiteral("limit 2.0e-02")));
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
            if (index.data(ValidateModel::RungRole) == QStringLiteral("layer.35"))
                verdicts << index.data().toString();
            if (index.data(ValidateModel::RungRole) == QStringLiteral("logits"))
                verdicts << index.data().toString();
        }
        QCOMPARE(verdicts,
                 QStringList({QStringLiteral("not judged"), QStringLiteral("≤ 2.0e-02")}));
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
