// SPDX-License-Identifier: Apache-2.0
// The numbers of one job, counted from what happens on its board.
#pragma once

#include <cstdint>
#include <map>

#include "engine/protocol/messages.h"
#include "engine/protocol/metric_messages.h"
#include "engine/telemetry/metric_registry.h"

namespace fl::service {

// On the control thread.
class JobMetrics {
public:
    void step(const protocol::StepSample& sample);
    void chatDone(const protocol::ChatDone& done);
    void rankLost();
    // Of one rank, since it started.
    void dropped(int rank, std::int64_t samples);

    protocol::MetricsReply values() const;

private:
    telemetry::MetricRegistry registry_;
    std::map<int, std::int64_t> dropped_;
};

}  // namespace fl::service
