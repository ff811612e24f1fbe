// SPDX-License-Identifier: Apache-2.0
#include "engine/telemetry/metric_registry.h"

#include <algorithm>
#include <cmath>

namespace fl::telemetry {

namespace {

template <class T>
T& findOrMake(std::map<std::string, std::unique_ptr<T>>& metrics, const std::string& name) {
    auto& slot = metrics[name];
    if (!slot)
        slot = std::make_unique<T>();
    return *slot;
}

}  // namespace

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

Counter& MetricRegistry::counter(const std::string& name) {
    const std::lock_guard lock(mutex_);
    return findOrMake(counters_, name);
}

Gauge& MetricRegistry::gauge(const std::string& name) {
    const std::lock_guard lock(mutex_);
    return findOrMake(gauges_, name);
}

PercentileWindow& MetricRegistry::window(const std::string& name) {
    const std::lock_guard lock(mutex_);
    return findOrMake(windows_, name);
}

std::vector<MetricValue> MetricRegistry::values() const {
    const std::lock_guard lock(mutex_);
    std::vector<MetricValue> out;
    for (const auto& [name, counter] : counters_)
        out.push_back({name, static_cast<double>(counter->value())});
    for (const auto& [name, gauge] : gauges_)
        out.push_back({name, gauge->value()});
    for (const auto& [name, window] : windows_) {
        out.push_back({name + "_p50", window->percentile(0.5)});
        out.push_back({name + "_p90", window->percentile(0.9)});
        out.push_back({name + "_p99", window->percentile(0.99)});
        out.push_back({name + "_count", static_cast<double>(window->count())});
    }
    std::sort(out.begin(), out.end(),
              [](const MetricValue& a, const MetricValue& b) { return a.name < b.name; });
    return out;
}

}  // namespace fl::telemetry
