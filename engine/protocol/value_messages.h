// SPDX-License-Identifier: Apache-2.0
// What the values of one tensor are like. Part of messages.h.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace fl::protocol {

// `checkpoint.histogram` of a tensor of the open checkpoint; reads it from disk. One at a time for
// each client: the next one, `checkpoint.histogram.cancel` and leaving call it off.
struct HistogramRequest {
    std::string tensor;
    int bins = 64;  // 1 … 4096
    template <class S, class F>
    static void fields(S& s, F&& f) {
        f("tensor", s.tensor);
        f("bins", s.bins);
    }
};

struct HistogramReply {
    std::string tensor;
    std::string dtype;
    std::vector<std::int64_t> shape;
    std::int64_t values = 0;  // packed ones count singly
    std::int64_t nan = 0;
    std::int64_t infinite = 0;
    std::int64_t zero = 0;
    // Of the finite values, as stored: scales of other tensors are not applied.
    double min = 0;
    double max = 0;
    double mean = 0;
    double rms = 0;
    std::vector<std::int64_t> counts;  // from min to max in equal steps
    template <class S, class F>
    static void fields(S& s, F&& f) {
        f("tensor", s.tensor);
        f("dtype", s.dtype);
        f("shape", s.shape);
        f("values", s.values);
        f("nan", s.nan);
        f("infinite", s.infinite);
        f("zero", s.zero);
        f("min", s.min);
        f("max", s.max);
        f("mean", s.mean);
        f("rms", s.rms);
        f("counts", s.counts);
    }
};

}  // namespace fl::protocol
