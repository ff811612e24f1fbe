// SPDX-License-Identifier: Apache-2.0
#include "kernels/ref/embedding.h"

#include <algorithm>

#include "kernels/ref/dequantise.h"

namespace fl::kernels::ref {

void embedding(const fl_embedding_args& args) {
    const auto* table = static_cast<const std::uint8_t*>(args.table);
    const std::int64_t rowBytes = fl_row_bytes(args.table_dtype, args.width);
    for (std::int64_t row = 0; row < args.rows; ++row) {
        float* to = args.y + row * args.width;
        const std::int64_t line = args.ids[row] - args.first_id;
        if (line < 0 || line >= args.table_rows) {
            std::fill(to, to + args.width, 0.0F);
        } else {
            dequantiseRow(args.table_dtype, table + line * rowBytes, args.width, to);
        }
    }
}

}  // namespace fl::kernels::ref
