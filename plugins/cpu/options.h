// SPDX-License-Identifier: Apache-2.0
// What "cpu:cards=8,memory=2GiB,threads=1" asks for.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

namespace fl::plugins::cpu {

struct Options {
    int cards = 1;
    std::int64_t memoryBytes = 0;  // of each card
    int threads = 1;               // of each card
};

struct Machine {
    std::int64_t memoryBytes = 0;
    int cores = 1;
};
Machine thisMachine();

// What is not said is an equal share of the machine, at least one thread. The string is a sentence
// about the first key or value that is not understood, with the valid ones.
std::variant<Options, std::string> parseOptions(std::string_view text, const Machine& machine);

}  // namespace fl::plugins::cpu
