/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FIRSTLIGHT_KERNELS_API_ROPE_H
#define FIRSTLIGHT_KERNELS_API_ROPE_H

#include "kernels/api/dtype.h"

/* Rotary position embedding (Su et al. 2021) on the first `rotary` of `head_dim` values of every
 * head, in place. Pair i turns by positions[r] * inverse_frequencies[i]; pairs are (i, i +
 * rotary/2) or, interleaved, (2i, 2i + 1). Sine and cosine are multiplied by `attention_factor`
 * (YaRN). */
typedef struct fl_rope_args {
    size_t size;
    int64_t rows;
    int32_t heads;
    int32_t head_dim;
    int32_t rotary;
    int32_t interleaved;
    float attention_factor;
    const int32_t* positions;         /* [rows] */
    const float* inverse_frequencies; /* [rotary / 2] */
    float* x;                         /* [rows, heads, head_dim] */
} fl_rope_args;

#endif
