// SPDX-License-Identifier: Apache-2.0
#include "kernels/cpu/router_topk.h"

#include <algorithm>
#include <cmath>

namespace fl::kernels::cpu {

static bool isChosen(const std::int32_t* ids, int count, std::int32_t id) {
    return std::find(ids, ids + count, id) != ids + count;
}

// The next largest logit whose expert is not among the first `count` of ids; the lower index where
// two are equal. NaN is never larger, so that the ids stay valid whatever the logits are.
static std::int32_t nextLargest(const float* logits,
                                int experts,
                                const std::int32_t* ids,
                                int count) {
    std::int32_t best = -1;
    for (std::int32_t id = 0; id < experts; ++id) {
        if (best >= 0 && !(logits[id] > logits[best]))
            continue;
        if (!isChosen(ids, count, id))
            best = id;
    }
    return best;
}

// Softmax rises with its logit, so the largest logits are the largest probabilities.
static void routeRow(const fl_router_topk_args& args, std::int64_t row) {
    const float* logits = args.logits + row * args.experts;
    std::int32_t* ids = args.ids + row * args.k;
    float* weights = args.weights + row * args.k;
    for (int i = 0; i < args.k; ++i)
        ids[i] = nextLargest(logits, args.experts, ids, i);
    const float top = logits[ids[0]];
    float total = 0;
    if (args.normalise == 0) {
        for (int id = 0; id < args.experts; ++id)
            total += std::exp(logits[id] - top);
    }
    for (int i = 0; i < args.k; ++i) {
        weights[i] = std::exp(logits[ids[i]] - top);
        if (args.normalise != 0)
            total += weights[i];
    }
    for (int i = 0; i < args.k; ++i)
        weights[i] /= total;
}

const char* routerTopk(const fl_router_topk_args& args, Parallel& parallel) {
    if (args.rows < 0)
        return "a negative size";
    if (args.k < 1 || args.k > args.experts)
        return "`k` is not between 1 and `experts`";
    const std::int64_t cost = std::int64_t{args.experts} * args.k;
    parallel.forRanges(args.rows, kTakeElements / cost,
                       [&](std::int64_t begin, std::int64_t end, int /*thread*/) {
                           for (std::int64_t row = begin; row < end; ++row)
                               routeRow(args, row);
                       });
    return nullptr;
}

}  // namespace fl::kernels::cpu
