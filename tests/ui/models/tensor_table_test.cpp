// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/tensor_table.h"

#include <algorithm>

#include <QTest>

#include "engine/base/text.h"
#include "tests/ui/models/tests.h"
#include "tests/ui/support/tensor_tables.h"

namespace fl::test {

using namespace fl::models;  // NOLINT: the folder under test

class TensorTableTest : public QObject {
    Q_OBJECT

private slots:
    void keepsPagesInTheirOrder() {
        const auto rows = smollmTensors();
        TensorTable table;
        for (const protocol::TensorColumns& page : columnsOf(rows, 100))
            QVERIFY(table.append(page));
        table.finish();
        QCOMPARE(table.size(), rows.size());
        const std::size_t second = table.lowerBound("blk.2.");
        QCOMPARE(table.name(second), std::string_view("blk.2.attn_k.weight"));
        QVERIFY(table.lowerBound("blk.10.") > second);
        QCOMPARE(table.bytesOf(0, table.size()), smollmCensus().tensorBytes);
        for (const protocol::TensorRow& row : rows) {
            const std::size_t at = table.lowerBound(row.name);
            QCOMPARE(table.name(at), std::string_view(row.name));
            QCOMPARE(table.dtype(at), row.dtype);
            QCOMPARE(table.shape(at), row.shape);
            QCOMPARE(table.bytes(at), row.bytes);
            QCOMPARE(table.kind(at), row.kind);
            QCOMPARE(table.contract(at), row.contract);
            QCOMPARE(table.shard(at), row.shard);
        }
    }
    void refusesPagesOutOfOrder() {
        const auto pages = columnsOf(smollmTensors(), 100);
        TensorTable table;
        QVERIFY(table.append(pages[1]));
        const Status status = table.append(pages[0]);
        QVERIFY(!status);
        QVERIFY(status.error().message.find("out of order") != std::string::npos);
        protocol::TensorColumns broken = pages[0];
        broken.records[3] = '!';
        QVERIFY(!TensorTable().append(broken));
    }
    // What ranges answer against a walk over their rows.
    void answersForRangesAsAWalkWould() {
        const auto table = tableOf(kimiTensors());
        const std::size_t size = table->size();
        for (std::size_t at = 0; at < size; at += 9973) {
            for (const std::size_t length : {std::size_t(1), std::size_t(12), std::size_t(7000)}) {
                const std::size_t end = std::min(size, at + length);
                bool one = true;
                bool expert = false;
                int least = table->shard(at);
                int most = least;
                for (std::size_t row = at; row < end; ++row) {
                    one = one && table->dtype(row) == table->dtype(at);
                    expert = expert || table->kind(row) == "routed_experts";
                    least = std::min(least, table->shard(row));
                    most = std::max(most, table->shard(row));
                }
                QCOMPARE(table->isOneDtype(at, end), one);
                QCOMPARE(table->hasExperts(at, end), expert);
                QCOMPARE(table->shardsOf(at, end), std::pair(least, most));
            }
        }
    }
    void findsTheEndOfAPrefix() {
        const auto table = tableOf(smollmTensors());
        const std::size_t begin = table->lowerBound("blk.2.");
        QCOMPARE(table->endOfPrefix(begin, table->size(), 6), table->lowerBound("blk.3."));
        QCOMPARE(table->endOfPrefix(begin, table->size(), 4), table->lowerBound("output"));
        QCOMPARE(table->endOfPrefix(begin, begin + 3, 6), begin + 3);
        QCOMPARE(table->endOfPrefix(begin, table->size(), 99), begin + 1);
    }
    void givesEqualLayersTheSameSignature() {
        const auto table = tableOf(smollmTensors());
        const std::size_t a = table->lowerBound("blk.3.");
        const std::size_t b = table->lowerBound("blk.4.");
        const std::size_t c = table->lowerBound("blk.5.");
        QCOMPARE(table->signature(a, b, 6), table->signature(b, c, 6));
        QVERIFY(table->signature(a, b, 6) != table->signature(a, b - 1, 6));
    }
    void findsAllWordsInAnyCase() {
        std::vector<protocol::TensorRow> rows = smollmTensors();
        protocol::TensorRow odd;
        odd.name = "blk.7.FFN_Extra";
        rows.push_back(odd);
        const auto table = tableOf(rows);
        QCOMPARE(table->matching({"blk.7.", "ffn"}).size(), std::size_t(5));
        QCOMPARE(table->matching({"token_embd"}).size(), std::size_t(1));
        QVERIFY(table->matching({}).empty());
        QVERIFY(table->matching({"expert"}).empty());
        QVERIFY(std::ranges::is_sorted(table->matching({"weight"})));
    }
    void takesDigitsForWholeNumbers() {
        const auto table = tableOf(smollmTensors());
        for (const std::uint32_t row : table->matching({"2", "attn_k"}))
            QCOMPARE(table->name(row), std::string_view("blk.2.attn_k.weight"));
        QCOMPARE(table->matching({"2", "attn_k"}).size(), std::size_t(1));
        QCOMPARE(table->matching({"blk.2", "attn_k"}).size(), std::size_t(11));
    }
    void searchesAsAPlainWalkWould() {
        const auto table = tableOf(kimiTensors());
        std::vector<std::uint32_t> walked;
        for (std::size_t row = 0; row < table->size(); ++row) {
            const std::string_view name = table->name(row);
            if (name.find("down_proj") != std::string_view::npos &&
                name.find("scale") != std::string_view::npos)
                walked.push_back(std::uint32_t(row));
        }
        QVERIFY(!walked.empty());
        QCOMPARE(table->matching({"scale", "down_proj"}), walked);
    }
    void cutsOutAStateOfTheContract() {
        std::vector<protocol::TensorRow> rows = smollmTensors();
        rows[3].contract = rows[40].contract = "missing";
        const auto table = tableOf(rows);
        const auto missing = table->inState("missing");
        QCOMPARE(missing.size(), std::size_t(2));
        const TensorTable part = table->subset(missing);
        QCOMPARE(part.size(), std::size_t(2));
        QCOMPARE(part.name(0), table->name(missing[0]));
        QCOMPARE(part.bytesOf(0, 2), table->bytes(missing[0]) + table->bytes(missing[1]));
        QCOMPARE(part.matching({"weight"}).size(), std::size_t(2));
        QVERIFY(table->inState("unexpected").empty());
    }
};

std::unique_ptr<QObject> tensorTableTest() {
    return std::make_unique<TensorTableTest>();
}

}  // namespace fl::test

#include "tensor_table_test.moc"
