// SPDX-License-Identifier: GPL-3.0-or-later
// The desktop workbench: makes the parts of the window and hands them to each other.
#include <cstdio>

#include <QApplication>
#include <QCommandLineParser>
#include <QLocale>
#include <QTimer>
#include <QTranslator>

#include "engine/base/paths.h"
#include "ui/client/engine_client.h"
#include "ui/models/models.h"
#include "ui/panels/panel.h"
#include "ui/shell/main_window.h"
#include "ui/shell/settings.h"
#include "ui/shell/wiring.h"
#include "ui/widgets/focus_ring.h"
#include "ui/widgets/theme.h"
#include "ui/widgets/theme_style.h"

using namespace fl;

namespace {

void addOptions(QCommandLineParser& parser) {
    parser.setApplicationDescription(
        QStringLiteral("Bring up a large open-weight model: inspect, plan, launch, load, chat."));
    parser.addHelpOption();
    parser.addVersionOption();
    parser.addPositionalArgument("what", "Model folder, weight file or job file.", "[what]");
    parser.addOptions({
        {"attach", "Attach to the running engine of this job.", "job"},
        {"cluster", "local, cpu:cards=N,memory=SIZE, or a cluster file.", "cluster"},
        {"tp", "Tensor-parallel ranks.", "n"},
        {"pp", "Pipeline stages.", "n"},
        {"ep", "Ranks that one layer's experts are spread over.", "n"},
        {"dp", "Replicas.", "n"},
        {"until", "Stage to bring the model up to: inspect, plan, launch or load.", "stage",
         "plan"},
        {"theme", "dark, light or desktop.", "theme"},
        {"size", "Size of the window, 1440x900.", "size"},
        {"screenshot", "Write a picture of the window to this file and end.", "file"},
        {"screenshot-after", "Seconds until the picture is taken.", "seconds", "1"},
    });
}

protocol::JobSettings jobFrom(const QCommandLineParser& parser, const shell::Settings& settings) {
    protocol::JobSettings job;
    job.checkpoint = parser.positionalArguments().value(0).toStdString();
    job.cluster = parser.isSet("cluster") ? parser.value("cluster").toStdString()
                                          : settings.cluster().toStdString();
    job.tp = parser.value("tp").toInt();
    job.pp = parser.value("pp").toInt();
    job.ep = parser.value("ep").toInt();
    job.dp = parser.value("dp").toInt();
    return job;
}

void begin(shell::MainWindow& window,
           const QCommandLineParser& parser,
           const shell::Settings& settings) {
    const QString what = parser.positionalArguments().value(0);
    if (parser.isSet("attach")) {
        const auto folder = runtimeDir();
        if (folder) {
            window.attach(QString::fromStdString(*folder) + '/' + parser.value("attach") + ".sock");
        }
    } else if (what.endsWith(".json")) {
        window.openPath(what);
    } else if (!what.isEmpty()) {
        window.openJob(jobFrom(parser, settings), parser.value("until"));
    } else if (!parser.isSet("screenshot")) {
        window.offerEngines();
    }
}

void chooseTheme(widgets::Theme& theme,
                 const QCommandLineParser& parser,
                 shell::Settings& settings) {
    widgets::followDesktop(*qApp, theme);
    theme.setScale(settings.scale());
    const QString word = parser.value("theme");
    theme.setChoice(word == "dark"    ? widgets::ThemeChoice::Dark
                    : word == "light" ? widgets::ThemeChoice::Light
                                      : settings.theme());
}

void takePicture(shell::MainWindow& window, const QCommandLineParser& parser) {
    const QString file = parser.value("screenshot");
    QTimer::singleShot(int(parser.value("screenshot-after").toDouble() * 1000), &window,
                       [&window, file] {
                           const bool saved = window.grab().save(file);
                           if (!saved) {
                               std::fprintf(stderr, "cannot write %s\n", qPrintable(file));
                           }
                           QCoreApplication::exit(saved ? 0 : 3);
                       });
}

}  // namespace

int main(int argc, char** argv) {
    QApplication application(argc, argv);
    QApplication::setApplicationName("firstlight");
    QApplication::setApplicationVersion(FIRSTLIGHT_VERSION);
    QCommandLineParser parser;
    addOptions(parser);
    parser.process(application);
    QTranslator translator;
    if (translator.load(QLocale(), "workbench", "_", ":/firstlight/translations")) {
        QApplication::installTranslator(&translator);
    }
    shell::Settings settings(shell::Settings::usualPath());
    widgets::Theme theme;
    chooseTheme(theme, parser, settings);
    widgets::applyTheme(application, theme);
    widgets::FocusRing ring(application, theme);
    client::EngineClient client;
    models::Models models;
    shell::wire(client, models);
    shell::MainWindow window({theme, models, client, settings, panels::panelList(), {}});
    const QStringList size = parser.value("size").split('x');
    if (size.size() == 2) {
        window.resize(size[0].toInt(), size[1].toInt());
    }
    window.show();
    begin(window, parser, settings);
    if (parser.isSet("screenshot")) {
        takePicture(window, parser);
    }
    return QApplication::exec();
}
