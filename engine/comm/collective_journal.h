// SPDX-License-Identifier: Apache-2.0
// Which collective this rank entered last, and whether it is still inside: written by the engine
// thread around every collective, read by the heartbeat thread, so that a stall can be named.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>

namespace fl::comm {

// "all_reduce #57 of tp0 at layer.3.attn"
std::string collectiveText(std::string_view operation,
                           std::int64_t sequence,
                           std::string_view group,
                           std::string_view site);

class CollectiveJournal {
public:
    struct Entry {
        std::string text;  // empty: none yet
        bool inside = false;
        double insideSeconds = 0;
    };

    // Engine thread. Texts are cut where they are longer than the journal keeps (31 and 63 bytes).
    void enter(std::string_view operation,
               std::int64_t sequence,
               std::string_view group,
               std::string_view site);
    void leave();

    // Any thread; never blocks the writer.
    Entry last() const;

private:
    // A sequence lock (Boehm, "Can seqlocks get along with programming language memory models?",
    // MSPC 2012): odd while being written; the words are relaxed atomics.
    static constexpr std::size_t kWords = 18;
    struct Record;
    Record read() const;

    std::atomic<std::uint32_t> version_{0};
    std::array<std::atomic<std::uint64_t>, kWords> words_{};
    std::atomic<bool> inside_{false};
};

}  // namespace fl::comm
