// SPDX-License-Identifier: GPL-3.0-or-later
// A panel with one big picture: above it a strip for what failed, and in its place an empty state
// while there is nothing to show.
#pragma once

#include "ui/panels/panel.h"

namespace fl::widgets {
class EmptyState;
class MessageStrip;
class PageLayout;
}  // namespace fl::widgets

namespace fl::panels {

class FramedPanel : public Panel {
    Q_OBJECT

public:
    FramedPanel(const widgets::Theme& theme, QWidget* parent);

protected:
    // Once each, while the panel is built; it owns them.
    void setPicture(QWidget* picture);
    widgets::EmptyState* addEmptyState(const QString& icon,
                                       const QString& title,
                                       const QString& body);
    void showPicture(bool there);
    widgets::MessageStrip& strip() { return *strip_; }

    const widgets::Theme& theme_;

private:
    widgets::MessageStrip* strip_;
    widgets::PageLayout* stack_;
};

}  // namespace fl::panels
