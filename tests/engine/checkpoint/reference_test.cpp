// SPDX-License-Identifier: Apache-2.0
// Reads the checkpoints of the reference folder, which the reference implementations have written.
#include "tests/support/reference.h"

#include <gtest/gtest.h>

#include "engine/checkpoint/tensor_reader.h"
#include "tests/support/findings.h"

namespace fl::checkpoint {
namespace {

class Reference : public ::testing::Test {
protected:
    void SetUp() override {
        if (test::referenceDir().empty())
            GTEST_SKIP() << "no reference folder (FIRSTLIGHT_REFERENCE)";
    }
};

TEST_F(Reference, CheckpointsAreWithoutFindings) {
    for (const char* name : {"llama-a", "qwen2-a", "qwen3-a", "qwen3_moe-a", "deepseek_v3-a-fp8"}) {
        const auto checkpoint = openCheckpoint(test::referenceDir() + "/reference/" + name);
        ASSERT_TRUE(checkpoint) << checkpoint.error().message;
        EXPECT_EQ(test::codes(checkpoint->findings), "") << name;
        EXPECT_EQ(checkpoint->shards.size(), 3U) << name;
        EXPECT_GT(checkpoint->inventory.size(), 10U) << name;
        EXPECT_TRUE(checkpoint->config.isObject()) << name;
    }
}

TEST_F(Reference, GoldenArraysCanBeRead) {
    const std::string folder = test::referenceDir() + "/reference/llama-a/golden";
    const auto cases = Json::parseFile(folder + "/cases.json");
    ASSERT_TRUE(cases) << cases.error().message;
    ASSERT_GT(cases->size(), 0U);
    for (const Json& one : cases->items()) {
        const auto golden = openCheckpoint(folder + "/" + one["name"].string() + ".safetensors");
        ASSERT_TRUE(golden) << golden.error().message;
        EXPECT_EQ(test::codes(golden->findings), "");
        const TensorInfo* ids = golden->inventory.find("input_ids");
        const TensorInfo* logits = golden->inventory.find("logits");
        ASSERT_TRUE(ids && logits);
        EXPECT_EQ(readIntegers(*golden, *ids)->size(), static_cast<std::size_t>(ids->shape[0]));
        EXPECT_EQ(readFloats(*golden, *logits)->size() * 4,
                  static_cast<std::size_t>(logits->bytes));
    }
}

}  // namespace
}  // namespace fl::checkpoint
