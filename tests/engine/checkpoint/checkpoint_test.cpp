// SPDX-License-Identifier: Apache-2.0
#include "engine/checkpoint/checkpoint.h"

#include <filesystem>

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/support/findings.h"
#include "tests/support/temp_dir.h"
#include "tests/support/tiny_checkpoint.h"

namespace fl::checkpoint {
namespace {

constexpr std::string_view kSecond = "model-00002-of-00003.safetensors";

std::vector<test::TinyTensor> tensors() {
    std::vector<test::TinyTensor> out;
    for (const char* name : {"a", "b", "c", "d", "e", "f"})
        out.push_back(test::patternTensor(name, DType::BF16, {4, 8}));
    return out;
}

// Three shards of two tensors each.
void makeSharded(const test::TempDir& folder) {
    test::writeHubFolder(folder.path(), tensors(), 3);
}

Checkpoint opened(const std::string& path) {
    auto checkpoint = openCheckpoint(path);
    EXPECT_TRUE(checkpoint) << checkpoint.error().message;
    return checkpoint ? *std::move(checkpoint) : Checkpoint{};
}

std::string codesOf(const std::string& path) {
    return test::codes(opened(path).findings);
}

TEST(OpenCheckpoint, ReadsAShardedFolder) {
    const test::TempDir folder;
    makeSharded(folder);
    test::writeTo(folder.path(), "generation_config.json", R"({"eos_token_id": 2})");
    const Checkpoint checkpoint = opened(folder.path() + "/");
    EXPECT_EQ(test::codes(checkpoint.findings), "");
    EXPECT_EQ(checkpoint.path, folder.path());
    EXPECT_EQ(checkpoint.folder, folder.path());
    EXPECT_EQ(checkpoint.shards.size(), 3U);
    EXPECT_EQ(checkpoint.inventory.size(), 6U);
    EXPECT_EQ(checkpoint.inventory.find("c")->shard, 1);
    EXPECT_EQ(checkpoint.tensorBytes(), 6 * 64);
    EXPECT_EQ(checkpoint.config["model_type"].string(), "llama");
    EXPECT_EQ(checkpoint.generationConfig["eos_token_id"].integer(), 2);
}

TEST(OpenCheckpoint, ReadsOneFileAndFoldersWithoutIndex) {
    const test::TempDir folder;
    test::writeHubFolder(folder.path(), tensors(), 1);
    EXPECT_EQ(codesOf(folder.path()), "");
    EXPECT_EQ(opened(folder / "model.safetensors").inventory.size(), 6U);
    const test::TempDir sharded;
    makeSharded(sharded);
    EXPECT_EQ(opened(sharded / "model.safetensors.index.json").inventory.size(), 6U);
    EXPECT_EQ(opened(sharded / kSecond).inventory.size(), 2U);
    std::filesystem::remove(sharded / "model.safetensors.index.json");
    EXPECT_EQ(codesOf(sharded.path()), "index-missing");
    std::filesystem::remove(sharded / kSecond);
    const Checkpoint cut = opened(sharded.path());
    EXPECT_EQ(test::codes(cut.findings), "shard-missing, index-missing");
    EXPECT_EQ(cut.findings[0].file, kSecond);
}

TEST(OpenCheckpoint, FollowsTheLinksOfAHubCache) {
    const test::TempDir folder;
    makeSharded(folder);
    namespace fs = std::filesystem;
    fs::create_directories(folder / "cache/blobs");
    fs::create_directories(folder / "cache/snapshots/1");
    int number = 0;
    for (const auto& file : fs::directory_iterator(folder.path())) {
        if (!file.is_regular_file())
            continue;
        const std::string blob = std::to_string(number++);
        fs::copy(file.path(), folder / ("cache/blobs/" + blob));
        fs::create_symlink("../../blobs/" + blob,
                           folder / ("cache/snapshots/1/" + file.path().filename().string()));
    }
    const Checkpoint checkpoint = opened(folder / "cache/snapshots/1");
    EXPECT_EQ(test::codes(checkpoint.findings), "");
    EXPECT_EQ(checkpoint.inventory.size(), 6U);
}

TEST(OpenCheckpoint, FailsOnlyWhereThereIsNoCheckpoint) {
    const test::TempDir folder;
    EXPECT_EQ(openCheckpoint(folder / "none").error().code, ErrorCode::NotFound);
    EXPECT_EQ(codesOf(folder.path()), "checkpoint-missing");
    const std::string notes = test::writeTo(folder.path(), "notes.txt", "some notes\n");
    EXPECT_EQ(openCheckpoint(notes).error().message,
              notes + " is text, no checkpoint: neither a safetensors nor a GGUF file");
    EXPECT_EQ(openCheckpoint("/dev/null").error().code, ErrorCode::InvalidArgument);
}

TEST(OpenCheckpoint, StopsOnceCancelled) {
    const test::TempDir folder;
    makeSharded(folder);
    CancelSource source;
    EXPECT_TRUE(openCheckpoint(folder.path(), source.token()));
    source.cancel();
    for (const std::string& path : {folder.path(), folder.path() + "/" + std::string(kSecond)}) {
        const auto cancelled = openCheckpoint(path, source.token());
        ASSERT_FALSE(cancelled) << path;
        EXPECT_EQ(cancelled.error().code, ErrorCode::Cancelled) << path;
    }
}

TEST(OpenCheckpoint, NamesAMissingShard) {
    const test::TempDir folder;
    makeSharded(folder);
    std::filesystem::remove(folder / kSecond);
    const Checkpoint checkpoint = opened(folder.path());
    ASSERT_EQ(test::codes(checkpoint.findings), "shard-missing");
    EXPECT_EQ(checkpoint.findings[0].file, kSecond);
    EXPECT_EQ(checkpoint.findings[0].message,
              folder / kSecond + " does not exist; affects 2 tensors: c, d");
    EXPECT_TRUE(checkpoint.inventory.isLost("c") && checkpoint.inventory.isLost("d"));
    EXPECT_FALSE(checkpoint.inventory.isLost("a") || checkpoint.inventory.isLost(""));
    EXPECT_EQ(checkpoint.inventory.size(), 4U);
}

TEST(OpenCheckpoint, NamesATruncatedShard) {
    const test::TempDir folder;
    makeSharded(folder);
    std::filesystem::resize_file(folder / kSecond,
                                 std::filesystem::file_size(folder / kSecond) - 10);
    const Checkpoint checkpoint = opened(folder.path());
    ASSERT_EQ(test::codes(checkpoint.findings), "shard-truncated");
    EXPECT_EQ(checkpoint.findings[0].file, kSecond);
    EXPECT_EQ(checkpoint.findings[0].tensor, "d");
}

TEST(OpenCheckpoint, NamesWhatLiesInTheShardsPlace) {
    const test::TempDir folder;
    makeSharded(folder);
    namespace fs = std::filesystem;
    const std::string place = folder / kSecond;
    const auto found = [&] {
        const std::string codes = codesOf(folder.path());
        fs::remove(place);
        return codes;
    };
    fs::remove(place);
    fs::create_directory(place);
    EXPECT_EQ(found(), "not-a-file");
    ASSERT_EQ(::mkfifo(place.c_str(), 0600), 0);
    EXPECT_EQ(found(), "not-a-file");
    fs::create_symlink("/dev/zero", place);
    EXPECT_EQ(found(), "not-a-file");
    fs::create_symlink(kSecond, place);
    EXPECT_EQ(found(), "shard-missing");
    fs::create_symlink("gone", place);
    EXPECT_EQ(found(), "shard-missing");
}

TEST(OpenCheckpoint, FindsATensorInTwoShards) {
    const test::TempDir folder;
    makeSharded(folder);
    auto two = tensors();
    test::writeTo(folder.path(), kSecond, test::safetensorsBytes({two[0], two[2], two[3]}));
    const Checkpoint checkpoint = opened(folder.path());
    const Finding finding = test::findCode(checkpoint.findings, "tensor-duplicate");
    EXPECT_EQ(finding.tensor, "a");
    EXPECT_EQ(finding.file, kSecond);
    EXPECT_EQ(finding.expected, "only in model-00001-of-00003.safetensors");
}

TEST(OpenCheckpoint, RefusesPickles) {
    const test::TempDir folder;
    const std::string file = test::writeTo(folder.path(), "pytorch_model.bin", "PK\x03\x04 data");
    for (const std::string& path : {folder.path(), file}) {
        const Checkpoint checkpoint = opened(path);
        ASSERT_EQ(test::codes(checkpoint.findings), "pickle-refused");
        EXPECT_EQ(checkpoint.findings[0].file, "pytorch_model.bin");
        EXPECT_NE(checkpoint.findings[0].message.find("run any code"), std::string::npos);
        EXPECT_NE(checkpoint.findings[0].remedy.find(".safetensors"), std::string::npos);
    }
}

TEST(OpenCheckpoint, SaysWhereAConfigIsBad) {
    const test::TempDir folder;
    makeSharded(folder);
    test::writeTo(folder.path(), "config.json", "{\"hidden_size\": 12,,}");
    const Checkpoint bad = opened(folder.path());
    ASSERT_EQ(test::codes(bad.findings), "config-json");
    EXPECT_EQ(bad.findings[0].file, "config.json");
    EXPECT_NE(bad.findings[0].message.find("at byte 20"), std::string::npos)
        << bad.findings[0].message;
    test::writeTo(folder.path(), "config.json", "[]");
    EXPECT_EQ(codesOf(folder.path()), "config-json");
    std::filesystem::remove(folder / "config.json");
    EXPECT_EQ(codesOf(folder.path()), "config-missing");
}

TEST(OpenCheckpoint, SaysWhichFilesItDoesNotUse) {
    const test::TempDir folder;
    makeSharded(folder);
    test::writeTo(folder.path(), "model.safetensors", test::safetensorsBytes(tensors()));
    const Checkpoint checkpoint = opened(folder.path());
    ASSERT_EQ(test::codes(checkpoint.findings), "file-unused");
    EXPECT_EQ(checkpoint.findings[0].file, "model.safetensors");
    EXPECT_EQ(checkpoint.inventory.size(), 6U);
}

TEST(OpenCheckpoint, ListsSeveralFaultsAtOnce) {
    const test::TempDir folder;
    makeSharded(folder);
    std::filesystem::remove(folder / kSecond);
    std::filesystem::remove(folder / "config.json");
    const std::string first = folder / "model-00001-of-00003.safetensors";
    std::filesystem::resize_file(first, std::filesystem::file_size(first) - 1);
    EXPECT_EQ(codesOf(folder.path()), "shard-truncated, shard-missing, config-missing");
}

}  // namespace
}  // namespace fl::checkpoint
