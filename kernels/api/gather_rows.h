/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FIRSTLIGHT_KERNELS_API_GATHER_ROWS_H
#define FIRSTLIGHT_KERNELS_API_GATHER_ROWS_H

#include "kernels/api/dtype.h"

/* y[i] = x[indices[i]]: picks the rows whose logits somebody wants. */
typedef struct fl_gather_rows_args {
    size_t size;
    int64_t rows; /* of y */
    int64_t width;
    const float* x;
    const int32_t* indices; /* [rows] */
    float* y;
} fl_gather_rows_args;

#endif
