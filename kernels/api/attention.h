/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FIRSTLIGHT_KERNELS_API_ATTENTION_H
#define FIRSTLIGHT_KERNELS_API_ATTENTION_H

#include "kernels/api/dtype.h"

/* Causal grouped-query attention over a paged cache. First stores k and v of every row at its
 * sequence's position, then each row attends to positions 0 … its own of its sequence:
 * y = softmax(scale * q k^T) v. Rows of one step may belong to many sequences in any order, but a
 * sequence's rows come with rising positions, and all rows' k and v are stored before any is read.
 *
 * Page p of the layer begins at k_pages + p * page_bytes (v likewise) and holds
 * [page_tokens, kv_heads, head_dim] values of kv_dtype. Position n of sequence s is slot
 * n % page_tokens of page page_tables[s * table_stride + n / page_tokens]. */
typedef struct fl_attention_args {
    size_t size;
    int64_t rows;
    int32_t heads;
    int32_t kv_heads; /* divides heads; query head h reads kv head h / (heads / kv_heads) */
    int32_t head_dim;
    float scale;
    const float* q; /* [rows, heads, head_dim] */
    const float* k; /* [rows, kv_heads, head_dim] */
    const float* v;
    void* k_pages;
    void* v_pages;
    fl_dtype kv_dtype; /* float32 or bfloat16 */
    int64_t page_bytes;
    int32_t page_tokens;
    const int32_t* row_sequences; /* [rows] index into page_tables */
    const int32_t* row_positions; /* [rows] */
    const int32_t* page_tables;   /* [sequences, table_stride] */
    int64_t table_stride;
    float* y; /* [rows, heads, head_dim] */
} fl_attention_args;

#endif
