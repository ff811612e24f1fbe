// SPDX-License-Identifier: GPL-3.0-or-later
// The small dialogs of the window. Each returns at once and tells its answer through a callback,
// so that no command ever waits inside another event loop.
#pragma once

#include <functional>
#include <vector>

#include <QString>

#include "ui/client/engine_process.h"
#include "ui/widgets/theme.h"

class QAction;
class QDialog;
class QWidget;

namespace fl::shell {

class Settings;

// Which of the running engines to attach to.
QDialog* askForEngine(const widgets::Theme& theme,
                      const std::vector<client::RunningEngine>& engines,
                      QWidget* parent,
                      std::function<void(const QString& socket)> attach);

enum class CloseAnswer { Keep, Stop };
// The window closes while a model is loaded; keeping the engine is the default. Cancelling calls
// nothing.
QDialog* askOnClose(const widgets::Theme& theme,
                    const QString& job,
                    QWidget* parent,
                    std::function<void(CloseAnswer)> answer);

// Theme, type size, default cluster. `changed` is called after each change.
QDialog* showSettings(const widgets::Theme& theme,
                      Settings& settings,
                      QWidget* parent,
                      std::function<void()> changed);

// All shortcuts.
QDialog* showKeys(const widgets::Theme& theme,
                  const std::vector<QAction*>& actions,
                  QWidget* parent);

}  // namespace fl::shell
