// SPDX-License-Identifier: GPL-3.0-or-later
// Renders every widget in both themes onto one picture, and holds the sheet to what all widgets
// must keep: accessible names, no cut text.
// Covers: ui/widgets/
#include "tests/ui/widgets/gallery.h"

#include <memory>

#include <QApplication>
#include <QLayout>
#include <QPainter>
#include <QTest>

#include "tests/ui/support/screenshot.h"
#include "tests/ui/support/window_checks.h"
#include "ui/widgets/theme.h"
#include "ui/widgets/theme_style.h"

using namespace fl;

class GalleryTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { widgets::applyTheme(*qApp, theme_); }
    void drawsAllWidgetsInBothThemes();
    void cutsNoText();

private:
    QImage draw(widgets::ThemeChoice choice, const QString& title);
    widgets::Theme theme_;
};

QImage GalleryTest::draw(widgets::ThemeChoice choice, const QString& title) {
    theme_.setChoice(choice);
    const std::unique_ptr<QWidget> sheet(test::makeGallery(theme_, title));
    sheet->show();
    sheet->resize(sheet->width(), sheet->layout()->totalHeightForWidth(sheet->width()));
    QTest::qWait(120);  // charts redraw at most 20 times a second
    return sheet->grab().toImage();
}

void GalleryTest::drawsAllWidgetsInBothThemes() {
    const QImage dark = draw(widgets::ThemeChoice::Dark, "Dark");
    const QImage light = draw(widgets::ThemeChoice::Light, "Light");
    QImage both(dark.width() + light.width(), std::max(dark.height(), light.height()),
                QImage::Format_RGB32);
    both.fill(theme_.color(widgets::Token::Bg1));
    QPainter painter(&both);
    painter.drawImage(0, 0, dark);
    painter.drawImage(dark.width(), 0, light);
    painter.end();
    QVERIFY(both.save(test::screenshotFile("widgets")));
    QVERIFY(dark.pixelColor(2, 2) == QColor(theme_.color(widgets::Token::T1)) ||
            dark.pixelColor(2, 2).lightness() < 40);
    QVERIFY(light.pixelColor(2, 2).lightness() > 240);
}

void GalleryTest::cutsNoText() {
    const std::unique_ptr<QWidget> sheet(test::makeGallery(theme_, "Check"));
    sheet->show();
    sheet->resize(sheet->width(), sheet->layout()->totalHeightForWidth(sheet->width()));
    QCoreApplication::processEvents();
    const QStringList cut = test::cutTexts(*sheet);
    QVERIFY2(cut.isEmpty(), qPrintable(cut.join(QLatin1Char('\n'))));
    QCOMPARE(test::namelessControls(*sheet), QStringList());
}

QTEST_MAIN(GalleryTest)
#include "gallery_test.moc"
