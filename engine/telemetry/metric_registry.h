// SPDX-License-Identifier: Apache-2.0
// Numbers with names: how often, how much now, and how a duration is spread.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "engine/telemetry/metrics.h"

namespace fl::telemetry {

// Only grows. Safe from every thread.
class Counter {
public:
    void add(std::int64_t amount = 1) { value_.fetch_add(amount, std::memory_order_relaxed); }
    std::int64_t value() const { return value_.load(std::memory_order_relaxed); }

private:
    std::atomic<std::int64_t> value_{0};
};

// The last value set. Safe from every thread.
class Gauge {
public:
    void set(double value) { value_.store(value, std::memory_order_relaxed); }
    double value() const { return value_.load(std::memory_order_relaxed); }

private:
    std::atomic<double> value_{0};
};

// The last `size` values and their spread. Safe from every thread.
class PercentileWindow {
public:
    explicit PercentileWindow(std::size_t size = 4096);
    void add(double value);
    // The smallest value that at least `fraction` of the window does not exceed (nearest rank);
    // 0 while empty.
    double percentile(double fraction) const;
    std::size_t count() const;  // in the window

private:
    mutable std::mutex mutex_;
    std::vector<double> values_;
    std::size_t size_;
    std::size_t next_ = 0;
};

struct MetricValue {
    std::string name;
    std::string kind;  // counter, gauge, window
    std::string unit;
    std::string help;
    double value = 0;
    bool operator==(const MetricValue&) const = default;
};

// Owns the metrics of one process; each lives as long as the registry.
class MetricRegistry {
public:
    // The metric of that name, made at the first call. One name, one kind.
    Counter& counter(const MetricSpec& spec);
    Gauge& gauge(const MetricSpec& spec);
    PercentileWindow& window(const MetricSpec& spec);

    // All values by name; a window gives <name>_p50, _p90, _p99 and _count (whose unit is
    // "values").
    std::vector<MetricValue> values() const;

private:
    template <class T>
    struct Entry {
        MetricSpec spec;
        std::unique_ptr<T> metric;
    };
    template <class T>
    using Entries = std::map<std::string_view, Entry<T>>;
    template <class T>
    T& findOrMake(Entries<T>& entries, const MetricSpec& spec);

    mutable std::mutex mutex_;
    Entries<Counter> counters_;
    Entries<Gauge> gauges_;
    Entries<PercentileWindow> windows_;
};

}  // namespace fl::telemetry
