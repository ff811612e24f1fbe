// SPDX-License-Identifier: GPL-3.0-or-later
// Folders of its own for a program under test, so that the user's stay as they are.
#pragma once

#include <utility>

#include <QDir>
#include <QString>

namespace fl::test {

// Points the XDG variables to run, state, config, cache and data below `root`, and makes them.
inline bool useFoldersBelow(const QString& root) {
    bool made = true;
    for (const auto& [variable, name] : {std::pair{"XDG_RUNTIME_DIR", "run"},
                                         {"XDG_STATE_HOME", "state"},
                                         {"XDG_CONFIG_HOME", "config"},
                                         {"XDG_CACHE_HOME", "cache"},
                                         {"XDG_DATA_HOME", "data"}}) {
        made = QDir(root).mkpath(name) && made;
        qputenv(variable, (root + '/' + name).toLocal8Bit());
    }
    return made;
}

}  // namespace fl::test
