// SPDX-License-Identifier: Apache-2.0
#include "engine/service/job_metrics.h"

namespace fl::service {

namespace metric = telemetry::metric;

void JobMetrics::step(const protocol::StepSample& sample) {
    registry_.counter(metric::kSteps).add();
    registry_.counter(metric::kPrefillTokens).add(sample.prefillTokens);
    registry_.counter(metric::kDecodeTokens).add(sample.decodeTokens);
    registry_.gauge(metric::kRunning).set(sample.running);
    registry_.gauge(metric::kWaiting).set(sample.waiting);
    registry_.gauge(metric::kPagesUsed).set(static_cast<double>(sample.pagesUsed));
    registry_.gauge(metric::kPages).set(static_cast<double>(sample.pages));
    registry_.window(metric::kStepSeconds).add(sample.seconds);
}

void JobMetrics::chatDone(const protocol::ChatDone& done) {
    registry_.counter(metric::kRequests).add();
    if (done.finish == "error")
        registry_.counter(metric::kFailedRequests).add();
    if (done.ids.empty())
        return;
    registry_.window(metric::kTtftSeconds).add(done.timing.ttft);
    if (done.ids.size() > 1)
        registry_.window(metric::kTpotSeconds)
            .add((done.timing.seconds - done.timing.ttft) /
                 static_cast<double>(done.ids.size() - 1));
}

void JobMetrics::rankLost() {
    registry_.counter(metric::kLostRanks).add();
}

void JobMetrics::dropped(int rank, std::int64_t samples) {
    dropped_[rank] = samples;
    std::int64_t all = 0;
    for (const auto& [unused, count] : dropped_)
        all += count;
    registry_.gauge(metric::kDroppedSamples).set(static_cast<double>(all));
}

protocol::MetricsReply JobMetrics::values() const {
    protocol::MetricsReply out;
    for (const telemetry::MetricValue& value : registry_.values())
        out.metrics.push_back({value.name, value.kind, value.unit, value.help, value.value});
    return out;
}

}  // namespace fl::service
