// SPDX-License-Identifier: Apache-2.0
#include "engine/runtime/page_pool.h"

#include "engine/base/checked.h"

namespace fl::runtime {

PagePool::PagePool(std::int64_t pages) : counts_(static_cast<std::size_t>(pages), 0) {
    free_.reserve(counts_.size());
    // Low pages first, so that a pool that fills slowly touches little memory.
    for (std::int64_t page = pages; page-- > 0;)
        free_.push_back(static_cast<std::int32_t>(page));
}

std::int32_t PagePool::take() {
    if (free_.empty())
        return -1;
    const std::int32_t page = free_.back();
    free_.pop_back();
    counts_[static_cast<std::size_t>(page)] = 1;
    return page;
}

void PagePool::share(std::int32_t page) {
    ++counts_[static_cast<std::size_t>(page)];
}

void PagePool::release(std::int32_t page) {
    if (--counts_[static_cast<std::size_t>(page)] == 0)
        free_.push_back(page);
}

bool PageTable::cover(std::int64_t tokens) {
    const std::int64_t wanted = ceilDivide(tokens, pageTokens_);
    const std::int64_t missing = wanted - static_cast<std::int64_t>(pages_.size());
    if (missing > pool_->freePages())
        return false;
    for (std::int64_t i = 0; i < missing; ++i)
        pages_.push_back(pool_->take());
    return true;
}

void PageTable::clear() {
    for (const std::int32_t page : pages_)
        pool_->release(page);
    pages_.clear();
}

}  // namespace fl::runtime
