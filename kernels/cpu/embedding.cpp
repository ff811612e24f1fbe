// SPDX-License-Identifier: Apache-2.0
#include "kernels/cpu/embedding.h"

#include <algorithm>

#include "kernels/cpu/targets.h"
#include "kernels/cpu/weight_types.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/embedding.cpp"  // NOLINT: compiles this file per target
#include "hwy/foreach_target.h"
// Above all else that uses vectors.
#include "kernels/cpu/widen-inl.h"

#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace fl::kernels::cpu::HWY_NAMESPACE {

static void widenTableRow(fl_dtype type, const std::uint8_t* from, std::int64_t count, float* to) {
    widenRow(type, from, count, to);
}

}  // namespace fl::kernels::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fl::kernels::cpu {

HWY_EXPORT(widenTableRow);

const char* embedding(const fl_embedding_args& args, Parallel& parallel) {
    if (args.rows < 0 || args.width < 0)
        return "a negative size";
    if (!isWeightRow(args.table_dtype, args.width))
        return "the table's type is unknown, or `width` is not whole blocks of it";
    const auto widen = HWY_DYNAMIC_DISPATCH(widenTableRow);
    const auto* table = static_cast<const std::uint8_t*>(args.table);
    const std::int64_t rowBytes = fl_row_bytes(args.table_dtype, args.width);
    parallel.forRanges(args.rows, kTakeElements / std::max<std::int64_t>(args.width, 1),
                       [&](std::int64_t begin, std::int64_t end, int /*thread*/) {
                           for (std::int64_t row = begin; row < end; ++row) {
                               float* to = args.y + row * args.width;
                               const std::int64_t line = args.ids[row] - args.first_id;
                               if (line < 0 || line >= args.table_rows) {
                                   std::fill(to, to + args.width, 0.0F);
                               } else {
                                   widen(args.table_dtype, table + line * rowBytes, args.width, to);
                               }
                           }
                       });
    return nullptr;
}

}  // namespace fl::kernels::cpu
#endif
