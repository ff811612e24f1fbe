// SPDX-License-Identifier: GPL-3.0-or-later
// Reads and writes the settings file.
#include "ui/shell/settings.h"

#include <algorithm>

#include "engine/base/paths.h"

namespace fl::shell {

namespace {
constexpr std::size_t kMostRecent = 12;
// Raised when the parts of the window change; older layouts are dropped then.
constexpr int kLayoutVersion = 2;
constexpr double kSmallest = 1;
constexpr double kLargest = 1.5;

const char* const kThemes[] = {"desktop", "dark", "light"};
}  // namespace

Settings::Settings(const QString& path) : file_(path, QSettings::IniFormat) {}

QString Settings::usualPath() {
    return QString::fromStdString(fl::configDir()) + QStringLiteral("/workbench.ini");
}

widgets::ThemeChoice Settings::theme() const {
    const QString word = file_.value("theme").toString();
    for (int i = 0; i < 3; ++i) {
        if (word == QLatin1String(kThemes[i])) {
            return static_cast<widgets::ThemeChoice>(i);
        }
    }
    return widgets::ThemeChoice::Desktop;
}

void Settings::setTheme(widgets::ThemeChoice choice) {
    file_.setValue("theme", QLatin1String(kThemes[int(choice)]));
}

double Settings::scale() const {
    return std::clamp(file_.value("scale", 1.0).toDouble(), kSmallest, kLargest);
}

void Settings::setScale(double scale) {
    file_.setValue("scale", scale);
}

QString Settings::cluster() const {
    const QString cluster = file_.value("cluster").toString();
    return cluster.isEmpty() ? QStringLiteral("local") : cluster;
}

void Settings::setCluster(const QString& cluster) {
    file_.setValue("cluster", cluster);
}

std::vector<RecentModel> Settings::recent() const {
    std::vector<RecentModel> models;
    const int count = file_.beginReadArray("recent");
    for (int i = 0; i < count; ++i) {
        file_.setArrayIndex(i);
        RecentModel model;
        model.checkpoint = file_.value("checkpoint").toString();
        model.name = file_.value("name").toString();
        model.cluster = file_.value("cluster").toString();
        model.plan = file_.value("plan").toString();
        model.state = file_.value("state").toString();
        model.result = file_.value("result").toString();
        model.when = file_.value("when").toDateTime();
        if (!model.checkpoint.isEmpty()) {
            models.push_back(model);
        }
    }
    file_.endArray();
    return models;
}

void Settings::remember(const RecentModel& model) {
    std::vector<RecentModel> models = recent();
    std::erase_if(models,
                  [&](const RecentModel& old) { return old.checkpoint == model.checkpoint; });
    models.insert(models.begin(), model);
    models.resize(std::min(models.size(), kMostRecent));
    file_.remove("recent");
    file_.beginWriteArray("recent", int(models.size()));
    for (std::size_t i = 0; i < models.size(); ++i) {
        file_.setArrayIndex(int(i));
        file_.setValue("checkpoint", models[i].checkpoint);
        file_.setValue("name", models[i].name);
        file_.setValue("cluster", models[i].cluster);
        file_.setValue("plan", models[i].plan);
        file_.setValue("state", models[i].state);
        file_.setValue("result", models[i].result);
        file_.setValue("when", models[i].when);
    }
    file_.endArray();
}

QByteArray Settings::layout(const QString& part) const {
    if (file_.value("layout/version").toInt() != kLayoutVersion) {
        return {};
    }
    return file_.value(QStringLiteral("layout/") + part).toByteArray();
}

void Settings::setLayout(const QString& part, const QByteArray& state) {
    file_.setValue("layout/version", kLayoutVersion);
    file_.setValue(QStringLiteral("layout/") + part, state);
}

void Settings::forgetLayout() {
    file_.remove("layout");
}

}  // namespace fl::shell
