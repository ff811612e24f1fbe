/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FIRSTLIGHT_KERNELS_API_SILU_MUL_H
#define FIRSTLIGHT_KERNELS_API_SILU_MUL_H

#include "kernels/api/dtype.h"

/* y = gate * sigmoid(gate) * up, the gated activation of SwiGLU (Shazeer 2020). y may be gate. */
typedef struct fl_silu_mul_args {
    size_t size;
    int64_t rows;
    int64_t width;
    const float* gate;
    const float* up;
    float* y;
} fl_silu_mul_args;

#endif
