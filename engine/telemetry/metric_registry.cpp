// SPDX-License-Identifier: Apache-2.0
#include "engine/telemetry/metric_registry.h"

#include <algorithm>
#include <cmath>

namespace fl::telemetry {

PercentileWindow::PercentileWindow(std::size_t size) : size_(std::max<std::size_t>(size, 1)) {}

void PercentileWindow::add(double value) {
    const std::lock_guard lock(mutex_);
    if (values_.size() < size_)
        values_.push_back(value);
    else
        values_[next_] = value;
    next_ = (next_ + 1) % size_;
}

double PercentileWindow::percentile(double fraction) const {
    std::vector<double> sorted;
    {
        const std::lock_guard lock(mutex_);
        sorted = values_;
    }
    if (sorted.empty())
        return 0;
    const double rank = std::ceil(fraction * static_cast<double>(sorted.size())) - 1;
    const auto index =
        static_cast<std::size_t>(std::clamp(rank, 0.0, static_cast<double>(sorted.size() - 1)));
    std::nth_element(sorted.begin(), sorted.begin() + static_cast<std::ptrdiff_t>(index),
                     sorted.end());
    return sorted[index];
}

std::size_t PercentileWindow::count() const {
    const std::lock_guard lock(mutex_);
    return values_.size();
}

template <class T>
T& MetricRegistry::findOrMake(Entries<T>& entries, const MetricSpec& spec) {
    const std::lock_guard lock(mutex_);
    Entry<T>& entry = entries[spec.name];
    if (!entry.metric)
        entry = {spec, std::make_unique<T>()};
    return *entry.metric;
}

Counter& MetricRegistry::counter(const MetricSpec& spec) {
    return findOrMake(counters_, spec);
}

Gauge& MetricRegistry::gauge(const MetricSpec& spec) {
    return findOrMake(gauges_, spec);
}

PercentileWindow& MetricRegistry::window(const MetricSpec& spec) {
    return findOrMake(windows_, spec);
}

std::vector<MetricValue> MetricRegistry::values() const {
    const std::lock_guard lock(mutex_);
    std::vector<MetricValue> out;
    const auto add = [&out](const MetricSpec& spec, std::string_view kind, double value,
                            std::string_view part = "", std::string_view unit = "") {
        out.push_back({std::string(spec.name) + std::string(part), std::string(kind),
                       std::string(unit.empty() ? spec.unit : unit), std::string(spec.help),
                       value});
    };
    for (const auto& [name, counter] : counters_)
        add(counter.spec, "counter", static_cast<double>(counter.metric->value()));
    for (const auto& [name, gauge] : gauges_)
        add(gauge.spec, "gauge", gauge.metric->value());
    for (const auto& [name, window] : windows_) {
        add(window.spec, "window", window.metric->percentile(0.5), "_p50");
        add(window.spec, "window", window.metric->percentile(0.9), "_p90");
        add(window.spec, "window", window.metric->percentile(0.99), "_p99");
        add(window.spec, "window", static_cast<double>(window.metric->count()), "_count", "values");
    }
    std::sort(out.begin(), out.end(),
              [](const MetricValue& a, const MetricValue& b) { return a.name < b.name; });
    return out;
}

}  // namespace fl::telemetry
