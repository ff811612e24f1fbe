// SPDX-License-Identifier: GPL-3.0-or-later
// How long steps, tokens and first tokens took, and what happened at the time.
#pragma once

#include <vector>

#include <QObject>
#include <QString>

#include "engine/protocol/messages.h"
#include "ui/models/metric_series.h"

namespace fl::models {

class LatencyModel : public QObject {
    Q_OBJECT

public:
    enum class Measure { Step, InterToken, FirstToken };
    struct Marker {
        double time = 0;
        QString word;
    };

    using QObject::QObject;

    const MetricSeries& series(Measure measure) const;  // seconds
    bool empty() const { return step_.empty() && firstToken_.empty(); }
    const std::vector<Marker>& markers() const { return markers_; }
    // Of the last steps that decoded: tokens of all sequences per second, over `seconds`.
    double tokensPerSecond(double seconds = 5) const;
    int running() const { return running_; }
    int waiting() const { return waiting_; }
    std::int64_t pagesUsed() const { return pagesUsed_; }
    std::int64_t pages() const { return pages_; }

public slots:
    void applyStep(const fl::protocol::StepSample& sample);
    void applyDone(const fl::protocol::ChatDone& done, double time);
    // A stage that begins to run is marked in the plots.
    void mark(double time, const QString& word);
    void reset();

signals:
    void changed();

private:
    MetricSeries step_;
    MetricSeries interToken_;
    MetricSeries firstToken_{4096};
    MetricSeries tokens_{4096};
    std::vector<Marker> markers_;
    double lastDecode_ = 0;  // end of the last step that decoded; 0: none in this busy period
    int running_ = 0;
    int waiting_ = 0;
    std::int64_t pagesUsed_ = 0;
    std::int64_t pages_ = 0;
};

}  // namespace fl::models
