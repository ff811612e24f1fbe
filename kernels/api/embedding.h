/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FIRSTLIGHT_KERNELS_API_EMBEDDING_H
#define FIRSTLIGHT_KERNELS_API_EMBEDDING_H

#include "kernels/api/dtype.h"

/* y[r] = table[ids[r] - first_id], widened to float32; a row of zeros where the id lies outside
 * [first_id, first_id + table_rows): another rank holds it and a sum joins the parts. */
typedef struct fl_embedding_args {
    size_t size;
    int64_t rows;
    int64_t width;
    const int32_t* ids; /* [rows] */
    const void* table;  /* [table_rows, width] */
    fl_dtype table_dtype;
    int64_t table_rows;
    int64_t first_id;
    float* y; /* [rows, width] */
} fl_embedding_args;

#endif
