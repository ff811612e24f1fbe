// SPDX-License-Identifier: GPL-3.0-or-later
// What the workbench remembers between runs: choices, recent models, the layout. One file in the
// user's configuration folder, read at once and written by a thread of its own: the window never
// waits for the disk.
#pragma once

#include <memory>
#include <vector>

#include <QByteArray>
#include <QDateTime>
#include <QString>
#include <QThreadPool>
#include <QVariantMap>

#include "ui/widgets/theme.h"

namespace fl::shell {

// A checkpoint that was opened, as the first screen lists it.
struct RecentModel {
    QString checkpoint;
    QString name;
    QString cluster;
    QString plan;    // "tp3·pp2"; empty: never planned
    QString state;   // word of a state: passed, warnings, failed, idle
    QString result;  // "42 tok/s", "parts at layer 34"
    QDateTime when;
};

class Settings {
public:
    // `path` of an INI file; it need not exist.
    explicit Settings(const QString& path);
    ~Settings();                 // all is written then
    static QString usualPath();  // $XDG_CONFIG_HOME/firstlight/workbench.ini

    widgets::ThemeChoice theme() const;
    void setTheme(widgets::ThemeChoice choice);
    double scale() const;  // 1, or 1.25 for large type
    void setScale(double scale);
    QString cluster() const;  // "local" unless chosen
    void setCluster(const QString& cluster);

    // Newest first, at most twelve, one per checkpoint.
    std::vector<RecentModel> recent() const;
    void remember(const RecentModel& model);

    // State of a part of the window; empty: never saved.
    QByteArray layout(const QString& part) const;
    void setLayout(const QString& part, const QByteArray& state);
    void forgetLayout();

private:
    struct Changes;  // not written yet
    void set(const QString& key, const QVariant& value);
    void forget(const QString& group);

    QVariantMap values_;
    std::shared_ptr<Changes> changes_;
    QThreadPool writer_;
};

}  // namespace fl::shell
