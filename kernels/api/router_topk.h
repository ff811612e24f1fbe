/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FIRSTLIGHT_KERNELS_API_ROUTER_TOPK_H
#define FIRSTLIGHT_KERNELS_API_ROUTER_TOPK_H

#include "kernels/api/dtype.h"

/* Chooses `k` experts per row: softmax over all logits in float32, the k largest in falling order
 * (ties: lower index first), weights divided by their sum if `normalise`. */
typedef struct fl_router_topk_args {
    size_t size;
    int64_t rows;
    int32_t experts;
    int32_t k;
    int32_t normalise;
    const float* logits; /* [rows, experts] */
    int32_t* ids;        /* [rows, k] */
    float* weights;      /* [rows, k] */
} fl_router_topk_args;

#endif
