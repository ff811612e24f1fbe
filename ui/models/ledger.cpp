// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/ledger.h"

namespace fl::models {

std::array<std::int64_t, kLedgerParts> ledgerParts(const protocol::LedgerInfo& ledger) {
    return {ledger.weights,     ledger.scales,        ledger.kv,      ledger.state,
            ledger.activations, ledger.communication, ledger.context, ledger.staging};
}

}  // namespace fl::models
