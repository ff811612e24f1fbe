// SPDX-License-Identifier: GPL-3.0-or-later
// The whole window on recordings: opens in both themes, restores its layout, folds when narrow,
// says why a rank died, cuts no text and names every control. Writes screenshots.
// Covers: ui/shell/
#include "ui/shell/main_window.h"

#include <memory>

#include <QAction>
#include <QApplication>
#include <QDialog>
#include <QMenu>
#include <QTemporaryDir>
#include <QTest>

#include "tests/ui/client/fake_engine.h"
#include "tests/ui/support/recorded.h"
#include "tests/ui/support/screenshot.h"
#include "tests/ui/support/window_checks.h"
#include "ui/client/engine_client.h"
#include "ui/client/loop_watchdog.h"
#include "ui/models/models.h"
#include "ui/panels/panel.h"
#include "ui/shell/actions.h"
#include "ui/shell/command_palette.h"
#include "ui/shell/dock.h"
#include "ui/shell/open_dialog.h"
#include "ui/shell/session.h"
#include "ui/shell/settings.h"
#include "ui/shell/stage_rail.h"
#include "ui/shell/wiring.h"
#include "ui/shell/workspace.h"
#include "ui/widgets/focus_ring.h"
#include "ui/widgets/message_strip.h"
#include "ui/widgets/theme.h"
#include "ui/widgets/theme_style.h"

using namespace fl;
using widgets::ThemeChoice;

namespace {

// The recording as if it ended now: clocks and charts count from the present.
protocol::Snapshot recent(protocol::Snapshot snapshot) {
    const double shift = double(QDateTime::currentMSecsSinceEpoch()) / 1000 - test::kRecordedNow;
    snapshot.openedAt += shift;
    for (auto& stage : snapshot.stages) {
        stage.startedAt += stage.startedAt > 0 ? shift : 0;
    }
    for (auto& sample : snapshot.memory) {
        sample.time += shift;
    }
    for (auto& step : snapshot.steps) {
        step.time += shift;
    }
    for (auto& line : snapshot.log) {
        line.time += shift;
    }
    return snapshot;
}

// One workbench without an engine of its own.
struct Bench {
    explicit Bench(widgets::Theme& look, const QString& settingsFile) : settings(settingsFile) {
        shell::wire(client, models);
        window = std::make_unique<shell::MainWindow>(shell::WindowParts{
            look, models, client, settings, panels::panelList(), "/nonexistent"});
        window->show();
    }
    void attach(test::FakeEngine& engine, const protocol::Snapshot& snapshot) {
        engine.snapshot = recent(snapshot);
        window->attach(engine.path());
        QTRY_VERIFY(client.isConnected());
        QTest::qWait(120);  // charts redraw at most 20 times a second
    }

    client::EngineClient client;
    models::Models models;
    shell::Settings settings;
    std::unique_ptr<shell::MainWindow> window;
};

}  // namespace

class MainWindowTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void init();
    void opensOnTheFirstScreen();
    void showsARunInBothThemes();
    void cutsNoTextAtAnySize();
    void dividesDocksEvenly();
    void keepsDocksApart_data();
    void keepsDocksApart();
    void namesEveryControl();
    void saysWhichRankDied();
    void foldsWhenNarrow();
    void restoresItsLayout();
    void movesAndClosesDocks();
    void foldsItsSidesForPresenters();
    void opensFoldersFilesAndJobs();
    void reachesEveryPanelFromTheKeyboard();
    void opensThePalette();
    void showsTheFocusOnlyFromTheKeyboard();
    void asksBeforeItLeavesALoadedModel();
    void saysWhyNoEngineStarted();
    void staysOpenWhileTheEngineOpens();
    void neverBlocksWhileEventsFlood();
    void changesItsThemeWithoutAPause();

private:
    QString settingsFile() { return folder_.filePath("workbench.ini"); }
    widgets::Theme theme_;
    QTemporaryDir folder_;
    std::unique_ptr<widgets::FocusRing> ring_;
};

void MainWindowTest::initTestCase() {
    qputenv("XDG_RUNTIME_DIR", folder_.path().toLocal8Bit());
    qputenv("XDG_DATA_HOME", folder_.path().toLocal8Bit());
    qputenv("XDG_STATE_HOME", folder_.path().toLocal8Bit());
    widgets::applyTheme(*qApp, theme_);
    ring_ = std::make_unique<widgets::FocusRing>(*qApp, theme_);
}

void MainWindowTest::init() {
    QFile::remove(settingsFile());
    theme_.setChoice(ThemeChoice::Dark);
    theme_.setScale(1);
}

void MainWindowTest::opensOnTheFirstScreen() {
    shell::Settings(settingsFile())
        .remember({"/models/SmolLM2", "SmolLM2-135M-Instruct", "cpu:cards=6", "tp3·pp2", "passed",
                   "Load: 98.9 MiB on 6 ranks", QDateTime::currentDateTime()});
    shell::Settings(settingsFile())
        .remember({"/models/Kimi-K2.5", "Kimi-K2.5", "lab-4x8", "tp8·pp4·ep8", "failed",
                   "Launch: rank 13 died, SIGBUS", QDateTime::currentDateTime().addDays(-1)});
    Bench bench(theme_, settingsFile());
    QVERIFY(!(bench.window->actions()[shell::Command::Launch])->isEnabled());
    QVERIFY(!(bench.window->actions()[shell::Command::Demo])->isEnabled());
    QVERIFY(test::saveScreenshot(*bench.window, "first-start-dark"));
    QCOMPARE(test::cutTexts(*bench.window), QStringList());
    QCOMPARE(test::namelessControls(*bench.window), QStringList());
    theme_.setChoice(ThemeChoice::Light);
    QVERIFY(test::saveScreenshot(*bench.window, "first-start-light"));
}

void MainWindowTest::showsARunInBothThemes() {
    for (const auto& [name, snapshot] :
         {std::pair<QString, protocol::Snapshot>{"serving", test::smollmServing()},
          {"planned", test::smollmPlanned()},
          {"load", test::kimiLoading()}}) {
        for (const bool dark : {true, false}) {
            theme_.setChoice(dark ? ThemeChoice::Dark : ThemeChoice::Light);
            test::FakeEngine engine;
            Bench bench(theme_, settingsFile());
            bench.attach(engine, snapshot);
            QVERIFY(test::saveScreenshot(*bench.window,
                                         "window-" + name + (dark ? "-dark" : "-light")));
        }
    }
}

void MainWindowTest::cutsNoTextAtAnySize() {
    test::FakeEngine engine;
    Bench bench(theme_, settingsFile());
    bench.attach(engine, test::smollmServing());
    for (const QSize size : {QSize(1440, 900), QSize(1024, 700), QSize(1920, 1080)}) {
        bench.window->resize(size);
        QTest::qWait(80);
        const QStringList cut = test::cutTexts(*bench.window);
        QVERIFY2(cut.isEmpty(), qPrintable(QString("%1: ").arg(size.width()) + cut.join('\n')));
        QVERIFY(test::saveScreenshot(*bench.window,
                                     QString("window-%1x%2").arg(size.width()).arg(size.height())));
    }
}

// Also in a window that opens a checkpoint before it has ever been laid out, and again after the
// first screen has hidden all docks.
void MainWindowTest::dividesDocksEvenly() {
    test::FakeEngine engine;
    Bench bench(theme_, settingsFile());
    const shell::Workspace& workspace = bench.window->workspace();
    for (int time = 0; time < 3; ++time) {
        bench.attach(engine, test::smollmServing());
        QTest::qWait(100);
        for (const auto& [left, right] :
             {std::pair{"memory", "latency"}, std::pair{"findings", "log"}}) {
            const int wide = workspace.dock(left)->width();
            const int other = workspace.dock(right)->width();
            QVERIFY2(
                std::abs(wide - other) <= 2,
                qPrintable(
                    QString("%1, time %2: %3 and %4").arg(left).arg(time).arg(wide).arg(other)));
        }
        QCOMPARE(workspace.dock("chat")->width(), 356);
        QCOMPARE(workspace.dock("rail")->width(), 208);
        bench.window->session().detach();
        QTest::qWait(50);
        QVERIFY(workspace.isStarting());
    }
}

// Opened at this size, and not made small afterwards: no dock lies on another or sticks out.
void MainWindowTest::keepsDocksApart_data() {
    QTest::addColumn<QSize>("size");
    QTest::addColumn<bool>("presenting");
    QTest::newRow("smallest") << QSize(1024, 700) << false;
    QTest::newRow("usual") << QSize(1440, 900) << false;
    QTest::newRow("largest") << QSize(3840, 2160) << false;
    QTest::newRow("projector") << QSize(1024, 768) << true;
}

void MainWindowTest::keepsDocksApart() {
    QFETCH(QSize, size);
    QFETCH(bool, presenting);
    for (const bool dark : {true, false}) {
        theme_.setChoice(dark ? ThemeChoice::Dark : ThemeChoice::Light);
        test::FakeEngine engine;
        Bench bench(theme_, settingsFile());
        bench.window->resize(size);
        bench.attach(engine, test::smollmServing());
        if (presenting) {
            bench.window->actions()[shell::Command::Presenter]->trigger();
            bench.window->showNormal();
            bench.window->resize(size);
        }
        QTest::qWait(400);  // latencies are written four times a second
        const shell::Workspace& workspace = bench.window->workspace();
        QRegion covered;
        for (const char* id : {"rail", "memory", "latency", "findings", "log", "chat"}) {
            const shell::Dock* dock = workspace.dock(id);
            if (dock->isVisible()) {
                QVERIFY2(workspace.rect().contains(dock->geometry()), id);
                QVERIFY2(!covered.intersects(dock->geometry()), id);
                covered += dock->geometry();
            }
        }
        QCOMPARE(test::cutTexts(*bench.window), QStringList());
        QVERIFY(test::saveScreenshot(*bench.window, QString("window-%1-%2-%3")
                                                        .arg(size.width())
                                                        .arg(presenting ? "presenting" : "working")
                                                        .arg(dark ? "dark" : "light")));
    }
}

void MainWindowTest::namesEveryControl() {
    test::FakeEngine engine;
    Bench bench(theme_, settingsFile());
    bench.attach(engine, test::smollmServing());
    const QStringList nameless = test::namelessControls(*bench.window);
    QVERIFY2(nameless.isEmpty(), qPrintable(nameless.join('\n')));
}

void MainWindowTest::saysWhichRankDied() {
    test::FakeEngine engine;
    Bench bench(theme_, settingsFile());
    bench.attach(engine, test::kimiFailed());
    for (const char* panel : {"placement", "topology"}) {
        bench.window->workspace().showPanel(panel);
        QVERIFY(!bench.window->workspace().strip().isHidden());
        QVERIFY(bench.window->workspace().strip().sentence().startsWith("Rank 13 died"));
        QTest::qWait(80);
        QVERIFY(test::saveScreenshot(*bench.window, QString("window-failure-%1-dark").arg(panel)));
    }
    theme_.setChoice(ThemeChoice::Light);
    QTest::qWait(80);
    QVERIFY(test::saveScreenshot(*bench.window, "window-failure-light"));
    // The strip goes as soon as ranks start again.
    bench.models.reset();
    QTRY_VERIFY(bench.window->workspace().strip().isHidden());
}

void MainWindowTest::foldsWhenNarrow() {
    test::FakeEngine engine;
    Bench bench(theme_, settingsFile());
    bench.attach(engine, test::smollmServing());
    auto* rail = bench.window->findChild<shell::StageRail*>();
    bench.window->resize(1440, 900);
    QVERIFY(!rail->isNarrow());
    QVERIFY(!bench.window->workspace().isRightFolded());
    bench.window->resize(1024, 700);
    QVERIFY(rail->isNarrow());
    if (bench.window->workspace().panel("chat")) {
        QVERIFY(bench.window->workspace().isRightFolded());
        bench.window->workspace().showPanel("chat");
        QCOMPARE(bench.window->workspace().openPanel(), "chat");
        bench.window->resize(1440, 900);
        QVERIFY(!bench.window->workspace().isRightFolded());
        QVERIFY(bench.window->workspace().panel("chat")->isVisible());
    }
    QVERIFY(bench.window->width() == 1440 || bench.window->width() == 1024);
}

void MainWindowTest::restoresItsLayout() {
    {
        test::FakeEngine engine;
        Bench bench(theme_, settingsFile());
        bench.attach(engine, test::smollmServing());
        bench.window->workspace().showPanel("placement");
        bench.window->resize(1500, 950);
        QTest::qWait(20);
        bench.window->saveLayout();
    }
    Bench again(theme_, settingsFile());
    QCOMPARE(again.window->size(), QSize(1500, 950));
    QCOMPARE(again.window->workspace().openPanel(), "placement");
    again.window->restoreDefaultLayout();
    QVERIFY(again.settings.layout("workspace").isEmpty());
    QVERIFY(!again.window->workspace().restoreLayout("garbage"));
}

// Floated, closed, kept over a restart, and brought back.
void MainWindowTest::movesAndClosesDocks() {
    test::FakeEngine engine;
    {
        Bench bench(theme_, settingsFile());
        bench.attach(engine, test::smollmServing());
        shell::Workspace& workspace = bench.window->workspace();
        for (const char* id : {"rail", "memory", "latency", "findings", "log", "chat"}) {
            QVERIFY2(workspace.dock(id) && workspace.dock(id)->isVisible(), id);
            QVERIFY2(!workspace.dock(id)->isFloating(), id);
        }
        workspace.dock("memory")->setFloating(true);
        workspace.dock("log")->close();
        workspace.tabifyDockWidget(workspace.dock("findings"), workspace.dock("latency"));
        QTest::qWait(80);
        QVERIFY(!workspace.dock("log")->isVisible());
        QVERIFY(test::saveScreenshot(*bench.window, "docks-moved-dark"));
        QVERIFY(test::saveScreenshot(*workspace.dock("memory"), "dock-floating-dark"));
        bench.window->saveLayout();
    }
    Bench bench(theme_, settingsFile());
    bench.attach(engine, test::smollmServing());
    shell::Workspace& workspace = bench.window->workspace();
    QVERIFY(workspace.dock("memory")->isFloating());
    QVERIFY(!workspace.dock("log")->isVisible());
    QVERIFY(workspace.tabifiedDockWidgets(workspace.dock("findings"))
                .contains(workspace.dock("latency")));
    // Asking for what it shows opens a closed dock, as its menu and the palette do.
    workspace.showPanel("log");
    QVERIFY(workspace.dock("log")->isVisible());
    workspace.dock("log")->viewAction()->trigger();
    QVERIFY(!workspace.dock("log")->isVisible());
    bench.window->actions()[shell::Command::Palette]->trigger();
    QVERIFY(bench.window->palette().shown().contains("Open the Log dock"));
    bench.window->palette().hide();
    bench.window->restoreDefaultLayout();
    QTest::qWait(80);
    QVERIFY(workspace.dock("log")->isVisible());
    QVERIFY(!workspace.dock("memory")->isFloating());
    QVERIFY(workspace.tabifiedDockWidgets(workspace.dock("findings")).isEmpty());
    QCOMPARE(workspace.dock("memory")->mapTo(&workspace, QPoint()).y(),
             workspace.dock("latency")->mapTo(&workspace, QPoint()).y());
    QVERIFY(test::saveScreenshot(*bench.window, "docks-restored-dark"));
}

void MainWindowTest::foldsItsSidesForPresenters() {
    test::FakeEngine engine;
    Bench bench(theme_, settingsFile());
    bench.attach(engine, test::smollmServing());
    QAction* presenter = bench.window->actions()[shell::Command::Presenter];
    presenter->trigger();
    QTest::qWait(120);
    QVERIFY(bench.window->workspace().isRightFolded());
    QVERIFY(bench.window->findChild<shell::StageRail*>()->isNarrow());
    QVERIFY(test::saveScreenshot(*bench.window, "presenter-dark"));
    presenter->trigger();
    bench.window->resize(1440, 900);
    QTest::qWait(120);
    QVERIFY(!bench.window->workspace().isRightFolded());
}

void MainWindowTest::opensFoldersFilesAndJobs() {
    QFile job(folder_.filePath("job.json"));
    QVERIFY(job.open(QIODevice::WriteOnly));
    job.write("{}");
    job.close();
    shell::OpenDialog dialog(theme_, {});
    QStringList ways;
    for (const QMenu* menu : dialog.findChildren<QMenu*>()) {
        for (const QAction* action : menu->actions()) {
            ways << action->text();
        }
    }
    QCOMPARE(ways, QStringList({"A folder…", "A file…"}));
    dialog.setPath(folder_.path());
    QVERIFY(!dialog.isJob());
    QCOMPARE(dialog.settings().checkpoint, folder_.path().toStdString());
    dialog.setPath(job.fileName());
    QVERIFY(dialog.isJob());
    dialog.show();
    QVERIFY(test::saveScreenshot(dialog, "open-dialog-dark"));
    QCOMPARE(test::cutTexts(dialog), QStringList());
}

void MainWindowTest::reachesEveryPanelFromTheKeyboard() {
    test::FakeEngine engine;
    Bench bench(theme_, settingsFile());
    bench.attach(engine, test::smollmServing());
    QCOMPARE(bench.window->workspace().panelActions().size(), panels::panelList().size());
    for (QAction* action : bench.window->workspace().panelActions()) {
        action->trigger();
    }
}

void MainWindowTest::opensThePalette() {
    Bench bench(theme_, settingsFile());
    bench.window->actions()[shell::Command::Palette]->trigger();
    QVERIFY(bench.window->palette().isVisible());
    QVERIFY(bench.window->palette().shown().contains("Restore default layout"));
    QVERIFY(test::saveScreenshot(*bench.window, "palette-dark"));
}

void MainWindowTest::showsTheFocusOnlyFromTheKeyboard() {
    Bench bench(theme_, settingsFile());
    bench.window->activateWindow();
    QVERIFY(QTest::qWaitForWindowActive(bench.window.get()));
    QVERIFY(!ring_->isShown());
    QTest::keyClick(bench.window->focusWidget(), Qt::Key_Tab);
    QVERIFY(ring_->isShown());
    QVERIFY(test::saveScreenshot(*bench.window, "focus-dark"));
    auto* search = bench.window->findChild<QAbstractButton*>();
    search->setFocus(Qt::MouseFocusReason);
    QVERIFY(!ring_->isShown());
}

void MainWindowTest::asksBeforeItLeavesALoadedModel() {
    test::FakeEngine engine;
    Bench bench(theme_, settingsFile());
    bench.attach(engine, test::smollmServing());
    QVERIFY(bench.window->session().hasRanks());
    bench.window->close();
    QVERIFY(bench.window->isVisible());
    auto* question = bench.window->findChild<QDialog*>();
    QVERIFY(question);
    QVERIFY(test::saveScreenshot(*question, "close-question-dark"));
    QTest::keyClick(question, Qt::Key_Return);  // the default keeps the engine
    QTRY_VERIFY(!bench.window->isVisible());
    for (const auto& request : engine.requests) {
        QVERIFY(request.method != "session.shutdown");
    }
}

void MainWindowTest::saysWhyNoEngineStarted() {
    Bench bench(theme_, settingsFile());
    protocol::JobSettings settings;
    settings.checkpoint = "/models/none";
    bench.window->openJob(settings, "plan");
    QTRY_VERIFY(!bench.window->workspace().strip().isHidden());
    QVERIFY(bench.window->workspace().strip().sentence().contains("/nonexistent"));
}

// An engine that has only just come up knows of no job: the window does not go back meanwhile.
void MainWindowTest::staysOpenWhileTheEngineOpens() {
    test::FakeEngine engine;
    Bench bench(theme_, settingsFile());
    protocol::JobSettings settings;
    settings.job = QFileInfo(engine.path()).completeBaseName().toStdString();
    settings.checkpoint = "/models/none";
    bench.window->openJob(settings, "plan");
    bench.client.attach(engine.path());
    QTRY_VERIFY(bench.client.isConnected());
    QTest::qWait(20);
    QVERIFY(!bench.window->workspace().isStarting());
}

void MainWindowTest::neverBlocksWhileEventsFlood() {
    test::FakeEngine engine;
    Bench bench(theme_, settingsFile());
    bench.attach(engine, test::smollmServing());
    client::LoopWatchdog watchdog;
    watchdog.start();
    protocol::EventList events;
    for (int i = 0; i < 200; ++i) {
        protocol::StepSample step;
        step.time = test::kRecordedNow + i * 0.02;
        step.seconds = 0.02;
        step.decodeTokens = 1;
        events.list.push_back({std::string(protocol::event::kStepSample), protocol::encode(step)});
        protocol::LogLine line;
        line.text = "step";
        events.list.push_back({std::string(protocol::event::kLogLine), protocol::encode(line)});
    }
    engine.send(protocol::frameNotification(protocol::event::kEvents, protocol::encode(events)));
    QTRY_COMPARE(bench.models.log.rowCount(), 210);
    qInfo("longest block %.1f ms", watchdog.longest());
    QVERIFY(watchdog.longest() <= test::kLongestBlock);
}

void MainWindowTest::changesItsThemeWithoutAPause() {
    test::FakeEngine engine;
    Bench bench(theme_, settingsFile());
    bench.attach(engine, test::smollmServing());
    client::LoopWatchdog watchdog;
    watchdog.start();
    for (const ThemeChoice choice : {ThemeChoice::Light, ThemeChoice::Dark, ThemeChoice::Light}) {
        theme_.setChoice(choice);
        QTest::qWait(100);
    }
    qInfo("longest block %.1f ms", watchdog.longest());
    QVERIFY(watchdog.longest() <= test::kLongestBlock);
}

QTEST_MAIN(MainWindowTest)
#include "main_window_test.moc"
