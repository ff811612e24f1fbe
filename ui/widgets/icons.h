// SPDX-License-Identifier: GPL-3.0-or-later
// Line icons of resources/icons, drawn in the colour of the text beside them at any scale.
#pragma once

#include <QIcon>
#include <QPixmap>
#include <QString>

#include "ui/widgets/state.h"
#include "ui/widgets/theme.h"

class QPainter;
class QRectF;

namespace fl::widgets {

// The icon follows the theme: it is drawn anew in the token's present colour each time, disabled
// in t3. `theme` must outlive it.
QIcon icon(const Theme& theme, const QString& name, Token color = Token::T2);

// Draws icon `name` into the square `box`; an unknown name draws nothing. `degrees` turns it.
void paintIcon(QPainter& painter,
               const QRectF& box,
               const QString& name,
               const QColor& color,
               double degrees = 0);
void paintState(
    QPainter& painter, const QRectF& box, State state, const Theme& theme, double degrees = 0);

// The program's mark: accent star in a ring.
void paintMark(QPainter& painter, const QRectF& box, const Theme& theme);
QPixmap markPixmap(const Theme& theme, int size, double ratio);

}  // namespace fl::widgets
