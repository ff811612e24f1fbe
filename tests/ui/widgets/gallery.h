// SPDX-License-Identifier: GPL-3.0-or-later
// All widgets on one sheet, as the design's picture of tokens and widgets shows them.
#pragma once

#include <QWidget>

namespace fl::widgets {
class Theme;
}

namespace fl::test {

QWidget* makeGallery(const widgets::Theme& theme, const QString& title);

}  // namespace fl::test
