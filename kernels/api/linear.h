/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FIRSTLIGHT_KERNELS_API_LINEAR_H
#define FIRSTLIGHT_KERNELS_API_LINEAR_H

#include "kernels/api/dtype.h"

/* y = x W^T + bias, W as checkpoints store it: one row of `in` values per output. `bias` may be
 * null; it is added by every rank that has it, so a plan gives it to one rank of a row split. */
typedef struct fl_linear_args {
    size_t size;
    int64_t rows;
    int64_t in;
    int64_t out;
    const float* x;     /* [rows, in] */
    const void* weight; /* [out, in], rows of fl_row_bytes(weight_dtype, in) bytes */
    fl_dtype weight_dtype;
    const void* bias; /* [out] or null; float32, float16 or bfloat16 */
    fl_dtype bias_dtype;
    fl_compute compute;
    float* y; /* [rows, out] */
} fl_linear_args;

#endif
