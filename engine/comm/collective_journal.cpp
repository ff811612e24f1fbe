// SPDX-License-Identifier: Apache-2.0
#include "engine/comm/collective_journal.h"

#include <algorithm>
#include <bit>
#include <chrono>

#include <fmt/core.h>

namespace fl::comm {

struct CollectiveJournal::Record {
    std::int64_t sequence = 0;
    std::int64_t enteredNanoseconds = 0;
    std::array<char, 32> operation{};
    std::array<char, 32> group{};
    std::array<char, 64> site{};
};

namespace {

std::int64_t nowNanoseconds() {
    const auto now = std::chrono::steady_clock::now().time_since_epoch();
    return std::chrono::duration_cast<std::chrono::nanoseconds>(now).count();
}

template <std::size_t N>
void copyText(std::array<char, N>& to, std::string_view from) {
    std::copy_n(from.begin(), std::min(from.size(), N - 1), to.begin());
}

}  // namespace

std::string collectiveText(std::string_view operation,
                           std::int64_t sequence,
                           std::string_view group,
                           std::string_view site) {
    return fmt::format("{} #{} of {} at {}", operation, sequence, group, site);
}

void CollectiveJournal::enter(std::string_view operation,
                              std::int64_t sequence,
                              std::string_view group,
                              std::string_view site) {
    Record record;
    record.sequence = sequence;
    record.enteredNanoseconds = nowNanoseconds();
    copyText(record.operation, operation);
    copyText(record.group, group);
    copyText(record.site, site);
    const auto words = std::bit_cast<std::array<std::uint64_t, kWords>>(record);

    const std::uint32_t version = version_.load(std::memory_order_relaxed);
    version_.store(version + 1, std::memory_order_relaxed);
    std::atomic_thread_fence(std::memory_order_release);
    for (std::size_t i = 0; i < kWords; ++i)
        words_[i].store(words[i], std::memory_order_relaxed);
    version_.store(version + 2, std::memory_order_release);
    inside_.store(true, std::memory_order_release);
}

void CollectiveJournal::leave() {
    inside_.store(false, std::memory_order_release);
}

CollectiveJournal::Record CollectiveJournal::read() const {
    std::array<std::uint64_t, kWords> words{};
    while (true) {
        const std::uint32_t before = version_.load(std::memory_order_acquire);
        for (std::size_t i = 0; i < kWords; ++i)
            words[i] = words_[i].load(std::memory_order_relaxed);
        std::atomic_thread_fence(std::memory_order_acquire);
        if (before % 2 == 0 && version_.load(std::memory_order_relaxed) == before)
            break;
    }
    return std::bit_cast<Record>(words);
}

CollectiveJournal::Entry CollectiveJournal::last() const {
    Entry entry;
    if (version_.load(std::memory_order_acquire) == 0)
        return entry;
    const Record record = read();
    entry.text = collectiveText(record.operation.data(), record.sequence, record.group.data(),
                                record.site.data());
    entry.inside = inside_.load(std::memory_order_acquire);
    if (entry.inside) {
        entry.insideSeconds =
            static_cast<double>(nowNanoseconds() - record.enteredNanoseconds) * 1e-9;
    }
    return entry;
}

}  // namespace fl::comm
