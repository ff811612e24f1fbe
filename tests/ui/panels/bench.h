// SPDX-License-Identifier: GPL-3.0-or-later
// A panel with the models, the theme and a client that is connected to nothing, as tests need it.
#pragma once

#include <functional>

#include <QString>
#include <QWidget>

#include "ui/client/engine_client.h"
#include "ui/models/models.h"
#include "ui/panels/panel.h"
#include "ui/widgets/theme.h"

namespace fl::test {

class Bench {
public:
    Bench();

    widgets::Theme theme;
    models::Models models;
    client::EngineClient client;
    panels::PanelContext context{theme, models, client};

    // Shows `widget` at this size, lets it settle and checks what every panel must keep: no cut
    // text, no nameless control. Returns what is wrong.
    static QStringList settle(QWidget& widget, QSize size);
    // Writes build/<preset>/screenshots/<name>-dark.png and -light.png. `prepare` runs after each
    // change of the theme. Returns what settle() found.
    QStringList shoot(QWidget& widget,
                      const QString& name,
                      QSize size,
                      const std::function<void()>& prepare = {});
};

}  // namespace fl::test
