// SPDX-License-Identifier: Apache-2.0
// What one card may hold and what it holds, by category.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

#include "plugins/abi/firstlight_device.h"

namespace fl::plugins::cpu {

class Budget {
public:
    explicit Budget(std::int64_t limitBytes) : limit_(limitBytes) {}

    // False, and nothing changed, where the limit would be passed. Any thread.
    bool reserve(std::int64_t bytes, fl_memory_category category);
    void release(std::int64_t bytes, fl_memory_category category);
    // For what is held already: may pass the limit, so that later reservations are refused.
    void add(std::int64_t bytes, fl_memory_category category);

    std::int64_t limit() const { return limit_; }
    std::int64_t used() const { return used_.load(std::memory_order_relaxed); }
    fl_memory_usage usage() const;

private:
    void record(std::int64_t used, std::int64_t change, fl_memory_category category);

    const std::int64_t limit_;
    std::atomic<std::int64_t> used_{0};
    std::atomic<std::int64_t> peak_{0};
    std::array<std::atomic<std::int64_t>, FL_MEMORY_CATEGORIES> byCategory_{};
};

}  // namespace fl::plugins::cpu
