// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>
#include <gtest/gtest.h>

#include "engine/checkpoint/checkpoint.h"

namespace fl::checkpoint {
namespace {

TensorInfo tensor(std::string_view name, std::int32_t shard = 0) {
    TensorInfo info;
    info.name = name;
    info.shard = shard;
    return info;
}

TEST(Inventory, FindsTensorsByName) {
    Inventory inventory;
    for (const char* name : {"c", "a", "b"})
        inventory.add(tensor(name));
    EXPECT_TRUE(inventory.finish().empty());
    ASSERT_TRUE(inventory.find("b"));
    EXPECT_EQ(inventory.find("b")->name, "b");
    EXPECT_EQ(inventory.find("bb"), nullptr);
    EXPECT_EQ(inventory.tensors().front().name, "a");
}

TEST(Inventory, NamesEachRepeatedNameOnce) {
    Inventory inventory;
    for (const int shard : {2, 0, 1})
        inventory.add(tensor("x", shard));
    inventory.add(tensor("y"));
    const auto twice = inventory.finish();
    ASSERT_EQ(twice.size(), 1U);
    EXPECT_EQ(twice[0], "x");
    EXPECT_EQ(inventory.find("x")->shard, 0);
}

TEST(Inventory, KeepsItsNamesWhenMoved) {
    Inventory first;
    for (int i = 0; i < 50'000; ++i)
        first.add(tensor(fmt::format("model.layers.{:05}.mlp.down_proj.weight", i)));
    first.finish();
    const Inventory second = std::move(first);
    EXPECT_TRUE(second.find("model.layers.00000.mlp.down_proj.weight"));
    EXPECT_TRUE(second.find("model.layers.49999.mlp.down_proj.weight"));
}

}  // namespace
}  // namespace fl::checkpoint
