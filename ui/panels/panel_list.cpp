// SPDX-License-Identifier: GPL-3.0-or-later
// The list of panels; adding one is adding its line.
#include "ui/panels/chat/chat_panel.h"
#include "ui/panels/checkpoint/checkpoint_panel.h"
#include "ui/panels/findings/findings_panel.h"
#include "ui/panels/latency/latency_panel.h"
#include "ui/panels/log/log_panel.h"
#include "ui/panels/memory/memory_panel.h"
#include "ui/panels/panel.h"
#include "ui/panels/placement/placement_panel.h"
#include "ui/panels/topology/topology_panel.h"
#include "ui/panels/validate/validate_panel.h"

namespace fl::panels {

namespace {

template <class T>
Panel* make(const PanelContext& context, QWidget* parent) {
    return new T(context, parent);
}

}  // namespace

const std::vector<PanelEntry>& panelList() {
    static const std::vector<PanelEntry> kPanels = {
        {"topology", make<TopologyPanel>},
        {"placement", make<PlacementPanel>},
        {"checkpoint", make<CheckpointPanel>},
        {"validate", make<ValidatePanel>},
        {"memory", make<MemoryPanel>},
        {"latency", make<LatencyPanel>},
        {"findings", make<FindingsPanel>},
        {"log", make<LogPanel>},
        {"chat", make<ChatPanel>},
    };
    return kPanels;
}

}  // namespace fl::panels
