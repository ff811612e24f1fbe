// SPDX-License-Identifier: GPL-3.0-or-later
// The whole workbench against a real engine: a checkpoint is opened, brought up on four ranks and
// talked to; it is cut anew; the window closes and another one attaches; a rank is killed; it all
// ends without a process or file left. One story, told in steps that follow each other. Writes
// screenshots of every moment in both themes.
#include <algorithm>
#include <csignal>
#include <memory>

#include <QAbstractButton>
#include <QAction>
#include <QApplication>
#include <QDialog>
#include <QDir>
#include <QElapsedTimer>
#include <QFile>
#include <QRegularExpression>
#include <QSpinBox>
#include <QTemporaryDir>
#include <QTest>

#include "tests/ui/support/own_folders.h"
#include "tests/ui/support/screenshot.h"
#include "tests/ui/support/window_checks.h"
#include "ui/client/engine_client.h"
#include "ui/client/engine_process.h"
#include "ui/client/loop_watchdog.h"
#include "ui/models/models.h"
#include "ui/panels/chat/chat_panel.h"
#include "ui/panels/panel.h"
#include "ui/panels/validate/validate_panel.h"
#include "ui/shell/actions.h"
#include "ui/shell/main_window.h"
#include "ui/shell/settings.h"
#include "ui/shell/top_bar.h"
#include "ui/shell/wiring.h"
#include "ui/shell/workspace.h"
#include "ui/widgets/focus_ring.h"
#include "ui/widgets/message_strip.h"
#include "ui/widgets/theme.h"
#include "ui/widgets/theme_style.h"

using namespace fl;
using models::ChatEntry;
using widgets::ThemeChoice;

namespace {

constexpr int kPatience = 60'000;  // of every wait, in milliseconds
constexpr const char* kJob = "window";

// What main() of the workbench makes.
struct Workbench {
    Workbench(widgets::Theme& theme, const QString& settingsFile) : settings(settingsFile) {
        shell::wire(client, models);
        window = std::make_unique<shell::MainWindow>(
            shell::WindowParts{theme, models, client, settings, panels::panelList(), {}});
        window->show();
    }

    QString stage(const char* name) const { return models.stages.stateOf(QLatin1String(name)); }
    panels::ChatPanel& chat() const {
        return *qobject_cast<panels::ChatPanel*>(window->workspace().panel("chat"));
    }
    const ChatEntry& lastAnswer() const { return models.chat.entry(models.chat.rowCount() - 1); }
    bool answering() const { return models.chat.streamingRow() >= 0; }
    bool answered() const {
        return models.chat.rowCount() > 0 && lastAnswer().role == "assistant" && !answering();
    }
    void setLongestAnswer(int tokens) const {
        for (QSpinBox* field : window->findChildren<QSpinBox*>()) {
            if (field->accessibleName() == "Max tokens") {
                field->setValue(tokens);
            }
        }
    }
    // What the message strips say that the user sees.
    QStringList sentences() const {
        QStringList said;
        for (const auto* strip : window->findChildren<widgets::MessageStrip*>()) {
            if (strip->isVisible()) {
                said << strip->sentence();
            }
        }
        return said;
    }

    client::EngineClient client;
    models::Models models;
    shell::Settings settings;
    std::unique_ptr<shell::MainWindow> window;
};

// Puts another line in the place of every one that has the word; an empty one leaves it out.
bool replaceLines(const QString& path, const QByteArray& word, const QByteArray& other) {
    QFile file(path);
    if (!file.setPermissions(QFile::ReadOwner | QFile::WriteOwner) ||
        !file.open(QIODevice::ReadWrite)) {
        return false;
    }
    QByteArray text;
    for (const QByteArray& line : file.readAll().split('\n')) {
        text += line.contains(word) ? other : line + '\n';
    }
    file.resize(0);
    file.seek(0);
    return file.write(text) > 0;
}

// A copy of the small model that knows no end: it talks for as long as a test needs.
QString longTalker(const QDir& folder) {
    const QDir from(qEnvironmentVariable("FIRSTLIGHT_TEST_DATA") + "/models/tiny-llama");
    folder.mkpath("tiny-llama");
    const QDir to(folder.filePath("tiny-llama"));
    for (const QString& name : from.entryList(QDir::Files)) {
        QFile::copy(from.filePath(name), to.filePath(name));
    }
    const bool edited =
        QFile::remove(to.filePath("generation_config.json")) &&
        replaceLines(to.filePath("config.json"), "eos_token_id", "\"eos_token_id\": null,\n") &&
        replaceLines(to.filePath("config.json"), "max_position_embeddings",
                     "\"max_position_embeddings\": 131072,\n") &&
        replaceLines(to.filePath("tokenizer_config.json"), "eos_token", "");
    return edited ? to.path() : QString();
}

// Processes that were started with this runtime folder: the engine's, and nobody else's.
QStringList enginesProcesses(const QString& runtimeFolder) {
    const QByteArray mark = "XDG_RUNTIME_DIR=" + runtimeFolder.toLocal8Bit();
    QStringList found;
    for (const QString& pid : QDir("/proc").entryList(QDir::Dirs | QDir::NoDotAndDotDot)) {
        QFile environment("/proc/" + pid + "/environ");
        if (environment.open(QIODevice::ReadOnly) &&
            environment.readAll().split('\0').contains(mark)) {
            found << pid;
        }
    }
    return found;
}

// Where the ranks keep their shared memory, out of their launcher's command line.
QString sharedMemoryOf(const QString& runtimeFolder) {
    for (const QString& pid : enginesProcesses(runtimeFolder)) {
        QFile line("/proc/" + pid + "/cmdline");
        if (line.open(QIODevice::ReadOnly)) {
            const QList<QByteArray> words = line.readAll().split('\0');
            const auto setting = words.indexOf("btl_vader_backing_directory");
            if (setting >= 0) {
                return words.value(setting + 1);
            }
        }
    }
    return {};
}

}  // namespace

class WindowTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void init();
    void bringsACheckpointUp();
    void fillsEveryPanel();
    void validatesAgainstItsReference();
    void streamsAnAnswer();
    void stopsAnAnswer();
    void launchesAnotherCut();
    void keepsTheEngineWhenItCloses();
    void attachesToAllOfIt();
    void namesAKilledRank();
    void startsTheRanksAgain();
    void leavesNothingBehind();
    void cleanupTestCase();

private:
    QString path(const char* name) const { return folder_.filePath(name); }
    void openWindow();
    void picture(const QString& moment);

    QTemporaryDir folder_{QDir::tempPath() + "/fl-window-XXXXXX"};
    widgets::Theme theme_;
    std::unique_ptr<widgets::FocusRing> ring_;
    client::LoopWatchdog watchdog_;
    double longestBlock_ = 0;
    std::unique_ptr<Workbench> bench_;
    QString answer_;
    QString sharedFolder_;
};

void WindowTest::initTestCase() {
    QVERIFY(test::useFoldersBelow(folder_.path()));
    widgets::applyTheme(*qApp, theme_);
    ring_ = std::make_unique<widgets::FocusRing>(*qApp, theme_);
    connect(&watchdog_, &client::LoopWatchdog::blocked, this, [](double milliseconds) {
        qInfo("the event loop was blocked for %.0f ms", milliseconds);
    });
    openWindow();
}

// The story ends where a step failed.
void WindowTest::init() {
    QVERIFY(bench_);
}

void WindowTest::openWindow() {
    bench_ = std::make_unique<Workbench>(theme_, path("workbench.ini"));
    // The first picture belongs to the start, which has its own budget.
    QVERIFY(QTest::qWaitForWindowExposed(bench_->window.get()));
    QTest::qWait(50);
    watchdog_.start();
}

// Grabbing two pictures blocks longer than the window ever may: not the window's doing.
void WindowTest::picture(const QString& moment) {
    longestBlock_ = std::max(longestBlock_, watchdog_.longest());
    watchdog_.stop();
    for (const bool dark : {false, true}) {
        theme_.setChoice(dark ? ThemeChoice::Dark : ThemeChoice::Light);
        QTest::qWait(60);  // charts draw themselves anew one frame later
        QVERIFY(
            test::saveScreenshot(*bench_->window, "live-" + moment + (dark ? "-dark" : "-light")));
    }
    QTest::qWait(100);  // what the engine said meanwhile comes at once
    watchdog_.start();
}

void WindowTest::bringsACheckpointUp() {
    protocol::JobSettings settings;
    settings.job = kJob;
    settings.checkpoint = longTalker(QDir(folder_.path())).toStdString();
    settings.cluster = "cpu:cards=4,threads=1";
    settings.tp = 2;
    settings.pp = 2;
    settings.maxContext = 131072;
    settings.maxSequences = 2;
    bench_->window->openJob(settings, "load");
    QTRY_VERIFY_WITH_TIMEOUT(
        bench_->stage("load") == "passed" || bench_->models.findings.rowCount() > 1, kPatience);
    const QString findings = bench_->models.findings.asText();
    QVERIFY2(findings.startsWith("warning chat-stop-missing"), qPrintable(findings));
    QCOMPARE(bench_->models.findings.rowCount(), 1);
    QCOMPARE(bench_->stage("inspect"), "warnings");
    for (const char* stage : {"plan", "launch"}) {
        QCOMPARE(bench_->stage(stage), "passed");
    }
}

void WindowTest::fillsEveryPanel() {
    const models::Models& models = bench_->models;
    QVERIFY(!models.census.empty());
    QVERIFY(!models.plan.empty());
    QCOMPARE(models.plan.plan().ranks.size(), 4U);
    QCOMPARE(models.ranks.countIn("serving"), 4);
    QVERIFY(!models.topology.topology().nodes.empty());
    QVERIFY(models.log.rowCount() > 0);
    QTRY_VERIFY_WITH_TIMEOUT(models.shards.rowCount() == 2, kPatience);
    QTRY_VERIFY_WITH_TIMEOUT(models.tensors.rowCount() > 0, kPatience);
    QTRY_VERIFY_WITH_TIMEOUT(models.memory.measured(), kPatience);
    sharedFolder_ = sharedMemoryOf(path("run"));
    QCOMPARE(models.memory.ranks().size(), 4U);
    for (const panels::Panel* panel : bench_->window->workspace().panels()) {
        bench_->window->workspace().showPanel(panel->id());
        QTRY_VERIFY(panel->isVisible());
        picture(panel->id());
    }
    bench_->window->workspace().showPanel("topology");
}

void WindowTest::validatesAgainstItsReference() {
    auto* panel =
        qobject_cast<panels::ValidatePanel*>(bench_->window->workspace().panel("validate"));
    QVERIFY(panel);
    bench_->window->workspace().showPanel("validate");
    panel->setReference(qEnvironmentVariable("FIRSTLIGHT_TEST_DATA") + "/models/tiny-llama/golden");
    panel->run();
    QTRY_VERIFY_WITH_TIMEOUT(!bench_->models.validation.empty(), kPatience);
    const models::ValidateModel& found = bench_->models.validation;
    QCOMPARE(found.caseNames(), QStringList({"ids0", "ids1", "message0"}));
    QVERIFY2(found.failedCases() == 0, qPrintable(found.sentence() + found.detail()));
    QTRY_COMPARE_WITH_TIMEOUT(bench_->stage("validate"), "passed", kPatience);
    QVERIFY(!found.layers(false).empty());
    picture("validated");
    bench_->window->workspace().showPanel("topology");
}

void WindowTest::streamsAnAnswer() {
    bench_->setLongestAnswer(200);
    bench_->chat().ask("hi");
    QTRY_VERIFY_WITH_TIMEOUT(bench_->answered(), kPatience);
    QCOMPARE(bench_->lastAnswer().state, ChatEntry::State::Done);
    QVERIFY(!bench_->lastAnswer().text.isEmpty());
    QVERIFY(bench_->lastAnswer().timing.tokensPerSecond > 0);
    QCOMPARE(bench_->stage("probe"), "passed");
    picture("answered");
}

void WindowTest::stopsAnAnswer() {
    bench_->setLongestAnswer(120'000);
    bench_->chat().ask("and on");
    QTRY_VERIFY_WITH_TIMEOUT(bench_->answering() && !bench_->lastAnswer().text.isEmpty(),
                             kPatience);
    picture("streaming");
    bench_->chat().stop();
    QTRY_VERIFY_WITH_TIMEOUT(bench_->answered(), kPatience);
    QCOMPARE(bench_->lastAnswer().state, ChatEntry::State::Stopped);
    picture("stopped");
}

void WindowTest::launchesAnotherCut() {
    Q_EMIT bench_->window->findChild<shell::TopBar*>()->meshChosen(1, 2, 1, 1);
    QTRY_COMPARE_WITH_TIMEOUT(bench_->models.settings.tp, 1, kPatience);
    QTRY_COMPARE_WITH_TIMEOUT(bench_->stage("plan"), "passed", kPatience);
    QAction* launch = bench_->window->actions()[shell::Command::Launch];
    QTRY_VERIFY_WITH_TIMEOUT(launch->isEnabled(), kPatience);
    picture("planned-anew");
    launch->trigger();
    QTRY_COMPARE_WITH_TIMEOUT(bench_->stage("load"), "passed", kPatience);
    QCOMPARE(bench_->models.ranks.countIn("serving"), 2);
    bench_->setLongestAnswer(50);
    bench_->chat().ask("hello again");
    QTRY_VERIFY_WITH_TIMEOUT(bench_->answered(), kPatience);
    QCOMPARE(bench_->lastAnswer().state, ChatEntry::State::Done);
    answer_ = bench_->lastAnswer().text;
}

void WindowTest::keepsTheEngineWhenItCloses() {
    bench_->window->close();
    auto* question = bench_->window->findChild<QDialog*>();
    QVERIFY(question);
    picture("closing");
    QTest::keyClick(question, Qt::Key_Return);  // the default keeps the engine
    QTRY_VERIFY_WITH_TIMEOUT(!bench_->window->isVisible(), kPatience);
    longestBlock_ = std::max(longestBlock_, watchdog_.longest());
    watchdog_.stop();
    bench_.reset();
    QTRY_COMPARE_WITH_TIMEOUT(client::runningEngines().size(), 1U, kPatience);
    openWindow();
}

void WindowTest::attachesToAllOfIt() {
    const auto engines = client::runningEngines();
    QCOMPARE(engines.front().job, QString(kJob));
    bench_->window->attach(engines.front().socket);
    QTRY_COMPARE_WITH_TIMEOUT(bench_->stage("load"), "passed", kPatience);
    const models::Models& models = bench_->models;
    QCOMPARE(models.settings.tp, 1);
    QCOMPARE(models.settings.pp, 2);
    QCOMPARE(models.ranks.countIn("serving"), 2);
    QVERIFY(!models.census.empty() && !models.plan.empty());
    QVERIFY(models.log.rowCount() > 0);
    QTRY_VERIFY_WITH_TIMEOUT(models.tensors.rowCount() > 0, kPatience);
    QVERIFY(bench_->answered());
    QCOMPARE(bench_->lastAnswer().text, answer_);
    picture("attached");
    bench_->setLongestAnswer(50);
    bench_->chat().ask("and now");
    QTRY_VERIFY_WITH_TIMEOUT(bench_->answered() && bench_->models.chat.rowCount() == 4, kPatience);
    QCOMPARE(bench_->lastAnswer().state, ChatEntry::State::Done);
}

void WindowTest::namesAKilledRank() {
    bench_->setLongestAnswer(120'000);
    bench_->chat().ask("go on");
    QTRY_VERIFY_WITH_TIMEOUT(bench_->answering() && !bench_->lastAnswer().text.isEmpty(),
                             kPatience);
    const auto* rank = bench_->models.ranks.state(1);
    QVERIFY(rank && rank->pid > 0);
    QElapsedTimer clock;
    clock.start();
    QCOMPARE(::kill(pid_t(rank->pid), SIGKILL), 0);
    QTRY_VERIFY_WITH_TIMEOUT(bench_->models.ranks.lost(), kPatience);
    qInfo("the window names the killed rank after %lld ms", clock.elapsed());
    const QRegularExpression named("^Rank 1 died.*SIGKILL");
    QTRY_VERIFY_WITH_TIMEOUT(!bench_->sentences().filter(named).isEmpty(), kPatience);
    QTRY_VERIFY_WITH_TIMEOUT(!bench_->answering(), kPatience);
    QCOMPARE(bench_->lastAnswer().state, ChatEntry::State::Failed);
    QVERIFY(!bench_->lastAnswer().text.isEmpty());
    QTRY_VERIFY_WITH_TIMEOUT(bench_->models.findings.rowCount() > 0, kPatience);
    picture("rank-killed");
}

void WindowTest::startsTheRanksAgain() {
    QAction* restart = bench_->window->actions()[shell::Command::Restart];
    QTRY_VERIFY_WITH_TIMEOUT(restart->isEnabled(), kPatience);
    restart->trigger();
    QTRY_VERIFY_WITH_TIMEOUT(!bench_->models.ranks.lost() && bench_->stage("load") == "passed",
                             kPatience);
    QTRY_COMPARE_WITH_TIMEOUT(bench_->sentences(), QStringList(), kPatience);
    bench_->setLongestAnswer(50);
    bench_->chat().ask("once more");
    QTRY_VERIFY_WITH_TIMEOUT(bench_->answered(), kPatience);
    QCOMPARE(bench_->lastAnswer().state, ChatEntry::State::Done);
    picture("restarted");
}

void WindowTest::leavesNothingBehind() {
    bench_->window->actions()[shell::Command::ShutDown]->trigger();
    QTRY_VERIFY_WITH_TIMEOUT(!bench_->client.isConnected(), kPatience);
    QTRY_COMPARE_WITH_TIMEOUT(enginesProcesses(path("run")), QStringList(), kPatience);
    const QDir runtime(path("run") + "/firstlight");
    QCOMPARE(runtime.entryList(QDir::AllEntries | QDir::System | QDir::NoDotAndDotDot),
             QStringList());
    QVERIFY(!sharedFolder_.isEmpty() && !QDir(sharedFolder_).exists());
    longestBlock_ = std::max(longestBlock_, watchdog_.longest());
    qInfo("longest block of the event loop: %.1f ms", longestBlock_);
    QVERIFY2(longestBlock_ <= test::kLongestBlock, "the window waited");
}

// Also after a step that failed.
void WindowTest::cleanupTestCase() {
    bench_.reset();
    for (const QString& pid : enginesProcesses(path("run"))) {
        ::kill(pid.toInt(), SIGKILL);
    }
}

QTEST_MAIN(WindowTest)
#include "window_test.moc"
