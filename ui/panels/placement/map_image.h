// SPDX-License-Identifier: GPL-3.0-or-later
// The cells of a placement map as pixels: what is seen of them, written line by line. A thousand
// ranks are one image, not sixty thousand items.
#pragma once

#include <QImage>

#include "ui/panels/placement/map_view.h"
#include "ui/panels/placement/placement_grid.h"
#include "ui/widgets/theme.h"

namespace fl::panels {

// The top of the theme's map is kept for what is larger than any cell: outlines and the pointer.
inline constexpr double kMostColour = 0.72;

QColor cellColor(const GridCell& cell,
                 const PlacementGrid& grid,
                 ColourBy by,
                 const widgets::Theme& theme);

// Of the view's viewport. `ratio`: device pixels per pixel.
QImage mapImage(const PlacementGrid& grid,
                ColourBy by,
                const MapView& view,
                const widgets::Theme& theme,
                double ratio);

}  // namespace fl::panels
