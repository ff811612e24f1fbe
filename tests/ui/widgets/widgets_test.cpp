// SPDX-License-Identifier: GPL-3.0-or-later
// Every widget answers keyboard and mouse, says its name to assistive tools, and draws something.
// Covers: ui/widgets/ ui/panels/panel_list.cpp
#include <algorithm>
#include <limits>

#include <QApplication>
#include <QClipboard>
#include <QElapsedTimer>
#include <QMenu>
#include <QMouseEvent>
#include <QSignalSpy>
#include <QTest>

#include "ui/widgets/badge.h"
#include "ui/widgets/button.h"
#include "ui/widgets/chip.h"
#include "ui/widgets/empty_state.h"
#include "ui/widgets/icons.h"
#include "ui/widgets/message_strip.h"
#include "ui/widgets/metric_plot.h"
#include "ui/widgets/refresher.h"
#include "ui/widgets/segmented_control.h"
#include "ui/widgets/text_label.h"
#include "ui/widgets/token_text.h"
#include "ui/widgets/what_if_row.h"

using namespace fl::widgets;

class WidgetsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void buttonSaysWhyItIsBlocked();
    void iconButtonIsNamedByItsTip();
    void segmentsMoveWithArrowsAndSkipBlocked();
    void stripShowsTheWorst();
    void labelsLoseTheirMiddle();
    void chipsToggleFromTheKeyboard();
    void iconsAreDrawnInTheColour();
    void refreshersDrawOnlyWhatIsSeen();
    void plotsWithoutASizeAreSilent();
    void streamedTokensLieAsOnesSetAtOnce();
    void linesEndBetweenWords();
    void plainTextIsSelectedAndCopied();
    void longAnswersGrowAsFastAsShortOnes();
    void longTextsComeInPieces();
    void bandsEndAtTheirCurve();
    void everyLegalValueCanBeChosen();
    void markersLieOnNoOther();

private:
    Theme theme_;
};

void WidgetsTest::buttonSaysWhyItIsBlocked() {
    Button button(theme_, "Launch");
    button.setToolTip("Start the ranks");
    button.setBlocked("Waits for Plan");
    QVERIFY(!button.isEnabled());
    QCOMPARE(button.toolTip(), "Waits for Plan");
    button.setBlocked({});
    QVERIFY(button.isEnabled());
    QCOMPARE(button.toolTip(), "Start the ranks");
}

void WidgetsTest::iconButtonIsNamedByItsTip() {
    Button button(theme_, {});
    button.setIconName("settings");
    button.setToolTip("Settings");
    QCOMPARE(button.accessibleName(), "Settings");
}

void WidgetsTest::segmentsMoveWithArrowsAndSkipBlocked() {
    SegmentedControl control(theme_);
    control.setSegments({"Bytes", "Dtype", "Load"});
    control.setBlocked(1, "waits for Load");
    QSignalSpy chosen(&control, &SegmentedControl::chosen);
    QTest::keyClick(&control, Qt::Key_Right);
    QCOMPARE(control.current(), 2);
    QCOMPARE(chosen.count(), 1);
    QTest::keyClick(&control, Qt::Key_Right);
    QCOMPARE(chosen.count(), 1);
    QTest::keyClick(&control, Qt::Key_Left);
    QCOMPARE(control.current(), 0);
}

void WidgetsTest::stripShowsTheWorst() {
    MessageStrip strip(theme_);
    strip.show(std::vector<StripMessage>{{State::Warning, "slow link", {}, {}, {}},
                                         {State::Failed, "Rank 3 died", {}, {}, {}},
                                         {State::Note, "note", {}, {}, {}}});
    QCOMPARE(strip.state(), State::Failed);
    QCOMPARE(strip.sentence(), "Rank 3 died");
    QVERIFY(strip.accessibleName().contains("failed"));
    QVERIFY(!strip.isHidden());
    strip.show(std::vector<StripMessage>{});
    QVERIFY(strip.isHidden());
}

void WidgetsTest::labelsLoseTheirMiddle() {
    TextLabel label(theme_, TextRole::Mono);
    label.setText("model.layers.34.mlp.experts.251.down_proj.weight_scale");
    QVERIFY(label.minimumSizeHint().width() > 200);
    label.setElide(Qt::ElideMiddle);
    QVERIFY(label.minimumSizeHint().width() < 30);
}

void WidgetsTest::chipsToggleFromTheKeyboard() {
    Chip chip(theme_, "TP");
    chip.setCheckable(true);
    QTest::keyClick(&chip, Qt::Key_Space);
    QVERIFY(chip.isChecked());
}

void WidgetsTest::iconsAreDrawnInTheColour() {
    const QImage image = icon(theme_, "passed", Token::Ok)
                             .pixmap(16, 16)
                             .toImage()
                             .convertToFormat(QImage::Format_ARGB32);
    bool found = false;
    for (int y = 0; y < image.height(); ++y) {
        for (int x = 0; x < image.width(); ++x) {
            const QColor pixel = image.pixelColor(x, y);
            found = found || (pixel.alpha() > 250 && pixel.rgb() == theme_.color(Token::Ok).rgb());
        }
    }
    QVERIFY(found);
}

void WidgetsTest::refreshersDrawOnlyWhatIsSeen() {
    QWidget widget;
    int drawn = 0;
    Refresher refresher(&widget, [&drawn] { ++drawn; });
    refresher.later();
    QTest::qWait(80);
    QCOMPARE(drawn, 0);
    widget.show();
    QCOMPARE(drawn, 1);
    for (int i = 0; i < 100; ++i) {
        refresher.later();
    }
    QTRY_COMPARE(drawn, 2);
    widget.hide();
    widget.show();
    QCOMPARE(drawn, 2);
}

namespace {
QStringList saidMessages;
}

void WidgetsTest::plotsWithoutASizeAreSilent() {
    saidMessages.clear();
    const auto before = qInstallMessageHandler(
        [](QtMsgType, const QMessageLogContext&, const QString& text) { saidMessages << text; });
    QWidget window;
    window.resize(400, 300);
    MetricPlot plot(theme_, XAxis::Time, &window);
    plot.setLine(plot.addLine({"step", 1}), {1, 2, 3}, {1, 2, 1});
    window.show();
    for (const QSize size : {QSize(300, 0), QSize(0, 200), QSize(300, 200), QSize(300, 0)}) {
        plot.resize(size);
        plot.refresh();
        QTest::qWait(80);
    }
    qInstallMessageHandler(before);
    QCOMPARE(saidMessages, QStringList());
}

void WidgetsTest::streamedTokensLieAsOnesSetAtOnce() {
    std::vector<TextToken> tokens;
    for (int i = 0; i < 200; ++i) {
        tokens.push_back({i % 17 == 0 ? "\n\n" : i % 5 == 0 ? "ing" : " token", 0.5});
    }
    TokenText streamed(theme_);
    TokenText whole(theme_);
    streamed.resize(240, 100);
    whole.resize(240, 100);
    for (const TextToken& token : tokens) {
        streamed.append(token);
        // Asked for in between, as layouts do.
        QVERIFY(streamed.heightForWidth(180) > 0);
    }
    whole.setTokens(tokens);
    for (const int width : {180, 240, 333}) {
        QCOMPARE(streamed.heightForWidth(width), whole.heightForWidth(width));
    }
    for (int i = 0; i < int(tokens.size()); ++i) {
        QCOMPARE(streamed.tokenRect(i), whole.tokenRect(i));
    }
}

// Also where a word is several tokens; what is wider than a line is cut, also where no space is.
void WidgetsTest::linesEndBetweenWords() {
    TokenText text(theme_);
    text.resize(120, 100);
    text.show();
    text.setTokens({{"The"}, {" un"}, {"break"}, {"able"}, {" con"}, {"clus"}, {"ion"}, {"."}});
    for (const auto& [first, last] : {std::pair{1, 3}, {4, 7}}) {
        QCOMPARE(text.tokenRect(first).top(), text.tokenRect(last).top());
    }
    QVERIFY(text.tokenRect(4).top() > text.tokenRect(0).top());
    text.setPlainText(QString(400, 'x') + "\n" + QString(60, QChar(0x4E2D)));
    for (int part = 0; part < text.count(); ++part) {
        QVERIFY(text.tokenRect(part).right() < 120);
    }
    text.setPlainText("if x:\n    return  1\n");
    text.selectAll();
    QCOMPARE(text.selectedText(), "if x:\n    return  1\n");
}

void WidgetsTest::plainTextIsSelectedAndCopied() {
    TokenText text(theme_);
    text.resize(160, 200);
    text.setPlainText("The capital of France is Paris, on the river Seine.");
    text.show();
    QVERIFY(QTest::qWaitForWindowExposed(&text));
    QTest::mousePress(&text, Qt::LeftButton, {}, text.tokenRect(1).center());
    QMouseEvent drag(QEvent::MouseMove, text.tokenRect(3).center(), QPointF(), Qt::NoButton,
                     Qt::LeftButton, {});
    QApplication::sendEvent(&text, &drag);
    QVERIFY2(text.selectedText().contains("of"), qPrintable(text.selectedText()));
    QVERIFY(!text.selectedText().contains("Paris"));
    text.setFocus();
    QTest::keySequence(&text, QKeySequence::SelectAll);
    QTest::keySequence(&text, QKeySequence::Copy);
    QCOMPARE(QApplication::clipboard()->text(),
             "The capital of France is Paris, on the river Seine.");
    text.setPlainText("Something else");
    QCOMPARE(text.selectedText(), QString());
}

// A delta costs what it brings, whether 20 tokens stand there or 20,000.
void WidgetsTest::longAnswersGrowAsFastAsShortOnes() {
    TokenText text(theme_);
    text.resize(340, 400);
    text.show();
    QString answer;
    const auto grow = [&] {
        QElapsedTimer clock;
        qint64 least = std::numeric_limits<qint64>::max();
        for (int tenth = 0; tenth < 10; ++tenth) {
            clock.start();
            for (int delta = 0; delta < 20; ++delta) {
                answer += " and then a word\n"[0] == ' ' ? " and then a few more words" : "";
                text.setPlainText(answer);
                text.heightForWidth(320);
            }
            least = std::min(least, clock.nsecsElapsed());
        }
        return double(least) / 20e6;
    };
    const double early = grow();
    while (text.count() < 20'000) {
        answer += " and then a few more words";
        text.setPlainText(answer);
        QCoreApplication::processEvents();
    }
    const double late = grow();
    qInfo("a delta of five words takes %.3f ms at first, %.3f ms after 20,000", early, late);
    QVERIFY(late < 5 * early + 0.2);
}

void WidgetsTest::longTextsComeInPieces() {
    TokenText text(theme_);
    text.resize(340, 400);
    text.show();
    const QString part = "Twelve words stand here so that a long text can be made. ";
    text.setPlainText(part.repeated(4000));
    const int first = text.heightForWidth(340);
    QTRY_VERIFY(text.tokenRect(text.count() - 1).isValid());
    QVERIFY(text.heightForWidth(340) > 4 * first);
}

// Below a curve there is colour, above it none; the curve is what QCustomPlot draws.
void WidgetsTest::bandsEndAtTheirCurve() {
    MetricPlot plot(theme_, XAxis::Number);
    plot.resize(400, 200);
    const int line = plot.addLine({"a", 1, LineStyle::Solid, true, false});
    plot.setLine(line, {0, 1, 2}, {0, 100, 0});
    plot.show();
    QVERIFY(QTest::qWaitForWindowExposed(&plot));
    QTest::qWait(100);
    const QImage picture = plot.grab().toImage();
    const QColor ground = theme_.color(Token::Bg1);
    const auto differs = [&](double x, double y) {
        const QColor found = picture.pixelColor(int(40 + x * 340), int(20 + y * 150));
        return std::abs(found.blue() - ground.blue()) > 8;
    };
    QVERIFY(differs(0.5, 0.75) && differs(0.4, 0.9));
    QVERIFY(!differs(0.1, 0.3) && !differs(0.9, 0.3));
}

// Segments hold six values; a model of 93 layers can be cut into more numbers of stages than that.
void WidgetsTest::everyLegalValueCanBeChosen() {
    WhatIfRow row(theme_, "PP");
    row.setValues({1, 2, 4}, {1, 2, 4});
    row.setValue(2);
    row.show();
    auto* more = row.findChild<Button*>();
    QVERIFY(!more->isVisible());
    row.setValues({1, 2, 4}, {1, 2, 3, 4, 31, 93});
    QVERIFY(more->isVisible());
    QSignalSpy chosen(&row, &WhatIfRow::valueChosen);
    more->click();
    const auto menus = row.findChildren<QMenu*>();
    QCOMPARE(menus.size(), 1);
    QCOMPARE(menus.front()->actions().size(), 3);
    menus.front()->actions().last()->trigger();
    QCOMPARE(chosen.last().first().toInt(), 93);
    QCOMPARE(row.value(), 93);
}

// Of markers close together the newest say their word; apart, all do.
void WidgetsTest::markersLieOnNoOther() {
    MetricPlot plot(theme_, XAxis::Number);
    plot.resize(400, 200);
    const int line = plot.addLine({"a", 1, LineStyle::Solid, false, false});
    plot.setLine(line, {0, 1000}, {1, 2});
    plot.addMarker(300, "Launch");
    plot.addMarker(301, "Load");
    plot.addMarker(302, "Validate");
    plot.addMarker(303, "Probe");
    plot.addMarker(990, "Launch");
    plot.show();
    QVERIFY(QTest::qWaitForWindowExposed(&plot));
    QTest::qWait(100);
    QCOMPARE(plot.shownMarkers(), QStringList({"Launch", "Probe", "Validate"}));
}

QTEST_MAIN(WidgetsTest)
#include "widgets_test.moc"
