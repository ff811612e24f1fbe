// SPDX-License-Identifier: GPL-3.0-or-later
// Reads and writes the settings file.
#include "ui/shell/settings.h"

#include <algorithm>
#include <utility>

#include <QMutex>
#include <QSettings>

#include "engine/base/paths.h"

namespace fl::shell {

namespace {
constexpr std::size_t kMostRecent = 12;
// Raised when the parts of the window change; older layouts are dropped then.
constexpr int kLayoutVersion = 2;
constexpr double kSmallest = 1;
constexpr double kLargest = 1.5;

const char* const kThemes[] = {"desktop", "dark", "light"};

QString recentKey(std::size_t row, const char* field) {
    return QStringLiteral("recent/%1/%2").arg(row + 1).arg(QLatin1String(field));
}

}  // namespace

struct Settings::Changes {
    QMutex mutex;
    QString path;
    QVariantMap values;  // an invalid one: removed

    // Other windows write the same file: QSettings locks it, keeps what they wrote, and waits until
    // the disk has it.
    void write() {
        mutex.lock();
        const QVariantMap taken = std::exchange(values, {});
        mutex.unlock();
        QSettings file(path, QSettings::IniFormat);
        for (auto one = taken.begin(); one != taken.end(); ++one) {
            if (one.value().isValid()) {
                file.setValue(one.key(), one.value());
            } else {
                file.remove(one.key());
            }
        }
    }
};

Settings::Settings(const QString& path) : changes_(std::make_shared<Changes>()) {
    changes_->path = path;
    writer_.setMaxThreadCount(1);
    const QSettings file(path, QSettings::IniFormat);
    for (const QString& key : file.allKeys()) {
        values_.insert(key, file.value(key));
    }
}

Settings::~Settings() {
    writer_.waitForDone();
}

void Settings::set(const QString& key, const QVariant& value) {
    if (value.isValid()) {
        values_.insert(key, value);
    } else {
        values_.remove(key);
    }
    const QMutexLocker lock(&changes_->mutex);
    const bool first = changes_->values.isEmpty();
    changes_->values.insert(key, value);
    if (first) {
        writer_.start([changes = changes_] { changes->write(); });
    }
}

void Settings::forget(const QString& group) {
    for (const QString& key : values_.keys()) {
        if (key.startsWith(group + QLatin1Char('/'))) {
            set(key, {});
        }
    }
}

QString Settings::usualPath() {
    return QString::fromStdString(fl::configDir()) + QStringLiteral("/workbench.ini");
}

widgets::ThemeChoice Settings::theme() const {
    const QString word = values_.value("theme").toString();
    for (int i = 0; i < 3; ++i) {
        if (word == QLatin1String(kThemes[i])) {
            return static_cast<widgets::ThemeChoice>(i);
        }
    }
    return widgets::ThemeChoice::Desktop;
}

void Settings::setTheme(widgets::ThemeChoice choice) {
    set("theme", QLatin1String(kThemes[int(choice)]));
}

double Settings::scale() const {
    return std::clamp(values_.value("scale", 1.0).toDouble(), kSmallest, kLargest);
}

void Settings::setScale(double scale) {
    set("scale", scale);
}

QString Settings::cluster() const {
    const QString cluster = values_.value("cluster").toString();
    return cluster.isEmpty() ? QStringLiteral("local") : cluster;
}

void Settings::setCluster(const QString& cluster) {
    set("cluster", cluster);
}

std::vector<RecentModel> Settings::recent() const {
    std::vector<RecentModel> models;
    const auto count = values_.value("recent/size").toULongLong();
    for (std::size_t i = 0; i < std::min<std::size_t>(count, kMostRecent); ++i) {
        const auto text = [&](const char* field) {
            return values_.value(recentKey(i, field)).toString();
        };
        RecentModel model{text("checkpoint"),
                          text("name"),
                          text("cluster"),
                          text("plan"),
                          text("state"),
                          text("result"),
                          values_.value(recentKey(i, "when")).toDateTime()};
        if (!model.checkpoint.isEmpty()) {
            models.push_back(std::move(model));
        }
    }
    return models;
}

void Settings::remember(const RecentModel& model) {
    std::vector<RecentModel> models = recent();
    std::erase_if(models,
                  [&](const RecentModel& old) { return old.checkpoint == model.checkpoint; });
    models.insert(models.begin(), model);
    models.resize(std::min(models.size(), kMostRecent));
    set("recent/size", int(models.size()));
    for (std::size_t i = 0; i < models.size(); ++i) {
        set(recentKey(i, "checkpoint"), models[i].checkpoint);
        set(recentKey(i, "name"), models[i].name);
        set(recentKey(i, "cluster"), models[i].cluster);
        set(recentKey(i, "plan"), models[i].plan);
        set(recentKey(i, "state"), models[i].state);
        set(recentKey(i, "result"), models[i].result);
        set(recentKey(i, "when"), models[i].when);
    }
}

QByteArray Settings::layout(const QString& part) const {
    if (values_.value("layout/version").toInt() != kLayoutVersion) {
        return {};
    }
    return values_.value(QStringLiteral("layout/") + part).toByteArray();
}

void Settings::setLayout(const QString& part, const QByteArray& state) {
    set("layout/version", kLayoutVersion);
    set(QStringLiteral("layout/") + part, state);
}

void Settings::forgetLayout() {
    forget(QStringLiteral("layout"));
}

}  // namespace fl::shell
