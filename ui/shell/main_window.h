// SPDX-License-Identifier: GPL-3.0-or-later
// The window: tool bar, stage rail, workspace or first screen, status line; and the commands that
// connect them to the session.
#pragma once

#include <vector>

#include <QMainWindow>
#include <QTimer>

#include "engine/protocol/messages.h"
#include "ui/widgets/theme.h"

namespace fl::widgets {
class MessageStrip;
struct StripMessage;
}  // namespace fl::widgets

namespace fl::client {
class EngineClient;
}
namespace fl::models {
struct Models;
}
namespace fl::panels {
struct PanelEntry;
}

namespace fl::shell {

class Actions;
class CommandPalette;
class Session;
class Settings;
class StageRail;
class StartPage;
class StatusLine;
class TopBar;
class Workspace;

// What the window is made from; all of it outlives the window.
struct WindowParts {
    widgets::Theme& theme;
    models::Models& models;
    client::EngineClient& client;
    Settings& settings;
    const std::vector<panels::PanelEntry>& panels;
    QString engineProgram;  // empty: firstlightd beside the workbench
};

class MainWindow : public QMainWindow {
    Q_OBJECT

public:
    explicit MainWindow(const WindowParts& parts, QWidget* parent = nullptr);
    ~MainWindow() override;

    // A model folder, a weight file or a job file.
    void openPath(const QString& path);
    void openJob(const protocol::JobSettings& settings, const QString& until);
    void attach(const QString& socketPath);
    // Offers the engines that run, if any do and nothing is open.
    void offerEngines();

    Actions& actions() { return *actions_; }
    Session& session() { return *session_; }
    Workspace& workspace() { return *workspace_; }
    CommandPalette& palette() { return *palette_; }
    void restoreDefaultLayout();
    void saveLayout();

protected:
    void closeEvent(QCloseEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dropEvent(QDropEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    void build();
    void connectCommands();
    void connectParts();
    void restoreLayout();
    void refreshCommands();
    void refreshStrip();
    void addStripButtons(widgets::MessageStrip& strip, const widgets::StripMessage& message);
    void refreshPage();
    void showOpenDialog(const protocol::JobSettings& settings);
    void openDemo();
    void openPalette();
    void changeCluster(const QString& cluster);
    void changeMesh(int tp, int pp, int ep, int dp);
    void setPresenting(bool on);
    void foldSides();
    void rememberModel();
    void run(const QString& name);  // one of the commands, by its name
    QString launchBlocked() const;

    widgets::Theme& theme_;
    models::Models& models_;
    client::EngineClient& client_;
    Settings& settings_;
    Actions* actions_;
    Session* session_;
    TopBar* topBar_;
    StageRail* rail_;
    StartPage* start_;
    Workspace* workspace_;
    StatusLine* status_;
    CommandPalette* palette_;
    QString error_;  // the last command that failed
    QString shownFailure_;
    const widgets::MessageStrip* shownStrip_ = nullptr;
    QTimer commandsSoon_;
    double usualScale_ = 1;
    bool mayClose_ = false;
};

// Folder or file of the demo model below the data folder; empty if it was not fetched.
QString demoModel();

}  // namespace fl::shell
