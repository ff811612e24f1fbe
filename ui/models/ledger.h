// SPDX-License-Identifier: GPL-3.0-or-later
// The parts of a rank's memory in their one order, for bars, stacks and legends.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include <QString>

#include "engine/protocol/messages.h"

namespace fl::models {

constexpr std::size_t kLedgerParts = 8;

// weights, scales, KV cache, state, activations, communication, context, staging.
std::array<std::int64_t, kLedgerParts> ledgerParts(const protocol::LedgerInfo& ledger);
QString ledgerPartTitle(std::size_t part);
// Series number (1 … 8) of a part's colour, the same in every panel.
int ledgerSeries(std::size_t part);

}  // namespace fl::models
