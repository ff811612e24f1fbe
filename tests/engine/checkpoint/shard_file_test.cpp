// SPDX-License-Identifier: Apache-2.0
#include "engine/checkpoint/shard_file.h"

#include <filesystem>

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "tests/support/findings.h"
#include "tests/support/temp_dir.h"
#include "tests/support/tiny_checkpoint.h"

namespace fl::checkpoint {
namespace {

Shard shardAt(const std::string& path) {
    Shard shard;
    shard.fileName = "s.safetensors";
    shard.path = path;
    return shard;
}

TEST(ShardFile, SaysWhatLiesInTheFilesPlace) {
    const test::TempDir folder;
    namespace fs = std::filesystem;
    const std::string place = folder / "s.safetensors";
    const auto found = [&] {
        FindingList findings;
        Shard shard = shardAt(place);
        EXPECT_FALSE(openShardFile(shard, findings));
        fs::remove(place);
        const auto list = findings.take();
        return list.size() == 1 ? list[0].code + ": " + list[0].found : "";
    };
    EXPECT_EQ(found(), "shard-missing: absent");
    fs::create_symlink("gone", place);
    EXPECT_EQ(found(), "shard-missing: link to nothing");
    fs::create_symlink("s.safetensors", place);
    EXPECT_EQ(found(), "shard-missing: symbolic link loop");
    fs::create_directory(place);
    EXPECT_EQ(found(), "not-a-file: directory");
    ASSERT_EQ(::mkfifo(place.c_str(), 0600), 0);
    EXPECT_EQ(found(), "not-a-file: named pipe (never opened)");
    fs::create_symlink("/dev/zero", place);
    EXPECT_EQ(found(), "not-a-file: character device");
    test::writeTo(folder.path(), "s.safetensors", "x");
    fs::permissions(place, fs::perms::none);
    EXPECT_EQ(found(), "file-unreadable: permission denied");
}

TEST(ShardFile, ReportsAFileThatIsReplacedMeanwhile) {
    const test::TempDir folder;
    FindingList findings;
    Shard shard = shardAt(test::writeTo(folder.path(), "s.safetensors", std::string(100, 'x')));
    const auto file = openShardFile(shard, findings);
    ASSERT_TRUE(file);
    checkUnchanged(*file, shard, findings);
    EXPECT_TRUE(findings.empty());
    std::filesystem::rename(test::writeTo(folder.path(), "new", std::string(100, 'y')), shard.path);
    checkUnchanged(*file, shard, findings);
    const auto list = findings.take();
    ASSERT_EQ(test::codes(list), "file-changed");
    EXPECT_EQ(list[0].found, "replaced");
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
