// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/tensor_table.h"

#include <QTest>

#include "tests/ui/models/tests.h"
#include "tests/ui/support/recorded.h"

namespace fl::test {

using namespace fl::models;  // NOLINT: the folder under test

class TensorTableTest : public QObject {
    Q_OBJECT

private slots:
    void sortsPagesAsPeopleCount() {
        TensorTable table;
        const auto rows = smollmTensors();
        const auto middle = rows.begin() + 100;
        table.append({middle, rows.end()});
        table.append({rows.begin(), middle});
        QCOMPARE(table.size(), rows.size());
        const std::size_t second = table.lowerBound("blk.2.");
        QCOMPARE(table.name(second), std::string_view("blk.2.attn_k.weight"));
        QVERIFY(table.lowerBound("blk.10.") > second);
        QCOMPARE(table.bytesOf(0, table.size()), smollmCensus().tensorBytes);
    }
    void givesEqualLayersTheSameSignature() {
        TensorTable table;
        table.append(smollmTensors());
        const std::size_t a = table.lowerBound("blk.3.");
        const std::size_t b = table.lowerBound("blk.4.");
        const std::size_t c = table.lowerBound("blk.5.");
        QCOMPARE(table.signature(a, b, 6), table.signature(b, c, 6));
        QVERIFY(table.signature(a, b, 6) != table.signature(a, b - 1, 6));
    }
    void findsAllWordsInAnyCase() {
        TensorTable table;
        table.append(smollmTensors());
        QCOMPARE(table.matching({"blk.7.", "ffn"}).size(), std::size_t(4));
        QCOMPARE(table.matching({"token_embd"}).size(), std::size_t(1));
        QVERIFY(table.matching({}).empty());
        QVERIFY(table.matching({"expert"}).empty());
        table.clear();
        QCOMPARE(table.size(), std::size_t(0));
    }
};

std::unique_ptr<QObject> tensorTableTest() {
    return std::make_unique<TensorTableTest>();
}

}  // namespace fl::test

#include "tensor_table_test.moc"
