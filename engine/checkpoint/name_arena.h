// SPDX-License-Identifier: Apache-2.0
// Keeps many short texts in few allocations.
#pragma once

#include <cstddef>
#include <memory>
#include <string_view>
#include <vector>

namespace fl::checkpoint {

// Movable; the views stay valid as long as the arena that holds them lives, wherever it is moved.
class NameArena {
public:
    std::string_view keep(std::string_view text);
    // Takes over the texts of another one; views of them stay valid.
    void absorb(NameArena&& other);

private:
    std::vector<std::unique_ptr<char[]>> blocks_;
    std::size_t used_ = 0;
    std::size_t size_ = 0;
};

}  // namespace fl::checkpoint
