// SPDX-License-Identifier: Apache-2.0
#include "engine/tokenizer/piece_trie.h"

#include <algorithm>

namespace fl::tokenizer {

namespace {

// The entries below one node: those from begin to end share their first `depth` bytes.
struct Range {
    std::size_t begin = 0;
    std::size_t end = 0;
    std::size_t depth = 0;
    std::uint32_t node = 0;
};

}  // namespace

PieceTrie PieceTrie::of(std::vector<Entry> entries) {
    std::stable_sort(entries.begin(), entries.end(),
                     [](const Entry& a, const Entry& b) { return a.first < b.first; });
    PieceTrie trie;
    std::vector<Range> open{{0, entries.size(), 0, 0}};
    for (std::size_t next = 0; next < open.size(); ++next) {
        Range range = open[next];
        // Those that end here stand first.
        while (range.begin < range.end && entries[range.begin].first.size() == range.depth)
            trie.nodes_[range.node].id = entries[range.begin++].second;
        trie.nodes_[range.node].first = static_cast<std::uint32_t>(trie.nodes_.size());
        while (range.begin < range.end) {
            const char label = entries[range.begin].first[range.depth];
            std::size_t end = range.begin;
            while (end < range.end && entries[end].first[range.depth] == label)
                ++end;
            Node made;
            made.label = static_cast<std::uint8_t>(label);
            const auto at = static_cast<std::uint32_t>(trie.nodes_.size());
            trie.nodes_.push_back(made);
            ++trie.nodes_[range.node].count;
            if (range.node == 0)
                trie.ofRoot_[made.label] = at;
            open.push_back({range.begin, end, range.depth + 1, at});
            range.begin = end;
        }
        if (next >= 4096 && 2 * next > open.size()) {  // what is done need not be kept
            open.erase(open.begin(), open.begin() + static_cast<std::ptrdiff_t>(next) + 1);
            next = static_cast<std::size_t>(-1);
        }
    }
    trie.nodes_[0].id = -1;
    trie.nodes_.shrink_to_fit();
    return trie;
}

std::uint32_t PieceTrie::child(std::uint32_t node, std::uint8_t label) const {
    if (node == 0)
        return ofRoot_[label];
    const Node& parent = nodes_[node];
    const auto first = nodes_.begin() + parent.first;
    const auto last = first + parent.count;
    const auto found =
        std::lower_bound(first, last, label,
                         [](const Node& each, std::uint8_t wanted) { return each.label < wanted; });
    return found != last && found->label == label
               ? static_cast<std::uint32_t>(found - nodes_.begin())
               : 0;
}

}  // namespace fl::tokenizer
