// SPDX-License-Identifier: GPL-3.0-or-later
// The colours of both themes are there, readable, and follow the choice.
#include "ui/widgets/theme.h"

#include <algorithm>
#include <cmath>

#include <QApplication>
#include <QEvent>
#include <QFontInfo>
#include <QSignalSpy>
#include <QTest>
#include <QWindow>

#include "ui/widgets/theme_style.h"

using namespace fl::widgets;

namespace {

double channel(double value) {
    return value <= 0.03928 ? value / 12.92 : std::pow((value + 0.055) / 1.055, 2.4);
}

double luminance(const QColor& color) {
    return 0.2126 * channel(color.redF()) + 0.7152 * channel(color.greenF()) +
           0.0722 * channel(color.blueF());
}

// WCAG 2, "contrast ratio".
double contrast(const QColor& a, const QColor& b) {
    const double x = luminance(a) + 0.05;
    const double y = luminance(b) + 0.05;
    return std::max(x, y) / std::min(x, y);
}

}  // namespace

class ThemeTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void readsEveryToken();
    void keepsTextReadable();
    void followsTheDesktopUntilChosen();
    void followsTheDesktopWhileItRuns();
    void interpolatesMaps();
    void takesFixedSeriesForLedgers();
    void scalesForPresenters();
    void findsItsFonts();
};

void ThemeTest::readsEveryToken() {
    Theme theme;
    for (const ThemeChoice choice : {ThemeChoice::Dark, ThemeChoice::Light}) {
        theme.setChoice(choice);
        for (int i = 0; i < kTokenCount; ++i) {
            QVERIFY2(theme.color(static_cast<Token>(i)).isValid(),
                     qPrintable(Theme::tokenName(static_cast<Token>(i))));
        }
        QCOMPARE(theme.series(9), theme.series(1));
        QCOMPARE(theme.series(0), theme.color(Token::Link));
    }
}

void ThemeTest::keepsTextReadable() {
    Theme theme;
    for (const ThemeChoice choice : {ThemeChoice::Dark, ThemeChoice::Light}) {
        theme.setChoice(choice);
        for (const Token text : {Token::T1, Token::T2, Token::T3, Token::Accent, Token::Ok,
                                 Token::Warn, Token::Err, Token::Stale}) {
            for (const Token ground : {Token::Bg1, Token::Bg2, Token::Bg3, Token::AccentBg}) {
                QVERIFY2(contrast(theme.color(text), theme.color(ground)) >= 4.5,
                         qPrintable(Theme::tokenName(text) + " on " + Theme::tokenName(ground)));
            }
        }
        for (int n = 1; n <= 8; ++n) {
            QVERIFY(contrast(theme.series(n), theme.color(Token::Bg1)) >= 3.45);
        }
    }
}

void ThemeTest::followsTheDesktopUntilChosen() {
    Theme theme;
    QVERIFY(theme.isDark());
    QSignalSpy changed(&theme, &Theme::changed);
    theme.setDesktopDark(false);
    QVERIFY(!theme.isDark());
    theme.setChoice(ThemeChoice::Dark);
    QVERIFY(theme.isDark());
    theme.setDesktopDark(false);
    QVERIFY(theme.isDark());
    QCOMPARE(changed.count(), 2);
}

void ThemeTest::followsTheDesktopWhileItRuns() {
    Theme theme;
    bool dark = false;
    followDesktop(*qApp, theme, [&dark] { return dark; });
    QVERIFY(!theme.isDark());
    QWindow window;
    const auto change = [&](bool toDark) {
        dark = toDark;
        QEvent event(QEvent::ThemeChange);
        QCoreApplication::sendEvent(&window, &event);
    };
    change(true);
    QVERIFY(theme.isDark());
    theme.setChoice(ThemeChoice::Dark);
    change(false);
    QVERIFY(theme.isDark());
    theme.setChoice(ThemeChoice::Desktop);
    QVERIFY(!theme.isDark());
}

void ThemeTest::interpolatesMaps() {
    Theme theme;
    theme.setChoice(ThemeChoice::Dark);
    double last = 0;
    for (int i = 0; i <= 20; ++i) {
        const double now = luminance(theme.sequential(i / 20.0));
        QVERIFY(now >= last);
        last = now;
    }
    QCOMPARE(theme.sequential(7.0), theme.sequential(1.0));
    QCOMPARE(theme.sequential(std::nan("")), theme.sequential(0));
}

void ThemeTest::takesFixedSeriesForLedgers() {
    QCOMPARE(Theme::ledgerSeries(LedgerPart::Weights), 1);
    QCOMPARE(Theme::ledgerSeries(LedgerPart::Scales), 7);
    QCOMPARE(Theme::ledgerSeries(LedgerPart::Kv), 3);
    QCOMPARE(Theme::ledgerSeries(LedgerPart::Staging), 6);
}

void ThemeTest::scalesForPresenters() {
    Theme theme;
    const int usual = theme.font(TextRole::Base).pixelSize();
    theme.setScale(1.25);
    QCOMPARE(theme.font(TextRole::Base).pixelSize(), int(std::lround(usual * 1.25)));
    QCOMPARE(theme.px(28), 35);
}

void ThemeTest::findsItsFonts() {
    Theme theme;
    const QFont mono = theme.font(TextRole::Mono);
    QVERIFY(mono.styleStrategy() & QFont::PreferNoShaping);
    const QFontMetrics digits(theme.font(TextRole::Small));
    for (char digit = '0'; digit <= '9'; ++digit) {
        QCOMPARE(digits.horizontalAdvance(QLatin1Char(digit)), digits.horizontalAdvance('0'));
    }
}

QTEST_MAIN(ThemeTest)
#include "theme_test.moc"
