// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include "engine/checkpoint/tensor_reader.h"
#include "engine/checkpoint/tensor_stats.h"
#include "engine/service/reports.h"

namespace fl::service {

Result<protocol::HistogramReply> histogramReport(const checkpoint::Checkpoint& checkpoint,
                                                 const protocol::HistogramRequest& request,
                                                 const CancelToken& cancel) {
    constexpr int kMostBins = 4096;
    if (request.bins < 1 || request.bins > kMostBins) {
        return Error{ErrorCode::InvalidArgument,
                     fmt::format("bins is {}, not one of 1 to {}", request.bins, kMostBins)};
    }
    FL_TRY(const checkpoint::TensorInfo* tensor,
           checkpoint::findTensor(checkpoint, request.tensor));
    FL_TRY(auto read, checkpoint::histogramOf(checkpoint, *tensor, request.bins, cancel));
    protocol::HistogramReply out;
    out.tensor = tensor->name;
    out.dtype = name(tensor->dtype);
    out.shape.assign(tensor->shape.dims().begin(), tensor->shape.dims().end());
    out.values = read.stats.values;
    out.nan = read.stats.nan;
    out.infinite = read.stats.infinite;
    out.zero = read.stats.zero;
    out.min = read.stats.min;
    out.max = read.stats.max;
    out.mean = read.stats.mean;
    out.rms = read.stats.rms;
    out.counts = std::move(read.counts);
    return out;
}

}  // namespace fl::service
