// SPDX-License-Identifier: Apache-2.0
// Which pages of a replica's cache are in use, by how many sequences. Book-keeping only: the memory
// lies on the devices, and page p is page p on every rank and in every layer.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace fl::runtime {

class PagePool {
public:
    explicit PagePool(std::int64_t pages);

    std::int64_t pages() const { return static_cast<std::int64_t>(counts_.size()); }
    std::int64_t freePages() const { return static_cast<std::int64_t>(free_.size()); }
    std::int64_t usedPages() const { return pages() - freePages(); }

    // A free page, held once; −1 if there is none. The page freed last comes first: it is warm.
    std::int32_t take();
    // One more holder of a page in use.
    void share(std::int32_t page);
    // One holder less; the page is free with the last.
    void release(std::int32_t page);

private:
    std::vector<std::int32_t> counts_;
    std::vector<std::int32_t> free_;
};

// The pages of one sequence, in order of position. Gives them back when it goes.
class PageTable {
public:
    PageTable(PagePool& pool, int pageTokens) : pool_(&pool), pageTokens_(pageTokens) {}
    ~PageTable() { clear(); }
    PageTable(PageTable&& other) noexcept
        : pool_(other.pool_),
          pageTokens_(other.pageTokens_),
          pages_(std::move(other.pages_)) {
        other.pages_.clear();
    }
    PageTable& operator=(PageTable&&) = delete;
    PageTable(const PageTable&) = delete;
    PageTable& operator=(const PageTable&) = delete;

    // Pages for positions 0 … tokens−1. False, with nothing taken, if the pool has too few.
    bool cover(std::int64_t tokens);
    void clear();
    const std::vector<std::int32_t>& pages() const { return pages_; }

private:
    PagePool* pool_;
    int pageTokens_;
    std::vector<std::int32_t> pages_;
};

}  // namespace fl::runtime
