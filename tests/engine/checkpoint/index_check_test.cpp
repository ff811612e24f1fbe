// SPDX-License-Identifier: Apache-2.0
// Covers: engine/checkpoint/sharded_reader.cpp
#include "engine/checkpoint/index_check.h"

#include <filesystem>

#include <gtest/gtest.h>

#include "engine/base/text.h"
#include "tests/support/findings.h"
#include "tests/support/temp_dir.h"
#include "tests/support/tiny_checkpoint.h"

namespace fl::checkpoint {
namespace {

constexpr std::string_view kIndex = "model.safetensors.index.json";
constexpr std::string_view kSecond = "model-00002-of-00003.safetensors";

// Three shards of two layers' tensors each, as a hub has them.
class IndexCheckTest : public ::testing::Test {
protected:
    IndexCheckTest() {
        for (int i = 0; i < 6; ++i)
            tensors_.push_back(test::patternTensor("model.layers." + std::to_string(i) + ".weight",
                                                   DType::BF16, {4, 8}));
        test::writeHubFolder(folder_.path(), tensors_, 3);
    }

    std::string path(std::string_view name) const { return folder_ / name; }
    std::vector<Finding> findings() const {
        const auto checkpoint = openCheckpoint(folder_.path());
        EXPECT_TRUE(checkpoint);
        return checkpoint->findings;
    }
    void editIndex(const std::string& from, const std::string& to) const {
        std::string text = *readFile(path(kIndex));
        const auto at = text.find(from);
        ASSERT_NE(at, std::string::npos);
        test::writeTo(folder_.path(), kIndex, text.replace(at, from.size(), to));
    }

    test::TempDir folder_;
    std::vector<test::TinyTensor> tensors_;
};

TEST_F(IndexCheckTest, SaysWhatAMissingShardCosts) {
    std::filesystem::remove(path(kSecond));
    const auto list = findings();
    ASSERT_EQ(test::codes(list), "shard-missing");
    EXPECT_NE(list[0].message.find("affects 2 tensors of layers 2\u20133"), std::string::npos)
        << list[0].message;
    EXPECT_EQ(list[0].remedy, "fetch this file");
}

TEST_F(IndexCheckTest, KnowsHowLongAFileShouldBeThatEndsInsideItsHeader) {
    const auto whole = std::filesystem::file_size(path(kSecond));
    std::filesystem::resize_file(path(kSecond), 60);
    const auto list = findings();
    ASSERT_EQ(test::codes(list), "shard-truncated");
    EXPECT_EQ(list[0].expected,
              std::to_string(whole) + " (" + std::to_string(whole - 2 * 64) + " of them header)");
    EXPECT_EQ(list[0].found, "60");
}

TEST_F(IndexCheckTest, PointsAtTheFileThatIsThereUnderAnotherName) {
    std::filesystem::rename(path(kSecond), path("Model-00002-of-00003.safetensors"));
    auto list = findings();
    EXPECT_EQ(test::findCode(list, "shard-missing").found, "Model-00002-of-00003.safetensors");
    std::filesystem::remove(path("Model-00002-of-00003.safetensors"));
    test::writeTo(folder_.path(), std::string(kSecond) + ".incomplete", std::string(9000, 'x'));
    list = findings();
    const Finding& missing = test::findCode(list, "shard-missing");
    EXPECT_EQ(missing.expected, "complete file");
    EXPECT_EQ(missing.found, std::string(kSecond) + ".incomplete of 9000 bytes");
}

TEST_F(IndexCheckTest, BlamesTheIndexWhereTheBytesAreAllThere) {
    editIndex("\"model.layers.0.weight\"",
              "\"x\":\"" + std::string(kSecond) + "\",\"model.layers.0.weight\"");
    const auto list = findings();
    ASSERT_EQ(test::codes(list), "tensor-not-in-shard");
    EXPECT_EQ(list[0].file, kIndex);
}

TEST_F(IndexCheckTest, ReadsFilesThatTheIndexForgot) {
    editIndex("model-00003-of-00003", "model-00001-of-00003");
    editIndex("model-00003-of-00003", "model-00001-of-00003");
    const auto list = findings();
    const Finding& other = test::findCode(list, "tensor-in-other-shard");
    EXPECT_EQ(other.tensor, "model.layers.4.weight");
    EXPECT_EQ(other.expected, "model-00003-of-00003.safetensors");
}

TEST_F(IndexCheckTest, SaysThatNoFileOfTheIndexIsThere) {
    for (const char* number : {"1", "2", "3"})
        std::filesystem::remove(path("model-0000" + std::string(number) + "-of-00003.safetensors"));
    auto list = findings();
    ASSERT_EQ(test::codes(list), "shard-missing");
    EXPECT_EQ(list[0].expected, "3 files");
    EXPECT_EQ(list[0].file, "*.safetensors");
    test::writeTo(folder_.path(), "other.safetensors", test::safetensorsBytes(tensors_));
    list = findings();
    ASSERT_EQ(test::codes(list), "index-stale");
    EXPECT_EQ(list[0].file, kIndex);
    EXPECT_EQ(openCheckpoint(folder_.path())->inventory.size(), 6U);
}

TEST_F(IndexCheckTest, CountsWhatABesideFileHolds) {
    test::writeTo(folder_.path(), "extra.safetensors",
                  test::safetensorsBytes({test::patternTensor("y", DType::F32, {1}),
                                          test::patternTensor("z", DType::F32, {1})}));
    const auto list = findings();
    ASSERT_EQ(test::codes(list), "file-unused");
    EXPECT_EQ(list[0].found, "2 tensors");
}

TEST_F(IndexCheckTest, SeesThatAnotherFormIsAnotherModel) {
    auto others = tensors_;
    others[1] = test::patternTensor(others[1].name, DType::BF16, {8, 4});
    test::writeTo(folder_.path(), "model.safetensors", test::safetensorsBytes(others));
    const auto list = findings();
    ASSERT_EQ(test::codes(list), "forms-differ, file-unused");
    EXPECT_EQ(list[0].tensor, "model.layers.1.weight");
    EXPECT_EQ(list[0].found, "BF16 [8, 4]");
}

TEST_F(IndexCheckTest, StopsWhenCancelled) {
    CancelSource source;
    source.cancel();
    const auto checkpoint = openCheckpoint(folder_.path(), source.token());
    ASSERT_FALSE(checkpoint);
    EXPECT_EQ(checkpoint.error().code, ErrorCode::Cancelled);
}

}  // namespace
}  // namespace fl::checkpoint
