// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/ledger.h"

#include <QCoreApplication>

namespace fl::models {

std::array<std::int64_t, kLedgerParts> ledgerParts(const protocol::LedgerInfo& ledger) {
    return {ledger.weights,     ledger.scales,        ledger.kv,      ledger.state,
            ledger.activations, ledger.communication, ledger.context, ledger.staging};
}

QString ledgerPartTitle(std::size_t part) {
    const std::array<QString, kLedgerParts> titles = {
        QCoreApplication::translate("Ledger", "Weights"),
        QCoreApplication::translate("Ledger", "Scales"),
        QCoreApplication::translate("Ledger", "KV cache"),
        QCoreApplication::translate("Ledger", "State"),
        QCoreApplication::translate("Ledger", "Activations"),
        QCoreApplication::translate("Ledger", "Communication"),
        QCoreApplication::translate("Ledger", "Context"),
        QCoreApplication::translate("Ledger", "Staging")};
    return part < titles.size() ? titles[part] : QString();
}

int ledgerSeries(std::size_t part) {
    constexpr std::array<int, kLedgerParts> kSeries = {1, 7, 3, 4, 2, 5, 8, 6};
    return part < kSeries.size() ? kSeries[part] : 1;
}

}  // namespace fl::models
