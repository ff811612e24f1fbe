// SPDX-License-Identifier: GPL-3.0-or-later
// Builds the window and runs its commands.
#include "ui/shell/main_window.h"

#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QCloseEvent>
#include <QDateTime>
#include <QDir>
#include <QDropEvent>
#include <QFileInfo>
#include <QMimeData>
#include <QVBoxLayout>

#include "engine/base/json.h"
#include "engine/base/paths.h"
#include "engine/protocol/codec.h"
#include "ui/client/engine_client.h"
#include "ui/models/models.h"
#include "ui/models/stage_text.h"
#include "ui/models/text.h"
#include "ui/shell/actions.h"
#include "ui/shell/command_palette.h"
#include "ui/shell/dialogs.h"
#include "ui/shell/failure.h"
#include "ui/shell/open_dialog.h"
#include "ui/shell/session.h"
#include "ui/shell/settings.h"
#include "ui/shell/stage_rail.h"
#include "ui/shell/start_page.h"
#include "ui/shell/status_line.h"
#include "ui/shell/top_bar.h"
#include "ui/shell/workspace.h"
#include "ui/widgets/card.h"
#include "ui/widgets/icons.h"
#include "ui/widgets/message_strip.h"

namespace fl::shell {

using models::qt;
using widgets::Button;
using widgets::State;
using widgets::StripMessage;
using widgets::ThemeChoice;

namespace {
constexpr int kFoldRightBelow = 1200;
constexpr int kNarrowRailBelow = 1100;
constexpr double kPresenterScale = 1.25;
constexpr int kCommandsMilliseconds = 50;
constexpr const char* kDemoCluster = "cpu:cards=6,memory=1GiB,threads=1";
}  // namespace

QString demoModel() {
    const QDir folder(QString::fromStdString(fl::dataDir()) + QStringLiteral("/models"));
    const QFileInfoList found =
        folder.entryInfoList({QStringLiteral("SmolLM2*")}, QDir::Files | QDir::Dirs, QDir::Name);
    return found.isEmpty() ? QString() : found.first().absoluteFilePath();
}

MainWindow::MainWindow(const WindowParts& parts, QWidget* parent)
    : QMainWindow(parent),
      theme_(parts.theme),
      models_(parts.models),
      client_(parts.client),
      settings_(parts.settings),
      actions_(new Actions(parts.theme, this)),
      session_(new Session(parts.client, parts.models, parts.engineProgram, this)) {
    setWindowTitle(QStringLiteral("Firstlight"));
    setWindowIcon(QIcon(widgets::markPixmap(theme_, 64, 1)));
    setAcceptDrops(true);
    setMinimumSize(800, 560);
    resize(1440, 900);
    actions_->setBlocked(Command::Demo,
                         demoModel().isEmpty()
                             ? tr("SmolLM2 is not in %1/models: installer/firstlight.sh fetches it")
                                   .arg(QString::fromStdString(fl::dataDir()))
                             : QString());
    topBar_ = new TopBar(theme_, models_, *actions_, settings_, this);
    rail_ = new StageRail(theme_, models_, this);
    start_ = new StartPage(theme_, *actions_, settings_, this);
    workspace_ = new Workspace({theme_, models_, client_}, parts.panels, rail_, start_, this);
    status_ = new StatusLine(theme_, models_, client_, this);
    palette_ = new CommandPalette(theme_, this);
    build();
    connectCommands();
    connectParts();
    restoreLayout();
    refreshPage();
    refreshCommands();
    start_->begin();
    // Styling hundreds of widgets takes as long as several frames: before the window is seen, not
    // when the first checkpoint opens.
    for (const QWidget* widget : findChildren<QWidget*>()) {
        widget->ensurePolished();
    }
}

MainWindow::~MainWindow() = default;

void MainWindow::build() {
    auto* central = new QWidget(this);
    auto* column = new QVBoxLayout(central);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(topBar_);
    column->addWidget(workspace_, 1);
    column->addWidget(status_);
    setCentralWidget(central);
    for (QAction* action : actions_->all()) {
        addAction(action);
    }
}

void MainWindow::connectCommands() {
    const auto on = [this](Command command, auto slot) {
        connect((*actions_)[command], &QAction::triggered, this, slot);
    };
    on(Command::Open, [this] {
        protocol::JobSettings settings;
        settings.cluster = settings_.cluster().toStdString();
        showOpenDialog(settings);
    });
    on(Command::Demo, [this] { openDemo(); });
    on(Command::Attach, [this] {
        const auto engines = client::runningEngines();
        if (engines.empty()) {
            error_ = tr("No engine of yours is running on this machine");
            refreshStrip();
            return;
        }
        askForEngine(theme_, engines, this, [this](const QString& socket) { attach(socket); });
    });
    on(Command::Launch, [this] {
        error_.clear();
        session_->launch();
    });
    on(Command::Restart, [this] {
        error_.clear();
        session_->launch();
    });
    on(Command::Stop, [this] { session_->stop(); });
    on(Command::Detach, [this] { session_->detach(); });
    on(Command::ShutDown, [this] { session_->shutDown(); });
    on(Command::Palette, [this] { openPalette(); });
    on(Command::Settings, [this] {
        showSettings(theme_, settings_, this, [this] {
            theme_.setChoice(settings_.theme());
            theme_.setScale(settings_.scale());
            topBar_->refresh();
        });
    });
    on(Command::Keys, [this] {
        std::vector<QAction*> all = actions_->all();
        const auto& show = workspace_->panelActions();
        all.insert(all.end(), show.begin(), show.end());
        showKeys(theme_, all, this);
    });
    on(Command::Presenter, [this] { setPresenting((*actions_)[Command::Presenter]->isChecked()); });
    const auto choose = [this](ThemeChoice choice) {
        settings_.setTheme(choice);
        theme_.setChoice(choice);
    };
    on(Command::DarkTheme, [choose] { choose(ThemeChoice::Dark); });
    on(Command::LightTheme, [choose] { choose(ThemeChoice::Light); });
    on(Command::DesktopTheme, [choose] { choose(ThemeChoice::Desktop); });
    on(Command::RestoreLayout, [this] { restoreDefaultLayout(); });
    on(Command::CopyFindings,
       [this] { QApplication::clipboard()->setText(models_.findings.asText()); });
    on(Command::FocusChat, [this] { workspace_->showPanel(QStringLiteral("chat")); });
    on(Command::Quit, [this] { close(); });
}

void MainWindow::connectParts() {
    connect(rail_, &StageRail::stageClicked, this,
            [this](const QString& stage) { workspace_->showPanel(panelOfStage(stage)); });
    connect(rail_, &StageRail::cancelRequested, session_, &Session::cancel);
    connect(workspace_, &Workspace::panelOpened, rail_, &StageRail::setOpenPanel);
    connect(workspace_, &Workspace::panelOpened, this, [this] { refreshStrip(); });
    connect(workspace_, &Workspace::actionRequested, this, &MainWindow::run);
    connect(start_, &StartPage::recentChosen, this, &MainWindow::openPath);
    connect(topBar_, &TopBar::recentChosen, this, &MainWindow::openPath);
    topBar_->setViews(workspace_->viewActions());
    connect(topBar_, &TopBar::clusterChosen, this, &MainWindow::changeCluster);
    connect(topBar_, &TopBar::clusterWanted, this, [this] {
        protocol::JobSettings settings = models_.settings;
        settings.job.clear();
        showOpenDialog(settings);
    });
    connect(topBar_, &TopBar::meshChosen, this, &MainWindow::changeMesh);
    connect(session_, &Session::failed, this, [this](const fl::Error& error) {
        error_ = qt(error.message);
        refreshStrip();
    });
    const auto refresh = [this] {
        refreshPage();
        refreshStrip();
        refreshCommands();
    };
    connect(session_, &Session::changed, this, refresh);
    connect(&models_, &models::Models::snapshotApplied, this, refresh);
    connect(&models_.stages, &models::StageModel::stageChanged, this, [this, refresh](int row) {
        const State state = widgets::stateFromWord(qt(models_.stages.stage(row).state));
        if (state == State::Running) {
            error_.clear();
        } else if (state != State::Idle) {
            rememberModel();
        }
        refresh();
    });
    // Each of a thousand ranks tells its phase, and the answer asks all of them.
    commandsSoon_.setSingleShot(true);
    commandsSoon_.setInterval(kCommandsMilliseconds);
    connect(&commandsSoon_, &QTimer::timeout, this, &MainWindow::refreshCommands);
    connect(&models_.ranks, &models::RankModel::rankChanged, this, [this] {
        if (!commandsSoon_.isActive()) {
            commandsSoon_.start();
        }
    });
    connect(&models_.ranks, &models::RankModel::rankLost, this, refresh);
    connect(&models_.ranks, &QAbstractItemModel::modelReset, this, [this] { refreshStrip(); });
    connect(&models_.plan, &models::PlanModel::changed, this, [this] { refreshCommands(); });
    rail_->setOpenPanel(workspace_->openPanel());
}

void MainWindow::run(const QString& name) {
    for (QAction* action : actions_->all()) {
        if (action->objectName() == name && action->isEnabled()) {
            action->trigger();
        }
    }
}

void MainWindow::showOpenDialog(const protocol::JobSettings& settings) {
    auto* dialog = new OpenDialog(theme_, settings, this);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog, &QDialog::accepted, this, [this, dialog] {
        if (dialog->isJob()) {
            openPath(dialog->path());
        } else {
            openJob(dialog->settings(), dialog->until());
        }
    });
    dialog->open();
}

void MainWindow::openPath(const QString& path) {
    const QFileInfo info(path);
    if (info.suffix() == QStringLiteral("json") && info.isFile()) {
        auto json = fl::Json::parseFile(path.toStdString());
        auto job = json ? protocol::decode<protocol::JobSettings>(*json)
                        : fl::Result<protocol::JobSettings>(json.error());
        if (job) {
            openJob(*job, QStringLiteral("plan"));
            return;
        }
        error_ = tr("%1 is no job file: %2").arg(path, qt(job.error().message));
        refreshStrip();
        return;
    }
    protocol::JobSettings settings;
    settings.checkpoint = info.absoluteFilePath().toStdString();
    settings.cluster = settings_.cluster().toStdString();
    for (const RecentModel& model : settings_.recent()) {
        if (model.checkpoint == qt(settings.checkpoint)) {
            settings.cluster = model.cluster.toStdString();
        }
    }
    openJob(settings, QStringLiteral("plan"));
}

void MainWindow::openJob(const protocol::JobSettings& settings, const QString& until) {
    error_.clear();
    session_->open(settings, until);
    refreshPage();
}

void MainWindow::attach(const QString& socketPath) {
    error_.clear();
    session_->attach(socketPath);
    refreshPage();
}

void MainWindow::offerEngines() {
    const auto engines = client::runningEngines();
    if (!engines.empty() && !session_->isOpen()) {
        askForEngine(theme_, engines, this, [this](const QString& socket) { attach(socket); });
    }
}

void MainWindow::openDemo() {
    protocol::JobSettings settings;
    settings.checkpoint = demoModel().toStdString();
    settings.cluster = kDemoCluster;
    settings.tp = 3;
    settings.pp = 2;
    openJob(settings, QStringLiteral("load"));
}

void MainWindow::openPalette() {
    std::vector<QAction*> all;
    for (QAction* action : actions_->all()) {
        if (action != (*actions_)[Command::Palette]) {
            all.push_back(action);
        }
    }
    const auto& show = workspace_->panelActions();
    all.insert(all.end(), show.begin(), show.end());
    for (QAction* action : workspace_->closeActions()) {
        all.push_back(action);
    }
    for (const panels::Panel* panel : workspace_->panels()) {
        for (QAction* action : panel->actions()) {
            all.push_back(action);
        }
    }
    palette_->open(all);
}

void MainWindow::changeCluster(const QString& cluster) {
    if (models_.settings.checkpoint.empty()) {
        settings_.setCluster(cluster);
        topBar_->refresh();
        return;
    }
    protocol::JobSettings settings = models_.settings;
    settings.cluster = cluster.toStdString();
    settings.tp = settings.pp = settings.ep = settings.dp = 0;
    openJob(settings, QStringLiteral("plan"));
}

void MainWindow::changeMesh(int tp, int pp, int ep, int dp) {
    protocol::JobSettings settings = models_.settings;
    settings.tp = tp;
    settings.pp = pp;
    settings.ep = ep;
    settings.dp = dp;
    settings.stageLayers.clear();
    openJob(settings, QStringLiteral("plan"));
}

QString MainWindow::launchBlocked() const {
    if (!session_->isOpen()) {
        return tr("Open a checkpoint first");
    }
    if (session_->isStarting()) {
        return tr("The engine is starting");
    }
    const QString inspect = models_.stages.stateOf(QStringLiteral("inspect"));
    if (inspect == QStringLiteral("failed")) {
        return tr("Inspect failed: see Findings");
    }
    const QString plan = models_.stages.stateOf(QStringLiteral("plan"));
    if (plan == QStringLiteral("failed")) {
        return tr("This plan breaks rules: see Placement");
    }
    if (models_.stages.runningRow() >= 0) {
        return tr("%1 is running")
            .arg(models::StageModel::title(
                qt(models_.stages.stage(models_.stages.runningRow()).stage)));
    }
    if (session_->hasRanks() && !models_.ranks.lost()) {
        return tr("The ranks are running");
    }
    return {};
}

void MainWindow::refreshCommands() {
    const QString launch = launchBlocked();
    actions_->setBlocked(Command::Launch, launch);
    actions_->setBlocked(Command::Restart, launch);
    const bool stoppable = session_->hasRanks() || models_.stages.runningRow() >= 0;
    actions_->setBlocked(Command::Stop, stoppable ? QString() : tr("Nothing is running"));
    const QString attached = client_.isConnected() ? QString() : tr("No engine is attached");
    actions_->setBlocked(Command::Detach, attached);
    actions_->setBlocked(Command::ShutDown, attached);
    actions_->setBlocked(Command::FocusChat, workspace_->panel(QStringLiteral("chat"))
                                                 ? QString()
                                                 : tr("No chat panel"));
    const bool planned =
        models_.stages.stateOf(QStringLiteral("plan")) == QStringLiteral("passed") ||
        models_.stages.stateOf(QStringLiteral("plan")) == QStringLiteral("warnings");
    topBar_->setLaunchPrimary(launch.isEmpty() && planned && !models_.ranks.lost() &&
                              workspace_->strip().isHidden());
}

// Built anew only when it says something else: this is asked for at every event of a stage.
void MainWindow::refreshStrip() {
    const protocol::RankLost* lost = models_.ranks.lost();
    workspace_->setChartsHidden(lost && workspace_->openPanel() == QStringLiteral("topology"));
    widgets::MessageStrip& strip = workspace_->strip();
    const auto message = failureMessage(models_, error_);
    const QString shown =
        message ? QStringLiteral("%1\n%2").arg(failureText(*message)).arg(client_.isConnected())
                : QString();
    if (shown == shownFailure_ && &strip == shownStrip_) {
        return;
    }
    shownFailure_ = shown;
    shownStrip_ = &strip;
    if (message) {
        strip.show(*message);
        addStripButtons(strip, *message);
    } else {
        strip.clear();
    }
    refreshCommands();
}

void MainWindow::addStripButtons(widgets::MessageStrip& strip, const StripMessage& message) {
    const protocol::RankLost* lost = models_.ranks.lost();
    if (lost || !client_.isConnected()) {
        Button* again =
            strip.addButton(tr("Launch again"), Button::Kind::Primary, QStringLiteral("restart"));
        connect(again, &Button::clicked, (*actions_)[Command::Restart], &QAction::trigger);
    }
    if (lost && workspace_->panel(QStringLiteral("log"))) {
        const QString rank = QStringLiteral("rank %1").arg(lost->rank);
        Button* log = strip.addButton(tr("Show its log"), Button::Kind::Normal);
        connect(log, &Button::clicked, this,
                [this, rank] { workspace_->showPanel(QStringLiteral("log"), rank); });
    }
    Button* copy = strip.addButton(tr("Copy as text"), Button::Kind::Quiet, QStringLiteral("copy"));
    connect(copy, &Button::clicked, this,
            [message] { QApplication::clipboard()->setText(failureText(message)); });
    if (!lost) {
        Button* away = strip.addButton(tr("Dismiss"), Button::Kind::Quiet, QStringLiteral("close"));
        connect(away, &Button::clicked, this, [this] {
            error_.clear();
            refreshStrip();
        });
    }
}

void MainWindow::refreshPage() {
    const bool open = session_->isOpen() || !error_.isEmpty();
    if (workspace_->isStarting() == open) {
        start_->refresh();
        workspace_->showStart(!open);
        if (!open) {
            start_->begin();
        }
    }
    topBar_->refresh();
    const QString name = models_.census.empty() ? QString() : qt(models_.census.census().name);
    setWindowTitle(name.isEmpty() ? QStringLiteral("Firstlight")
                                  : name + QStringLiteral(" – Firstlight"));
}

void MainWindow::rememberModel() {
    const protocol::JobSettings& job = models_.settings;
    if (job.checkpoint.empty()) {
        return;
    }
    RecentModel model;
    model.checkpoint = qt(job.checkpoint);
    model.name = models_.census.empty() ? QFileInfo(model.checkpoint).fileName()
                                        : qt(models_.census.census().name);
    model.cluster = qt(job.cluster);
    model.plan = models_.plan.empty() ? QString() : qt(models_.plan.plan().name);
    model.when = QDateTime::currentDateTime();
    for (int row = 0; row < models::StageModel::kStageCount; ++row) {
        const protocol::StageState& stage = models_.stages.stage(row);
        if (stage.state != "idle") {
            model.state = qt(stage.state);
            model.result = models::StageModel::title(qt(stage.stage)) +
                           (stage.summary.empty() ? QString() : QStringLiteral(": ")) +
                           models::stageText(stage.summary);
        }
    }
    settings_.remember(model);
}

void MainWindow::setPresenting(bool on) {
    if (on) {
        usualScale_ = theme_.scale();
        theme_.setScale(kPresenterScale);
        showFullScreen();
    } else {
        theme_.setScale(usualScale_);
        showNormal();
    }
    foldSides();
    status_->setPresenting(on);
}

void MainWindow::restoreDefaultLayout() {
    settings_.forgetLayout();
    workspace_->restoreDefault();
    foldSides();
}

void MainWindow::saveLayout() {
    settings_.setLayout(QStringLiteral("window"), saveGeometry());
    settings_.setLayout(QStringLiteral("workspace"), workspace_->saveLayout());
}

void MainWindow::restoreLayout() {
    const QByteArray geometry = settings_.layout(QStringLiteral("window"));
    if (!geometry.isEmpty()) {
        restoreGeometry(geometry);
    }
    workspace_->restoreLayout(settings_.layout(QStringLiteral("workspace")));
}

void MainWindow::closeEvent(QCloseEvent* event) {
    saveLayout();
    if (mayClose_ || !session_->hasRanks()) {
        // An engine without ranks holds nothing worth keeping.
        if (!mayClose_ && client_.isConnected()) {
            session_->shutDown();
        }
        event->accept();
        return;
    }
    event->ignore();
    askOnClose(theme_, qt(models_.settings.job), this, [this](CloseAnswer answer) {
        if (answer == CloseAnswer::Stop) {
            session_->shutDown();
        }
        mayClose_ = true;
        close();
    });
}

void MainWindow::resizeEvent(QResizeEvent* event) {
    QMainWindow::resizeEvent(event);
    foldSides();
}

// Presenters show the big picture.
void MainWindow::foldSides() {
    const bool presenting = (*actions_)[Command::Presenter]->isChecked();
    workspace_->setRightFolded(presenting || width() < theme_.px(kFoldRightBelow));
    workspace_->setRailNarrow(presenting || width() < theme_.px(kNarrowRailBelow));
}

void MainWindow::dragEnterEvent(QDragEnterEvent* event) {
    const auto urls = event->mimeData()->urls();
    if (urls.size() == 1 && urls.first().isLocalFile()) {
        event->acceptProposedAction();
    }
}

void MainWindow::dropEvent(QDropEvent* event) {
    const auto urls = event->mimeData()->urls();
    if (!urls.isEmpty()) {
        openPath(urls.first().toLocalFile());
    }
}

void MainWindow::keyPressEvent(QKeyEvent* event) {
    QAction* presenter = (*actions_)[Command::Presenter];
    if (event->key() == Qt::Key_Escape && presenter->isChecked()) {
        presenter->trigger();
        return;
    }
    QMainWindow::keyPressEvent(event);
}

}  // namespace fl::shell
