// SPDX-License-Identifier: Apache-2.0
#include "engine/checkpoint/name_arena.h"

#include <string>

#include <gtest/gtest.h>

namespace fl::checkpoint {
namespace {

TEST(NameArena, KeepsTextsOfEverySize) {
    NameArena arena;
    std::vector<std::string> texts = {"", "a", std::string(2'000'000, 'x')};
    for (int i = 0; i < 100'000; ++i)
        texts.push_back("name " + std::to_string(i));
    std::vector<std::string_view> kept;
    for (const std::string& text : texts)
        kept.push_back(arena.keep(text));
    const NameArena moved = std::move(arena);
    for (std::size_t i = 0; i < texts.size(); ++i)
        ASSERT_EQ(kept[i], texts[i]);
}

}  // namespace
}  // namespace fl::checkpoint
