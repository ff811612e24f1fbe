// SPDX-License-Identifier: Apache-2.0
#include "engine/checkpoint/shard_file.h"

#include <filesystem>

#include <gtest/gtest.h>

#include "tests/support/findings.h"
#include "tests/support/temp_dir.h"
#include "tests/support/tiny_checkpoint.h"

namespace fl::checkpoint {
namespace {

TEST(ShardFile, SaysWhatGoesWithAMissingFile) {
    const test::TempDir folder;
    FindingList findings;
    Shard shard;
    shard.fileName = "s.safetensors";
    shard.path = folder / "s.safetensors";
    shard.tensorCount = 1234;
    EXPECT_FALSE(openShard(shard, findings));
    const auto list = findings.take();
    ASSERT_EQ(test::codes(list), "shard-missing");
    EXPECT_EQ(list[0].message, shard.path + " does not exist; 1,234 tensors are missing with it");
    EXPECT_EQ(shard.tensorCount, 0);
}

TEST(ShardFile, ReportsAFileThatShrinksMeanwhile) {
    const test::TempDir folder;
    FindingList findings;
    Shard shard;
    shard.fileName = "s.safetensors";
    shard.path = test::writeTo(folder.path(), "s.safetensors", std::string(100, 'x'));
    const auto file = openShard(shard, findings);
    ASSERT_TRUE(file);
    EXPECT_EQ(shard.fileBytes, 100);
    checkUnchanged(*file, shard, findings);
    EXPECT_TRUE(findings.empty());
    std::filesystem::resize_file(shard.path, 10);
    checkUnchanged(*file, shard, findings);
    EXPECT_EQ(test::codes(findings.take()), "file-changed");
}

}  // namespace
}  // namespace fl::checkpoint
