// SPDX-License-Identifier: GPL-3.0-or-later
// What the shell knows of a panel: a widget with a name, an icon and a few signals. A panel shows
// models and sends requests; it never sees another panel, the shell or a socket.
#pragma once

#include <memory>
#include <vector>

#include <QString>
#include <QWidget>

#include "ui/widgets/state.h"
#include "ui/widgets/theme.h"

namespace fl::client {
class EngineClient;
}
namespace fl::widgets {
class PanelHeader;
}
namespace fl::models {
struct Models;  // ui/models/models.h
}

namespace fl::panels {

// Everything a panel may use; all of it outlives the panel.
struct PanelContext {
    const widgets::Theme& theme;
    models::Models& models;
    client::EngineClient& client;
};

// Where the shell puts a panel at first; the user may move it.
enum class PanelPlace { Middle, BelowLeft, BelowRight, BottomLeft, BottomRight, Right };

class Panel : public QWidget {
    Q_OBJECT

public:
    using QWidget::QWidget;

    virtual QString id() const = 0;     // "topology": stable, for layouts and settings
    virtual QString title() const = 0;  // "Topology", translated
    virtual QString iconName() const = 0;
    virtual PanelPlace place() const = 0;
    // First row of the panel's column, by which its dock is moved. Panels of the middle have none.
    virtual widgets::PanelHeader* header() const { return nullptr; }
    // Actions of the panel for the command palette are its QWidget::actions().

    // Show the place that `what` names: a finding's code, a tensor, "rank 3". Unknown: nothing.
    virtual void reveal(const QString& what) { Q_UNUSED(what) }

Q_SIGNALS:
    // Number and worst state of what the panel wants looked at; 0 takes the badge away.
    void badgeChanged(int count, fl::widgets::State state);
    // Ask the shell for another panel (by id) to come to the front and reveal `what`.
    void panelRequested(const QString& id, const QString& what);
    // Ask the shell for one of its actions: "open", "launch", "stop", "demo".
    void actionRequested(const QString& name);
};

// One line per panel in panel_list.cpp, in the order of their tabs.
struct PanelEntry {
    const char* id;
    Panel* (*make)(const PanelContext& context, QWidget* parent);
};
const std::vector<PanelEntry>& panelList();

}  // namespace fl::panels
