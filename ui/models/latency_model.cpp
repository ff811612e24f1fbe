// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/latency_model.h"

namespace fl::models {

namespace {
constexpr std::size_t kMaxMarkers = 200;
}

const MetricSeries& LatencyModel::series(Measure measure) const {
    switch (measure) {
        case Measure::InterToken:
            return interToken_;
        case Measure::FirstToken:
            return firstToken_;
        default:
            return step_;
    }
}

double LatencyModel::tokensPerSecond(double seconds) const {
    if (tokens_.empty())
        return 0;
    const double last = tokens_.last().time;
    double made = 0;
    double first = last;
    // A step's tokens came during the interval that ends with it, so the oldest one only opens it.
    for (std::size_t i = tokens_.size(); i-- > 1 && tokens_.at(i - 1).time > last - seconds;) {
        made += tokens_.at(i).value;
        first = tokens_.at(i - 1).time;
    }
    return last > first ? made / (last - first) : 0;
}

// A sequence that decodes sees the time between the ends of two steps, which includes whatever
// prefill was mixed in. The first step after a pause has no token before it.
void LatencyModel::applyStep(const protocol::StepSample& sample) {
    step_.append(sample.time, sample.seconds);
    running_ = sample.running;
    waiting_ = sample.waiting;
    pagesUsed_ = sample.pagesUsed;
    pages_ = sample.pages;
    if (sample.decodeTokens > 0) {
        tokens_.append(sample.time, sample.decodeTokens);
        const double gap = sample.time - lastDecode_;
        const bool follows = lastDecode_ > 0 && gap < 10 * sample.seconds + 0.05;
        interToken_.append(sample.time, follows ? gap : sample.seconds);
        lastDecode_ = sample.time;
    }
    emit changed();
}

void LatencyModel::applyDone(const protocol::ChatDone& done, double time) {
    if (done.timing.ttft <= 0)
        return;
    firstToken_.append(time, done.timing.ttft);
    emit changed();
}

void LatencyModel::mark(double time, const QString& word) {
    if (markers_.size() == kMaxMarkers)
        markers_.erase(markers_.begin());
    markers_.push_back({time, word});
    emit changed();
}

void LatencyModel::reset() {
    step_.clear();
    interToken_.clear();
    firstToken_.clear();
    tokens_.clear();
    markers_.clear();
    lastDecode_ = 0;
    running_ = 0;
    waiting_ = 0;
    pagesUsed_ = 0;
    pages_ = 0;
    emit changed();
}

}  // namespace fl::models
