// SPDX-License-Identifier: Apache-2.0
// Every metric of Firstlight by name, with its unit: the one list. Units are those of the names'
// ends, as in Prometheus: seconds, bytes, or what is counted.
#pragma once

#include <string_view>

namespace fl::telemetry {

struct MetricSpec {
    std::string_view name;
    std::string_view unit;
    std::string_view help;
};

namespace metric {

// Counters.
constexpr MetricSpec kSteps = {"steps_total", "steps", "forward passes"};
constexpr MetricSpec kPrefillTokens = {"prefill_tokens_total", "tokens", "prompt tokens computed"};
constexpr MetricSpec kDecodeTokens = {"decode_tokens_total", "tokens", "answer tokens computed"};
constexpr MetricSpec kRequests = {"requests_total", "requests", "answers that ended"};
constexpr MetricSpec kFailedRequests = {"failed_requests_total", "requests",
                                        "answers that ended with an error"};
constexpr MetricSpec kLostRanks = {"lost_ranks_total", "ranks", "ranks that died or fell silent"};

// Gauges.
constexpr MetricSpec kRunning = {"running_sequences", "sequences", "in the last step"};
constexpr MetricSpec kWaiting = {"waiting_requests", "requests", "not begun at the last step"};
constexpr MetricSpec kPagesUsed = {"kv_pages_used", "pages", "of the KV cache, at the last step"};
constexpr MetricSpec kPages = {"kv_pages", "pages", "of the KV cache in all"};
constexpr MetricSpec kDroppedSamples = {"dropped_samples", "samples",
                                        "that ranks had no room for, of all that run"};

// Windows: the last values and their spread.
constexpr MetricSpec kStepSeconds = {"step_seconds", "s", "one forward pass"};
constexpr MetricSpec kTtftSeconds = {"ttft_seconds", "s", "from a request to its first token"};
constexpr MetricSpec kTpotSeconds = {"tpot_seconds", "s", "per token behind the first"};

}  // namespace metric

}  // namespace fl::telemetry
