// SPDX-License-Identifier: Apache-2.0
// Numbers with names. For `status` and what scrapes engines; panels have events.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace fl::protocol {

namespace method {
constexpr std::string_view kMetrics = "metrics.read";  // → MetricsReply
}

struct Metric {
    std::string name;
    std::string kind;  // counter, gauge, window
    std::string unit;  // "s", "tokens", "pages", …
    std::string help;
    double value = 0;
    template <class S, class F>
    static void fields(S& s, F&& f) {
        f("name", s.name);
        f("kind", s.kind);
        f("unit", s.unit);
        f("help", s.help);
        f("value", s.value);
    }
};

struct MetricsReply {
    std::vector<Metric> metrics;  // by name
    template <class S, class F>
    static void fields(S& s, F&& f) {
        f("metrics", s.metrics);
    }
};

}  // namespace fl::protocol
