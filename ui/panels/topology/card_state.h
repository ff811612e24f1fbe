// SPDX-License-Identifier: GPL-3.0-or-later
// What one device card says at the moment, ready to be drawn.
#pragma once

#include <QColor>
#include <QString>

#include "ui/widgets/theme.h"

namespace fl::models {
struct Models;
}

namespace fl::panels {

enum class TopologyMeasure { State, Memory, Load, Temperature };

struct CardState {
    int rank = -1;
    QString name;   // "r13"; the device's index where no rank runs
    QString value;  // right of the name
    QString left;   // below the bar
    QString right;
    double bar = 0;    // 0 … 1
    double tick = -1;  // of the planned amount; −1: none
    widgets::Token valueColor = widgets::Token::T2;
    widgets::Token leftColor = widgets::Token::T2;
    bool dead = false;
    QColor outline;  // of a lit group; invalid: none
    bool selected = false;
};

// State of the card of `device` on `node` under the chosen measure; without outline.
CardState cardState(const models::Models& models, int node, int device, TopologyMeasure measure);

}  // namespace fl::panels
