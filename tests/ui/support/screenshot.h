// SPDX-License-Identifier: GPL-3.0-or-later
// Screenshots as build artefacts, for eyes: <build>/screenshots/<name>.png.
#pragma once

#include <QCoreApplication>
#include <QDir>
#include <QPixmap>
#include <QWidget>

namespace fl::test {

inline QString screenshotFile(const QString& name) {
    QDir folder(QCoreApplication::applicationDirPath() + QStringLiteral("/../screenshots"));
    folder.mkpath(QStringLiteral("."));
    return folder.filePath(name + QStringLiteral(".png"));
}

inline bool saveScreenshot(QWidget& widget, const QString& name) {
    return widget.grab().save(screenshotFile(name));
}

}  // namespace fl::test
