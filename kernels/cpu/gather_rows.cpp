// SPDX-License-Identifier: Apache-2.0
#include "kernels/cpu/gather_rows.h"

#include <algorithm>

namespace fl::kernels::cpu {

const char* gatherRows(const fl_gather_rows_args& args, Parallel& parallel) {
    if (args.rows < 0 || args.width < 0)
        return "a negative size";
    parallel.forRanges(args.rows, kTakeElements / std::max<std::int64_t>(args.width, 1),
                       [&](std::int64_t begin, std::int64_t end, int /*thread*/) {
                           for (std::int64_t row = begin; row < end; ++row) {
                               const float* from = args.x + args.indices[row] * args.width;
                               std::copy(from, from + args.width, args.y + row * args.width);
                           }
                       });
    return nullptr;
}

}  // namespace fl::kernels::cpu
