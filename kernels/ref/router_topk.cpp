// SPDX-License-Identifier: Apache-2.0
#include "kernels/ref/router_topk.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace fl::kernels::ref {

// Softmax rises with its logit, so the largest logits are the largest probabilities.
static std::vector<std::int32_t> largest(const float* logits, int experts, int k) {
    std::vector<std::int32_t> order(static_cast<std::size_t>(experts));
    for (int i = 0; i < experts; ++i)
        order[static_cast<std::size_t>(i)] = i;
    std::stable_sort(order.begin(), order.end(),
                     [&](std::int32_t a, std::int32_t b) { return logits[a] > logits[b]; });
    order.resize(static_cast<std::size_t>(k));
    return order;
}

void routerTopk(const fl_router_topk_args& args) {
    for (std::int64_t row = 0; row < args.rows; ++row) {
        const float* logits = args.logits + row * args.experts;
        const double top = *std::max_element(logits, logits + args.experts);
        double total = 0;
        for (int i = 0; i < args.experts; ++i)
            total += std::exp(double{logits[i]} - top);
        const auto chosen = largest(logits, args.experts, args.k);
        if (args.normalise != 0) {
            total = 0;
            for (const std::int32_t id : chosen)
                total += std::exp(double{logits[id]} - top);
        }
        for (int i = 0; i < args.k; ++i) {
            const std::int32_t id = chosen[static_cast<std::size_t>(i)];
            args.ids[row * args.k + i] = id;
            args.weights[row * args.k + i] =
                static_cast<float>(std::exp(double{logits[id]} - top) / total);
        }
    }
}

}  // namespace fl::kernels::ref
