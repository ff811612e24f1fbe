// SPDX-License-Identifier: GPL-3.0-or-later
// Every widget answers keyboard and mouse, says its name to assistive tools, and draws something.
// Covers: ui/widgets/ ui/panels/panel_list.cpp
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

QTEST_MAIN(WidgetsTest)
#include "widgets_test.moc"
