// SPDX-License-Identifier: GPL-3.0-or-later
// What to open, on which cluster, cut how, and how far to go.
#pragma once

#include <array>

#include <QDialog>

#include "engine/protocol/messages.h"
#include "ui/widgets/theme.h"

class QLineEdit;

namespace fl::widgets {
class Button;
class SegmentedControl;
class TextLabel;
class WhatIfRow;
}  // namespace fl::widgets

namespace fl::shell {

class OpenDialog : public QDialog {
    Q_OBJECT

public:
    OpenDialog(const widgets::Theme& theme,
               const protocol::JobSettings& settings,
               QWidget* parent = nullptr);

    // Folder, weight file or job file.
    QString path() const;
    void setPath(const QString& path);
    // A job file says all the rest itself.
    bool isJob() const;
    protocol::JobSettings settings() const;
    QString until() const;  // "plan" or "load"

private:
    void build(const protocol::JobSettings& settings);
    void check();
    void browse(bool folder);
    QWidget* addLabelled(const QString& text, QWidget* field);

    const widgets::Theme& theme_;
    QLineEdit* path_;
    QLineEdit* cluster_;
    widgets::TextLabel* note_;
    std::array<widgets::WhatIfRow*, 4> mesh_{};
    widgets::SegmentedControl* until_;
    widgets::Button* open_;
};

}  // namespace fl::shell
