// SPDX-License-Identifier: GPL-3.0-or-later
// Puts the theme on Qt's own widgets: palette, style sheet and font of the application.
#pragma once

#include <QString>

class QApplication;

namespace fl::widgets {

class Theme;

// Now, and again whenever the theme changes. Call once, after the application is made.
void applyTheme(QApplication& application, const Theme& theme);

// resources/themes/workbench.qss with @tokens, $lengths and %icons filled in. `iconFolder` is where
// the icons that only style sheets draw were written.
QString styleSheet(const Theme& theme, const QString& iconFolder);

// What the desktop prefers, judged by the palette it gave the application before ours.
bool desktopPrefersDark();

}  // namespace fl::widgets
