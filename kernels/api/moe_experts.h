/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FIRSTLIGHT_KERNELS_API_MOE_EXPERTS_H
#define FIRSTLIGHT_KERNELS_API_MOE_EXPERTS_H

#include "kernels/api/dtype.h"

/* Sum over the chosen experts that this rank holds of weight * down(silu(gate(x)) * up(x)).
 * Experts [first_expert, first_expert + local_experts) are here, each cut to `intermediate` of its
 * inner width; a choice outside adds nothing. A sum over the ranks of the expert group completes
 * the row. */
typedef struct fl_moe_experts_args {
    size_t size;
    int64_t rows;
    int64_t hidden;
    int64_t intermediate;
    int32_t k;
    int32_t first_expert;
    int32_t local_experts;
    const float* x;          /* [rows, hidden] */
    const int32_t* ids;      /* [rows, k] */
    const float* weights;    /* [rows, k] */
    const void* const* gate; /* [local_experts] of [intermediate, hidden] */
    const void* const* up;   /* [local_experts] of [intermediate, hidden] */
    const void* const* down; /* [local_experts] of [hidden, intermediate] */
    fl_dtype gate_dtype;
    fl_dtype up_dtype;
    fl_dtype down_dtype;
    fl_compute compute;
    float* y; /* [rows, hidden] */
} fl_moe_experts_args;

#endif
