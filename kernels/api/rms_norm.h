/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FIRSTLIGHT_KERNELS_API_RMS_NORM_H
#define FIRSTLIGHT_KERNELS_API_RMS_NORM_H

#include "kernels/api/dtype.h"

/* Root mean square norm over each group of `width` values (Zhang & Sennrich 2019):
 * y = x / sqrt(mean(x^2) + epsilon) * weight. A row holds `groups` groups which share the weight:
 * one for a layer norm, the number of heads for a norm per head. y may be x. */
typedef struct fl_rms_norm_args {
    size_t size;
    int64_t rows;
    int64_t groups;
    int64_t width;
    const float* x;     /* [rows, groups, width] */
    const void* weight; /* [width], float32, float16 or bfloat16 */
    fl_dtype weight_dtype;
    float epsilon;
    float* y; /* [rows, groups, width] */
} fl_rms_norm_args;

#endif
