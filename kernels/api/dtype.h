/* SPDX-License-Identifier: Apache-2.0 */
/* Element types as kernels and plugins see them. Values equal fl::DType (engine/base/dtype.h).
 * Append only. */
#ifndef FIRSTLIGHT_KERNELS_API_DTYPE_H
#define FIRSTLIGHT_KERNELS_API_DTYPE_H

#include <stddef.h>
#include <stdint.h>

typedef enum fl_dtype {
    FL_F32 = 0,
    FL_F16 = 1,
    FL_BF16 = 2,
    FL_F64 = 3,
    FL_I8 = 4,
    FL_U8 = 5,
    FL_I16 = 6,
    FL_U16 = 7,
    FL_I32 = 8,
    FL_U32 = 9,
    FL_I64 = 10,
    FL_U64 = 11,
    FL_BOOL = 12,
    FL_F8_E4M3 = 13,
    FL_F8_E5M2 = 14,
    FL_F8_E8M0 = 15,
    FL_Q4_0 = 16,    /* 32 values: f16 scale, 16 bytes of nibbles, value = (q - 8) * scale */
    FL_Q4_1 = 17,    /* 32 values: f16 scale, f16 minimum, 16 bytes; value = q * scale + minimum */
    FL_Q8_0 = 18,    /* 32 values: f16 scale, 32 int8 */
    FL_Q4_K = 19,    /* 256 values, 144 bytes */
    FL_Q6_K = 20,    /* 256 values, 210 bytes */
    FL_F4 = 21,      /* two values in a byte */
    FL_F6_E2M3 = 22, /* four values in three bytes */
    FL_F6_E3M2 = 23,
    FL_C64 = 24,
    /* Further blocks of ggml. */
    FL_Q5_0 = 25,
    FL_Q5_1 = 26,
    FL_Q8_1 = 27,
    FL_Q2_K = 28,
    FL_Q3_K = 29,
    FL_Q5_K = 30,
    FL_Q8_K = 31,
    FL_IQ2_XXS = 32,
    FL_IQ2_XS = 33,
    FL_IQ3_XXS = 34,
    FL_IQ1_S = 35,
    FL_IQ4_NL = 36,
    FL_IQ3_S = 37,
    FL_IQ2_S = 38,
    FL_IQ4_XS = 39,
    FL_IQ1_M = 40,
    FL_TQ1_0 = 41,
    FL_TQ2_0 = 42,
    FL_MXFP4 = 43,
    FL_NVFP4 = 44,
    FL_Q1_0 = 45
} fl_dtype;

/* The same of blocks of 256 values that no kernel reads. */
static inline int64_t fl_superblock_bytes(fl_dtype type, int64_t count) {
    static const int16_t bytes[] = {84, 110, 176, 292, 66, 74, 98, 50, 0, 110, 82, 136, 56, 54, 66};
    return count >= 0 && count % 256 == 0 ? count / 256 * bytes[type - FL_Q2_K] : -1;
}

/* Bytes of one innermost row of `count` values; -1 for a type without a known block, or a count
 * that is not whole blocks. */
static inline int64_t fl_row_bytes(fl_dtype type, int64_t count) {
    int64_t values = 1;
    int64_t bytes = 0;
    switch (type) {
        case FL_I8:
        case FL_U8:
        case FL_BOOL:
        case FL_F8_E4M3:
        case FL_F8_E5M2:
        case FL_F8_E8M0:
            bytes = 1;
            break;
        case FL_F16:
        case FL_BF16:
        case FL_I16:
        case FL_U16:
            bytes = 2;
            break;
        case FL_F32:
        case FL_I32:
        case FL_U32:
            bytes = 4;
            break;
        case FL_F64:
        case FL_I64:
        case FL_U64:
        case FL_C64:
            bytes = 8;
            break;
        case FL_F4:
            values = 2;
            bytes = 1;
            break;
        case FL_F6_E2M3:
        case FL_F6_E3M2:
            values = 4;
            bytes = 3;
            break;
        case FL_Q4_0:
            values = 32;
            bytes = 18;
            break;
        case FL_Q4_1:
            values = 32;
            bytes = 20;
            break;
        case FL_Q8_0:
            values = 32;
            bytes = 34;
            break;
        case FL_Q4_K:
            values = 256;
            bytes = 144;
            break;
        case FL_Q6_K:
            values = 256;
            bytes = 210;
            break;
        case FL_Q5_0:
            values = 32;
            bytes = 22;
            break;
        case FL_Q5_1:
            values = 32;
            bytes = 24;
            break;
        case FL_Q8_1:
            values = 32;
            bytes = 36;
            break;
        case FL_IQ4_NL:
            values = 32;
            bytes = 18;
            break;
        case FL_MXFP4:
            values = 32;
            bytes = 17;
            break;
        case FL_NVFP4:
            values = 64;
            bytes = 36;
            break;
        case FL_Q1_0:
            values = 128;
            bytes = 18;
            break;
        case FL_Q2_K:
        case FL_Q3_K:
        case FL_Q5_K:
        case FL_Q8_K:
        case FL_IQ2_XXS:
        case FL_IQ2_XS:
        case FL_IQ3_XXS:
        case FL_IQ1_S:
        case FL_IQ3_S:
        case FL_IQ2_S:
        case FL_IQ4_XS:
        case FL_IQ1_M:
        case FL_TQ1_0:
        case FL_TQ2_0:
            return fl_superblock_bytes(type, count);
        default:
            return -1;
    }
    return count >= 0 && count % values == 0 ? count / values * bytes : -1;
}

/* How products are computed; activations outside products are always float32 here. */
typedef enum fl_compute {
    FL_COMPUTE_F32 = 0,  /* weights widened to float32, float32 accumulation */
    FL_COMPUTE_BF16 = 1, /* activations rounded to bf16 before a product, float32 accumulation */
    FL_COMPUTE_INT8 = 2  /* activations quantised to int8 per 32 values before a product */
} fl_compute;

#endif
