// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/metric_series.h"

#include <algorithm>
#include <cmath>

namespace fl::models {

MetricSeries::MetricSeries(std::size_t capacity) : capacity_(std::max<std::size_t>(capacity, 1)) {}

void MetricSeries::append(double time, double value) {
    if (size_ > 0)
        time = std::max(time, last().time);
    if (size_ < capacity_) {
        ring_.push_back({time, value});
        ++size_;
        return;
    }
    ring_[head_] = {time, value};
    head_ = (head_ + 1) % capacity_;
}

void MetricSeries::clear() {
    ring_.clear();
    head_ = 0;
    size_ = 0;
}

TimedValue MetricSeries::at(std::size_t i) const {
    return ring_[(head_ + i) % ring_.size()];
}

std::size_t MetricSeries::firstAtOrAfter(double time) const {
    std::size_t low = 0;
    std::size_t high = size_;
    while (low < high) {
        const std::size_t middle = low + (high - low) / 2;
        if (at(middle).time < time)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

double MetricSeries::percentile(double fraction, double since) const {
    std::vector<double> values;
    for (std::size_t i = firstAtOrAfter(since); i < size_; ++i)
        values.push_back(at(i).value);
    if (values.empty())
        return 0;
    const double rank = std::ceil(fraction * double(values.size())) - 1;
    const auto place = std::size_t(std::clamp(rank, 0.0, double(values.size() - 1)));
    std::nth_element(values.begin(), values.begin() + std::ptrdiff_t(place), values.end());
    return values[place];
}

double MetricSeries::largest(double since) const {
    double most = 0;
    for (std::size_t i = firstAtOrAfter(since); i < size_; ++i)
        most = std::max(most, at(i).value);
    return most;
}

std::vector<TimedValue> MetricSeries::decimated(double from, double to, std::size_t buckets) const {
    std::vector<TimedValue> points;
    const std::size_t begin = firstAtOrAfter(from);
    std::size_t end = begin;
    while (end < size_ && at(end).time <= to)
        ++end;
    if (end - begin <= 2 * buckets) {
        for (std::size_t i = begin; i < end; ++i)
            points.push_back(at(i));
        return points;
    }
    const double width = (to - from) / double(buckets);
    for (std::size_t i = begin; i < end;) {
        const double bucket = std::floor((at(i).time - from) / width);
        TimedValue least = at(i);
        TimedValue most = least;
        for (; i < end && std::floor((at(i).time - from) / width) == bucket; ++i) {
            const TimedValue point = at(i);
            least = point.value < least.value ? point : least;
            most = point.value > most.value ? point : most;
        }
        points.push_back(least.time <= most.time ? least : most);
        if (least.time != most.time || least.value != most.value)
            points.push_back(least.time <= most.time ? most : least);
    }
    return points;
}

}  // namespace fl::models
