// SPDX-License-Identifier: Apache-2.0
// The attention operator on CPU threads.
//
// One pass over the pages of a sequence with a running maximum (Milakov & Gimelshein 2018), so that
// no row of scores is kept. Query heads that share a kv head read it together.
#pragma once

#include <cstdint>

#include "kernels/api/attention.h"
#include "kernels/cpu/parallel.h"

namespace fl::kernels::cpu {

// Null, or what is wrong with the arguments; then nothing was written.
const char* attention(const fl_attention_args& args, Parallel& parallel);

std::int64_t attentionScratchBytes(const fl_attention_args& args, int threads);

}  // namespace fl::kernels::cpu
