// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/topology/card_state.h"

#include <algorithm>

#include <QCoreApplication>

#include "ui/models/models.h"
#include "ui/models/text.h"

namespace fl::panels {

using models::bytesText;
using models::qt;
using widgets::Token;

namespace {

struct Words {
    Q_DECLARE_TR_FUNCTIONS(Topology)
};

QString percent(double part) {
    return Words::tr("%1 %").arg(part * 100, 0, 'f', 0);
}

constexpr double kNoTemperature = -999;

QString degrees(const models::RankMemory* memory) {
    return memory != nullptr && memory->temperature > kNoTemperature
               ? Words::tr("%1°").arg(memory->temperature, 0, 'f', 0)
               : QString();
}

double part(std::int64_t of, std::int64_t whole) {
    return whole > 0 ? std::clamp(double(of) / double(whole), 0.0, 1.0) : 0;
}

// What counts is what the job may use: the budget, where there is one.
std::int64_t capacity(const protocol::DeviceInfo& info, const models::RankMemory* memory) {
    if (memory != nullptr && memory->budget > 0)
        return memory->budget;
    return info.budgetBytes > 0 ? info.budgetBytes : info.memoryBytes;
}

bool loading(const protocol::LoadProgress* load) {
    return load != nullptr && load->bytesDone < load->bytes;
}

void showMemory(CardState& card,
                const models::RankMemory* memory,
                const protocol::LoadProgress* load,
                std::int64_t capacity) {
    if (memory == nullptr) {
        card.left = bytesText(capacity);
        card.leftColor = Token::T3;
        return;
    }
    card.bar = part(memory->used.total, capacity);
    card.tick = part(memory->planned.total, capacity);
    card.right = degrees(memory);
    if (!memory->measured) {
        card.value = percent(card.tick);
        card.valueColor = Token::T3;
        card.left = bytesText(memory->planned.total);
        card.leftColor = Token::T3;
        return;
    }
    card.value = loading(load) ? percent(part(load->bytesDone, load->bytes)) : percent(card.bar);
    card.left = bytesText(memory->used.total);
}

void showLoad(CardState& card,
              const models::RankMemory* memory,
              const protocol::LoadProgress* load) {
    const bool measured = memory != nullptr && memory->utilisation >= 0;
    card.bar = measured ? memory->utilisation : 0;
    card.value = measured ? percent(memory->utilisation) : Words::tr("none");
    card.valueColor = measured ? Token::T2 : Token::T3;
    card.right = degrees(memory);
    if (loading(load))
        card.left = models::rateText(load->bytesPerSecond);
}

// Cards rarely leave 30 … 90 °C; the bar spans that.
void showTemperature(CardState& card, const models::RankMemory* memory) {
    const QString text = degrees(memory);
    card.value = text.isEmpty() ? Words::tr("none") : text;
    card.bar = text.isEmpty() ? 0 : std::clamp((memory->temperature - 30) / 60, 0.0, 1.0);
}

void showState(CardState& card, const models::Models& models, const models::RankMemory* memory) {
    const protocol::RankState* state = models.ranks.state(card.rank);
    card.right = degrees(memory);
    if (state == nullptr) {
        card.value = Words::tr("planned");
        card.valueColor = Token::T3;
        return;
    }
    const bool waits = models.ranks.lost() != nullptr && state->phase != "stopped";
    card.value = waits ? Words::tr("waits") : models::phaseText(qt(state->phase));
    card.valueColor = waits ? Token::Warn : Token::T2;
    card.leftColor = Token::T3;
    if (state->seconds > 0)
        card.left = models::durationText(state->seconds);
    const protocol::LoadProgress* load = models.ranks.load(card.rank);
    card.bar = load != nullptr ? part(load->bytesDone, load->bytes) : 0;
}

void showDead(CardState& card, const protocol::RankLost& lost) {
    card.dead = true;
    card.value = models::lostWord(lost);
    card.valueColor = Token::Err;
    card.left = lost.signal == 0 && lost.cause.starts_with("silent") ? Words::tr("silent %1")
                                                                     : Words::tr("died %1");
    card.left = card.left.arg(models::durationText(lost.seconds));
    card.leftColor = Token::Err;
    card.right.clear();
    card.bar = 0;
    card.tick = -1;
}

}  // namespace

CardState cardState(const models::Models& models, int node, int device, TopologyMeasure measure) {
    const protocol::DeviceInfo& info =
        models.topology.topology().nodes[std::size_t(node)].devices[std::size_t(device)];
    CardState card;
    card.rank = info.rank;
    card.name = info.rank >= 0 ? QStringLiteral("r%1").arg(info.rank) : QString::number(info.index);
    if (info.rank < 0) {
        card.value = Words::tr("free");
        card.valueColor = Token::T3;
        card.left = bytesText(capacity(info, nullptr));
        card.leftColor = Token::T3;
        return card;
    }
    const models::RankMemory* memory = models.memory.rank(info.rank);
    const protocol::LoadProgress* load = models.ranks.load(info.rank);
    switch (measure) {
        case TopologyMeasure::State:
            showState(card, models, memory);
            break;
        case TopologyMeasure::Memory:
            showMemory(card, memory, load, capacity(info, memory));
            break;
        case TopologyMeasure::Load:
            showLoad(card, memory, load);
            break;
        case TopologyMeasure::Temperature:
            showTemperature(card, memory);
            break;
    }
    const protocol::RankLost* lost = models.ranks.lost();
    if (lost != nullptr && lost->rank == info.rank)
        showDead(card, *lost);
    return card;
}

}  // namespace fl::panels
