// SPDX-License-Identifier: Apache-2.0
// Covers: engine/telemetry/metrics.h
#include "engine/service/job_metrics.h"

#include <string>

#include <gtest/gtest.h>

namespace fl::service {
namespace {

double valueOf(const JobMetrics& metrics, const std::string& name) {
    for (const protocol::Metric& one : metrics.values().metrics) {
        if (one.name == name)
            return one.value;
    }
    ADD_FAILURE() << "no metric " << name;
    return -1;
}

TEST(JobMetrics, CountsStepsAndTokens) {
    JobMetrics metrics;
    protocol::StepSample sample;
    sample.seconds = 0.5;
    sample.prefillTokens = 7;
    sample.decodeTokens = 2;
    sample.pagesUsed = 3;
    metrics.step(sample);
    metrics.step(sample);
    EXPECT_EQ(valueOf(metrics, "steps_total"), 2);
    EXPECT_EQ(valueOf(metrics, "prefill_tokens_total"), 14);
    EXPECT_EQ(valueOf(metrics, "decode_tokens_total"), 4);
    EXPECT_EQ(valueOf(metrics, "kv_pages_used"), 3);
    EXPECT_EQ(valueOf(metrics, "step_seconds_p50"), 0.5);
}

TEST(JobMetrics, TimesAnswersAndCountsTheirErrors) {
    JobMetrics metrics;
    protocol::ChatDone done;
    done.finish = "error";
    metrics.chatDone(done);
    done.finish = "stop";
    done.ids = {1, 2, 3};
    done.timing.ttft = 1;
    done.timing.seconds = 5;
    metrics.chatDone(done);
    EXPECT_EQ(valueOf(metrics, "requests_total"), 2);
    EXPECT_EQ(valueOf(metrics, "failed_requests_total"), 1);
    EXPECT_EQ(valueOf(metrics, "ttft_seconds_count"), 1);
    EXPECT_EQ(valueOf(metrics, "tpot_seconds_p99"), 2);
}

TEST(JobMetrics, AddsUpWhatRanksDropped) {
    JobMetrics metrics;
    metrics.dropped(0, 5);
    metrics.dropped(1, 2);
    metrics.dropped(0, 6);
    EXPECT_EQ(valueOf(metrics, "dropped_samples"), 8);
}

TEST(JobMetrics, HaveNamesUnitsAndMeanings) {
    JobMetrics metrics;
    metrics.step({});
    metrics.rankLost();
    for (const protocol::Metric& one : metrics.values().metrics) {
        EXPECT_FALSE(one.unit.empty() || one.help.empty() || one.kind.empty()) << one.name;
        EXPECT_EQ(one.kind == "counter", one.name.ends_with("_total")) << one.name;
    }
}

}  // namespace
}  // namespace fl::service
