// SPDX-License-Identifier: Apache-2.0
// Covers: engine/load/allocate.cpp
#include "engine/load/weight_set.h"

#include <cstring>

#include <gtest/gtest.h>

#include "tests/support/cpu_card.h"
#include "tests/support/temp_dir.h"
#include "tests/support/tiny_checkpoint.h"

namespace fl::load {

namespace {

using checkpoint::TensorInfo;

// Four F32 tensors [2, 4], the i-th full of the value i.
struct FourTensors {
    FourTensors() {
        std::string data;
        for (int i = 0; i < 4; ++i) {
            data += test::tinyTensor("t", DType::F32, {2, 4},
                                     std::vector<float>(8, static_cast<float>(i)))
                        .data;
            tensors.push_back({{"t", DType::F32, {2, 4}, 0, 32 * i, 32}});
        }
        checkpoint::Shard shard;
        shard.path = test::writeTo(folder.path(), "four.bin", data);
        shards = {shard};
    }
    test::TempDir folder;
    std::vector<std::vector<TensorInfo>> tensors;
    std::vector<checkpoint::Shard> shards;
};

float firstValue(const void* address) {
    float value = -1;
    std::memcpy(&value, address, sizeof(value));
    return value;
}

}  // namespace

TEST(WeightSet, BindsEveryWeightToItsOwnTensor) {
    const FourTensors files;
    auto card = test::openCpuCard();
    std::vector<plan::Slice> slices(4);
    for (int i = 0; i < 4; ++i)
        slices[static_cast<std::size_t>(i)].weight = i;
    const auto set = loadWeights(slices, files.tensors, files.shards, card.device, {});
    ASSERT_TRUE(set) << set.error().message;
    ASSERT_EQ(set->weights.size(), 4U);
    for (int i = 0; i < 4; ++i)
        EXPECT_EQ(firstValue(set->weights[static_cast<std::size_t>(i)].data),
                  static_cast<float>(i));
    EXPECT_EQ(set->storedBytes, 128);
    const auto usage = card.device.usage();
    ASSERT_TRUE(usage);
    EXPECT_EQ(usage->by_category[FL_MEMORY_WEIGHTS], 4 * 64);
}

TEST(WeightSet, GivesExpertsAsATableOfAddresses) {
    FourTensors files;
    std::vector<TensorInfo> family;
    for (const auto& one : files.tensors)
        family.push_back(one.front());
    auto card = test::openCpuCard();
    plan::Slice slice;
    slice.firstExpert = 2;
    slice.expertCount = 2;
    const std::vector<std::vector<TensorInfo>> tensors = {family};
    const auto set = loadWeights({&slice, 1}, tensors, files.shards, card.device, {});
    ASSERT_TRUE(set) << set.error().message;
    const graph::BoundWeight& bound = set->weights.front();
    ASSERT_EQ(bound.localExperts, 2);
    EXPECT_EQ(bound.firstExpert, 2);
    EXPECT_EQ(firstValue(bound.experts[0]), 2.0F);
    EXPECT_EQ(firstValue(bound.experts[1]), 3.0F);
}

TEST(WeightSet, GivesItsMemoryBack) {
    const FourTensors files;
    auto card = test::openCpuCard();
    const plan::Slice slice;
    {
        const auto set = loadWeights({&slice, 1}, files.tensors, files.shards, card.device, {});
        ASSERT_TRUE(set);
    }
    EXPECT_EQ(card.device.usage()->used_bytes, 0);
}

TEST(WeightSet, RefusalOfTheBudgetComesBeforeReading) {
    const FourTensors files;
    auto card = test::openCpuCard("cards=1,memory=1MiB,threads=1");
    plan::Slice slice;
    const std::vector<std::vector<TensorInfo>> tensors = {
        {{"large", DType::F32, {1024, 1024}, 0, 0, 4 << 20}}};
    const auto set = loadWeights({&slice, 1}, tensors, files.shards, card.device, {});
    ASSERT_FALSE(set);
    EXPECT_EQ(set.error().code, ErrorCode::OutOfMemory);
    EXPECT_NE(set.error().message.find("weights: CPU card 0: 4 MiB asked"), std::string::npos)
        << set.error().message;
}

}  // namespace fl::load
