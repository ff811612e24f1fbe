// SPDX-License-Identifier: GPL-3.0-or-later
// Puts the theme on Qt's own widgets: palette, font and style of the application, style sheets.
#pragma once

#include <functional>

#include <QString>

class QAbstractScrollArea;
class QApplication;

namespace fl::widgets {

class Theme;

// Now, and again whenever the theme changes. Call once, after the application is made.
void applyTheme(QApplication& application, const Theme& theme);

// resources/themes/workbench.qss with @tokens, $lengths and %icons filled in. `iconFolder` is where
// the icons that only style sheets draw were written.
QString styleSheet(const Theme& theme, const QString& iconFolder);

// Lets what lies behind a view or a text show through.
void clearGround(QAbstractScrollArea& area);

// What the desktop prefers at this moment, judged by the colours it gives to applications that
// bring none.
bool desktopPrefersDark();

// Tells the theme what the desktop prefers, now and whenever that changes; it counts while the
// theme's choice is Desktop. Call before applyTheme.
void followDesktop(QApplication& application,
                   Theme& theme,
                   std::function<bool()> prefersDark = desktopPrefersDark);

}  // namespace fl::widgets
