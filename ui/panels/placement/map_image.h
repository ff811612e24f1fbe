// SPDX-License-Identifier: GPL-3.0-or-later
// The cells of a placement map as pixels: what is seen of them, written line by line. A thousand
// ranks are one image, not sixty thousand items.
#pragma once

#include <QImage>

#include "ui/panels/placement/map_view.h"
#include "ui/panels/placement/placement_grid.h"
#include "ui/widgets/theme.h"

namespace fl::panels {

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
