// SPDX-License-Identifier: Apache-2.0
#include "plugins/cpu/budget.h"

namespace fl::plugins::cpu {

bool Budget::reserve(std::int64_t bytes, fl_memory_category category) {
    std::int64_t used = used_.load(std::memory_order_relaxed);
    do {
        if (bytes > limit_ - used)
            return false;
    } while (!used_.compare_exchange_weak(used, used + bytes, std::memory_order_relaxed));
    record(used + bytes, bytes, category);
    return true;
}

void Budget::add(std::int64_t bytes, fl_memory_category category) {
    record(used_.fetch_add(bytes, std::memory_order_relaxed) + bytes, bytes, category);
}

void Budget::record(std::int64_t used, std::int64_t change, fl_memory_category category) {
    byCategory_[category].fetch_add(change, std::memory_order_relaxed);
    std::int64_t peak = peak_.load(std::memory_order_relaxed);
    while (used > peak && !peak_.compare_exchange_weak(peak, used, std::memory_order_relaxed)) {
    }
}

void Budget::release(std::int64_t bytes, fl_memory_category category) {
    used_.fetch_sub(bytes, std::memory_order_relaxed);
    byCategory_[category].fetch_sub(bytes, std::memory_order_relaxed);
}

fl_memory_usage Budget::usage() const {
    fl_memory_usage usage{};
    usage.size = sizeof usage;
    usage.budget_bytes = limit_;
    usage.used_bytes = used();
    usage.peak_bytes = peak_.load(std::memory_order_relaxed);
    for (std::size_t i = 0; i < byCategory_.size(); ++i)
        usage.by_category[i] = byCategory_[i].load(std::memory_order_relaxed);
    return usage;
}

}  // namespace fl::plugins::cpu
