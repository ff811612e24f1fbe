/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FIRSTLIGHT_KERNELS_API_ADD_H
#define FIRSTLIGHT_KERNELS_API_ADD_H

#include "kernels/api/dtype.h"

/* y = a + b. y may be a. */
typedef struct fl_add_args {
    size_t size;
    int64_t rows;
    int64_t width;
    const float* a;
    const float* b;
    float* y;
} fl_add_args;

#endif
