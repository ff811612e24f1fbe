// SPDX-License-Identifier: GPL-3.0-or-later
// Values over time in a ring of fixed size: memory stays flat however long a run takes.
#pragma once

#include <cstddef>
#include <vector>

namespace fl::models {

struct TimedValue {
    double time = 0;
    double value = 0;
};

class MetricSeries {
public:
    explicit MetricSeries(std::size_t capacity = 36'000);

    // Times must not decrease; a value older than the last one takes the last one's time, so that
    // a clock that steps back cannot fold the curve.
    void append(double time, double value);
    void clear();

    std::size_t size() const { return size_; }
    bool empty() const { return size_ == 0; }
    // Oldest first. Precondition: i < size().
    TimedValue at(std::size_t i) const;
    TimedValue last() const { return at(size_ - 1); }

    // Value below which `fraction` (0 … 1) of those with time ≥ `since` lie, by nearest rank;
    // 0 if there are none.
    double percentile(double fraction, double since) const;
    double largest(double since) const;

    // At most `2 * buckets` points with from ≤ time ≤ to: of each bucket the least and the
    // greatest, in time order, so that a spike survives any zoom.
    std::vector<TimedValue> decimated(double from, double to, std::size_t buckets) const;

private:
    std::size_t firstAtOrAfter(double time) const;

    std::vector<TimedValue> ring_;
    std::size_t capacity_;
    std::size_t head_ = 0;  // of the oldest
    std::size_t size_ = 0;
};

}  // namespace fl::models
