// SPDX-License-Identifier: GPL-3.0-or-later
// Covers: ui/models/background.h
#include "ui/models/tensor_loader.h"

#include <QSignalSpy>
#include <QTest>

#include "tests/ui/models/tests.h"
#include "tests/ui/support/recorded.h"

namespace fl::test {

using namespace fl::models;  // NOLINT: the folder under test

class TensorLoaderTest : public QObject {
    Q_OBJECT

private slots:
    void makesATableOfPages() {
        TensorLoader loader;
        std::shared_ptr<const TensorTable> made;
        connect(&loader, &TensorLoader::ready, this, [&made](const auto& table) { made = table; });
        const int number = loader.begin();
        QVERIFY(loader.loading());
        for (const protocol::TensorColumns& page : columnsOf(smollmTensors(), 50))
            loader.add(number, page);
        QCOMPARE(loader.received(), loader.total());
        QTRY_VERIFY(made);
        QVERIFY(!loader.loading());
        QCOMPARE(made->size(), smollmTensors().size());
    }
    void forgetsPagesOfAnOlderList() {
        TensorLoader loader;
        std::vector<std::size_t> sizes;
        connect(&loader, &TensorLoader::ready, this,
                [&sizes](const auto& table) { sizes.push_back(table->size()); });
        const auto pages = columnsOf(smollmTensors(), 200);
        const int first = loader.begin();
        loader.add(first, pages[0]);
        const int second = loader.begin();
        loader.add(first, pages[1]);
        for (const protocol::TensorColumns& page : pages)
            loader.add(second, page);
        QTRY_COMPARE(sizes.size(), std::size_t(1));
        QCOMPARE(sizes[0], smollmTensors().size());
    }
    void saysWhyThereIsNoTable() {
        TensorLoader loader;
        QSignalSpy failed(&loader, &TensorLoader::failed);
        const auto pages = columnsOf(smollmTensors(), 100);
        const int number = loader.begin();
        loader.add(number, pages[1]);
        loader.add(number, pages[0]);
        QTRY_COMPARE(failed.count(), 1);
        QVERIFY(!loader.loading());
        loader.fail(loader.begin(), QStringLiteral("gone"));
        QCOMPARE(failed.count(), 2);
        QCOMPARE(failed.last().first().toString(), QStringLiteral("gone"));
        loader.begin();
        loader.cancel();
        QVERIFY(!loader.loading());
    }
    void endsWithWorkOnItsWay() {
        const auto pages = columnsOf(smollmTensors(), 10);
        TensorLoader loader;
        const int number = loader.begin();
        for (const protocol::TensorColumns& page : pages)
            loader.add(number, page);
    }
};

std::unique_ptr<QObject> tensorLoaderTest() {
    return std::make_unique<TensorLoaderTest>();
}

}  // namespace fl::test

#include "tensor_loader_test.moc"
