// SPDX-License-Identifier: Apache-2.0
// What of a model a set of tensors is, in a few words.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace fl::checkpoint {

// "3 tensors of layers 15–16", "22 tensors of layers 0, 4–6 and of none (lm_head.weight)". A layer
// is the first number that stands alone between dots.
std::string affected(std::span<const std::string_view> names);

// "0–2, 5"; of sorted numbers, each once.
std::string numberRanges(std::span<const int> numbers);

// The layer of a tensor name, or −1.
int layerOf(std::string_view name);

}  // namespace fl::checkpoint
