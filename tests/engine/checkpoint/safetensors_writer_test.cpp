// SPDX-License-Identifier: Apache-2.0
#include "engine/checkpoint/safetensors_writer.h"

#include <gtest/gtest.h>

#include "engine/checkpoint/tensor_reader.h"
#include "tests/support/findings.h"
#include "tests/support/temp_dir.h"

namespace fl::checkpoint {
namespace {

TEST(SafetensorsWriter, WritesWhatTheReaderReads) {
    const test::TempDir folder;
    const std::string path = folder / "capture.safetensors";
    const std::vector<NamedArray> arrays = {{"logits", {2, 2}, std::vector<float>{1, 2, 3, -4.5F}},
                                            {"empty", {0, 3}, std::vector<float>{}},
                                            {"greedy", {3}, std::vector<std::int64_t>{5, 6, -7}}};
    const Status written = writeSafetensors(path, arrays);
    ASSERT_TRUE(written) << written.error().message;
    const auto checkpoint = openCheckpoint(path);
    ASSERT_TRUE(checkpoint);
    EXPECT_EQ(test::codes(checkpoint->findings), "");
    EXPECT_EQ(checkpoint->shards[0].dataOffset % 8, 0);
    const Inventory& inventory = checkpoint->inventory;
    EXPECT_EQ(*readFloats(*checkpoint, *inventory.find("logits")),
              (std::vector<float>{1, 2, 3, -4.5F}));
    EXPECT_EQ(*readIntegers(*checkpoint, *inventory.find("greedy")),
              (std::vector<std::int64_t>{5, 6, -7}));
    EXPECT_EQ(inventory.find("empty")->shape, (Shape{0, 3}));
}

TEST(SafetensorsWriter, RefusesWhatContradictsItself) {
    const test::TempDir folder;
    const std::string path = folder / "x.safetensors";
    const NamedArray wrong{"a", {3}, std::vector<float>{1, 2}};
    EXPECT_EQ(writeSafetensors(path, std::vector{wrong}).error().message,
              path + ": array a has shape [3] but 2 values");
    const NamedArray right{"a", {1}, std::vector<float>{1}};
    EXPECT_EQ(writeSafetensors(path, std::vector{right, right}).error().message,
              path + ": array a is given twice");
}

}  // namespace
}  // namespace fl::checkpoint
