// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/topology/rank_rows.h"

#include <QCoreApplication>

#include "ui/models/text.h"

namespace fl::panels {

using models::bytesText;
using models::qt;
using widgets::KeyValue;
using widgets::State;

namespace {

struct Words {
    Q_DECLARE_TR_FUNCTIONS(Topology)
};

const protocol::DeviceInfo* deviceOf(const models::Models& models, int rank, QString* node) {
    if (models.topology.empty())
        return nullptr;
    for (const protocol::NodeInfo& info : models.topology.topology().nodes) {
        for (const protocol::DeviceInfo& device : info.devices) {
            if (device.rank == rank) {
                *node = qt(info.name);
                return &device;
            }
        }
    }
    return nullptr;
}

void addMemory(std::vector<KeyValue>& rows, const models::RankMemory& memory) {
    if (memory.measured) {
        const bool over = memory.budget > 0 && memory.used.total > memory.budget;
        rows.push_back(
            {Words::tr("Memory"),
             Words::tr("%1 of %2").arg(bytesText(memory.used.total), bytesText(memory.budget)),
             over ? State::Failed : State::Idle});
        if (memory.peak > 0)
            rows.push_back({Words::tr("Peak"), bytesText(memory.peak), State::Idle});
        if (memory.resident > 0)
            rows.push_back({Words::tr("Resident"), bytesText(memory.resident), State::Idle});
    }
    if (memory.planned.total > 0)
        rows.push_back({Words::tr("Planned"), bytesText(memory.planned.total), State::Idle});
    if (memory.utilisation >= 0)
        rows.push_back({Words::tr("Busy"),
                        Words::tr("%1 %").arg(memory.utilisation * 100, 0, 'f', 0), State::Idle});
}

}  // namespace

QString rankSubtitle(const models::Models& models, int rank) {
    QString node;
    const protocol::DeviceInfo* device = deviceOf(models, rank, &node);
    return device == nullptr ? QString() : node + QStringLiteral(" · ") + qt(device->name);
}

std::vector<KeyValue> rankRows(const models::Models& models, int rank) {
    std::vector<KeyValue> rows;
    if (const protocol::RankState* state = models.ranks.state(rank)) {
        const bool lost = state->phase == "lost";
        rows.push_back({Words::tr("State"), models::phaseText(qt(state->phase)),
                        lost ? State::Failed : State::Idle});
        if (state->pid > 0)
            rows.push_back({Words::tr("Process"), QString::number(state->pid), State::Idle});
    }
    if (const protocol::RankInfo* info = models.plan.rank(rank)) {
        rows.push_back({Words::tr("Stage"), Words::tr("PP %1, TP %2").arg(info->pp).arg(info->tp),
                        State::Idle});
        rows.push_back({Words::tr("Layers"),
                        QStringLiteral("%1–%2").arg(info->firstLayer).arg(info->endLayer - 1),
                        State::Idle});
    }
    if (const models::RankMemory* memory = models.memory.rank(rank))
        addMemory(rows, *memory);
    if (const protocol::LoadProgress* load = models.ranks.load(rank);
        load != nullptr && load->bytesDone < load->bytes)
        rows.push_back(
            {Words::tr("Loaded"),
             Words::tr("%1 of %2").arg(bytesText(load->bytesDone), bytesText(load->bytes)),
             State::Idle});
    if (const protocol::RankState* state = models.ranks.state(rank);
        state != nullptr && !state->collective.empty())
        rows.push_back({Words::tr("Inside"), qt(state->collective), State::Idle});
    return rows;
}

}  // namespace fl::panels
