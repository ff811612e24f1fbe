// SPDX-License-Identifier: Apache-2.0
#include "kernels/ref/attention.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include "kernels/ref/dequantise.h"

namespace fl::kernels::ref {

// Where kv head `head` of position `position` of sequence `sequence` begins.
static std::uint8_t* slot(const fl_attention_args& args,
                          void* pages,
                          std::int64_t sequence,
                          std::int64_t position,
                          int head) {
    const std::int64_t page =
        args.page_tables[sequence * args.table_stride + position / args.page_tokens];
    const std::int64_t token = position % args.page_tokens;
    const std::int64_t first = (token * args.kv_heads + head) * args.head_dim;
    return static_cast<std::uint8_t*>(pages) + page * args.page_bytes +
           fl_row_bytes(args.kv_dtype, first);
}

static void store(const fl_attention_args& args, const float* values, void* pages) {
    for (std::int64_t row = 0; row < args.rows; ++row) {
        for (int head = 0; head < args.kv_heads; ++head) {
            const float* from = values + (row * args.kv_heads + head) * args.head_dim;
            std::uint8_t* to =
                slot(args, pages, args.row_sequences[row], args.row_positions[row], head);
            for (int i = 0; i < args.head_dim; ++i) {
                const std::uint16_t rounded = bf16FromFloat(from[i]);
                if (args.kv_dtype == FL_F32) {
                    std::memcpy(to + 4 * i, from + i, 4);
                } else {
                    std::memcpy(to + 2 * i, &rounded, 2);
                }
            }
        }
    }
}

static std::vector<float> cached(
    const fl_attention_args& args, void* pages, std::int64_t row, std::int64_t position, int head) {
    std::vector<float> values(static_cast<std::size_t>(args.head_dim));
    dequantiseRow(args.kv_dtype, slot(args, pages, args.row_sequences[row], position, head),
                  args.head_dim, values.data());
    return values;
}

static void attendHead(const fl_attention_args& args, std::int64_t row, int head) {
    const int kvHead = head / (args.heads / args.kv_heads);
    const float* q = args.q + (row * args.heads + head) * args.head_dim;
    const std::int64_t length = args.row_positions[row] + 1;
    std::vector<double> scores;
    for (std::int64_t position = 0; position < length; ++position) {
        const auto k = cached(args, args.k_pages, row, position, kvHead);
        double dot = 0;
        for (std::size_t i = 0; i < k.size(); ++i)
            dot += double{q[i]} * double{k[i]};
        scores.push_back(dot * double{args.scale});
    }
    const double top = *std::max_element(scores.begin(), scores.end());
    std::vector<double> sum(static_cast<std::size_t>(args.head_dim));
    double total = 0;
    for (std::int64_t position = 0; position < length; ++position) {
        const double share = std::exp(scores[static_cast<std::size_t>(position)] - top);
        const auto v = cached(args, args.v_pages, row, position, kvHead);
        for (std::size_t i = 0; i < v.size(); ++i)
            sum[i] += share * double{v[i]};
        total += share;
    }
    float* y = args.y + (row * args.heads + head) * args.head_dim;
    for (std::size_t i = 0; i < sum.size(); ++i)
        y[i] = static_cast<float>(sum[i] / total);
}

void attention(const fl_attention_args& args) {
    store(args, args.k, args.k_pages);
    store(args, args.v, args.v_pages);
    for (std::int64_t row = 0; row < args.rows; ++row)
        for (int head = 0; head < args.heads; ++head)
            attendHead(args, row, head);
}

}  // namespace fl::kernels::ref
