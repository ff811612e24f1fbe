// SPDX-License-Identifier: Apache-2.0
// The instruction sets that kernels are compiled for; included before any Highway header.
#pragma once

// Every x86-64 processor since 2008 that lacks SSE4 also lacks the memory to run a model: SSSE3
// would only cost build time.
#define HWY_DISABLED_TARGETS HWY_SSSE3
