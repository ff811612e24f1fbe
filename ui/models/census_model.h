// SPDX-License-Identifier: GPL-3.0-or-later
// What is in the checkpoint: the census of Inspect, kept for titles, break-downs and contract.
#pragma once

#include <optional>

#include <QObject>
#include <QString>

#include "engine/protocol/messages.h"

namespace fl::models {

class CensusModel : public QObject {
    Q_OBJECT

public:
    using QObject::QObject;

    bool empty() const { return !census_; }
    // Precondition: !empty().
    const protocol::Census& census() const { return *census_; }
    // "1 file, 98.9 MiB (103.7 MB)" as the shards' subject; empty without a census.
    QString filesText() const;
    // "parameters 134.5 M" or "parameters 1,058.6 B, active 32.0 B".
    QString parametersText() const;

public slots:
    void apply(const fl::protocol::Census& census);
    void reset();

signals:
    void changed();

private:
    std::optional<protocol::Census> census_;
};

// 134,515,008 → "134.5 M", 1.0586e12 → "1,058.6 B".
QString parameterCountText(std::int64_t count);

}  // namespace fl::models
