// SPDX-License-Identifier: Apache-2.0
// The two clocks of the service: one to write down, one to measure with.
#pragma once

#include <chrono>

namespace fl::service {

inline double unixTime() {
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    return std::chrono::duration<double>(now).count();
}

// Seconds since some moment; never jumps.
inline double steadyTime() {
    const auto now = std::chrono::steady_clock::now().time_since_epoch();
    return std::chrono::duration<double>(now).count();
}

}  // namespace fl::service
