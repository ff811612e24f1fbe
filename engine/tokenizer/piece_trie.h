// SPDX-License-Identifier: Apache-2.0
// All pieces that a text begins with, shortest first.
#pragma once

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/tokenizer/tokenizer.h"

namespace fl::tokenizer {

class PieceTrie {
public:
    using Entry = std::pair<std::string_view, TokenId>;

    // Of several equal texts the last one counts. Empty texts are left out.
    static PieceTrie of(std::vector<Entry> entries);

    // Calls sink(length, id) for each piece that `text` begins with.
    template <class Sink>
    void prefixesOf(std::string_view text, const Sink& sink) const {
        std::uint32_t node = 0;
        for (std::size_t i = 0; i < text.size(); ++i) {
            node = child(node, static_cast<unsigned char>(text[i]));
            if (node == 0)
                return;
            if (nodes_[node].id >= 0)
                sink(i + 1, nodes_[node].id);
        }
    }

    // Length of the longest piece that `text` begins with; 0: none.
    std::size_t longestPrefix(std::string_view text) const {
        std::size_t longest = 0;
        prefixesOf(text, [&](std::size_t length, TokenId) { longest = length; });
        return longest;
    }

private:
    struct Node {
        std::uint32_t first = 0;  // of its children, which lie side by side in order
        TokenId id = -1;
        std::uint16_t count = 0;
        std::uint8_t label = 0;
    };

    std::uint32_t child(std::uint32_t node, std::uint8_t label) const;

    std::vector<Node> nodes_{Node{}};  // the root is nobody's child
    std::vector<std::uint32_t> ofRoot_ = std::vector<std::uint32_t>(256, 0);
};

}  // namespace fl::tokenizer
