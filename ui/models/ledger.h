// SPDX-License-Identifier: GPL-3.0-or-later
// The parts of a rank's memory in their one order, which is that of the colours too.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "engine/protocol/messages.h"

namespace fl::models {

constexpr std::size_t kLedgerParts = 8;

// weights, scales, KV cache, state, activations, communication, context, staging.
std::array<std::int64_t, kLedgerParts> ledgerParts(const protocol::LedgerInfo& ledger);

}  // namespace fl::models
