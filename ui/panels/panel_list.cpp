// SPDX-License-Identifier: GPL-3.0-or-later
// The list of panels; adding one is adding its line.
#include "ui/panels/panel.h"

namespace fl::panels {

const std::vector<PanelEntry>& panelList() {
    static const std::vector<PanelEntry> kPanels = {};
    return kPanels;
}

}  // namespace fl::panels
