// SPDX-License-Identifier: Apache-2.0
#include "kernels/ref/gather_rows.h"

#include <cstring>

namespace fl::kernels::ref {

void gatherRows(const fl_gather_rows_args& args) {
    for (std::int64_t row = 0; row < args.rows; ++row) {
        std::memcpy(args.y + row * args.width, args.x + args.indices[row] * args.width,
                    static_cast<std::size_t>(args.width) * sizeof(float));
    }
}

}  // namespace fl::kernels::ref
