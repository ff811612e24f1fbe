// SPDX-License-Identifier: Apache-2.0
// What this machine can do at best: the figures that kernels are compared with.
#pragma once

#include <cstdint>
#include <string>

#include "kernels/cpu/parallel.h"

namespace fl::kernels::cpu {

struct ProbeOptions {
    int threads = 1;
    // Read per pass; well beyond the caches, or what is measured is them.
    std::int64_t bytes = std::int64_t{512} << 20;
    int passes = 5;  // the best one counts
};

struct MachineFigures {
    std::string instructionSet;  // "AVX3": what the kernels run on here
    int threads = 1;
    double readBytesPerSecondOneThread = 0;
    double readBytesPerSecond = 0;  // with all threads
    double flopsOneThread = 0;      // float32; a multiply-add counts two
    double flops = 0;
};

// Takes about a second. Throws std::bad_alloc and std::system_error.
MachineFigures probeMachine(const ProbeOptions& options);

// One pass over `bytes` with all threads of `parallel`.
double readBytesPerSecond(const void* data, std::int64_t bytes, Parallel& parallel);

}  // namespace fl::kernels::cpu
