// SPDX-License-Identifier: Apache-2.0
// Every kernel of CPU cards: one line per operator.
#pragma once

#include <cstdint>
#include <string_view>

#include "kernels/cpu/parallel.h"
#include "plugins/abi/firstlight_device.h"

namespace fl::plugins::cpu {

struct KernelEntry {
    const char* op;
    std::uint32_t weights;   // bit per fl_dtype; 0: the operator has no weight
    std::uint32_t states;    // bit per fl_dtype of the paged cache; 0: it has none
    std::uint32_t computes;  // bit per fl_compute; 0: it has no products
    std::size_t argsSize;
    // Null, or a sentence about what is wrong with the arguments.
    const char* (*run)(const void* args, kernels::cpu::Parallel& parallel);
    // Null: needs no scratch. Bytes on a card with that many threads.
    std::int64_t (*scratchBytes)(const void* args, int threads);
};

// Null: no such kernel.
const KernelEntry* findKernel(const fl_signature& signature);

}  // namespace fl::plugins::cpu
