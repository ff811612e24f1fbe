// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/ui/panels/bench.h"

#include <QApplication>
#include <QTest>

#include "tests/ui/support/screenshot.h"
#include "tests/ui/support/window_checks.h"
#include "ui/widgets/theme_style.h"

namespace fl::test {

Bench::Bench() {
    theme.setChoice(widgets::ThemeChoice::Dark);
    widgets::applyTheme(*qApp, theme);
}

QStringList Bench::settle(QWidget& widget, QSize size) {
    widget.resize(size);
    widget.show();
    // Panels redraw 50 ms after a change and charts 50 ms after that; what is due once these have
    // passed is done by one more round, however busy the machine is.
    for (int round = 0; round < 2; ++round) {
        QTest::qWait(60);
        QCoreApplication::processEvents();
    }
    const QStringList wrong = cutTexts(widget) + namelessControls(widget);
    for (const QString& line : wrong)
        qWarning("%s", qUtf8Printable(line));
    return wrong;
}

QStringList Bench::shoot(QWidget& widget,
                         const QString& name,
                         QSize size,
                         const std::function<void()>& prepare) {
    QStringList wrong;
    for (const bool dark : {true, false}) {
        theme.setChoice(dark ? widgets::ThemeChoice::Dark : widgets::ThemeChoice::Light);
        if (prepare)
            prepare();
        wrong << settle(widget, size);
        saveScreenshot(widget, name + (dark ? QStringLiteral("-dark") : QStringLiteral("-light")));
    }
    return wrong;
}

}  // namespace fl::test
