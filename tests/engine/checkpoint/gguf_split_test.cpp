// SPDX-License-Identifier: Apache-2.0
#include "engine/checkpoint/gguf_split.h"

#include <filesystem>

#include <gtest/gtest.h>

#include "tests/support/findings.h"
#include "tests/support/temp_dir.h"
#include "tests/support/tiny_checkpoint.h"

namespace fl::checkpoint {
namespace {

// Part `number` (from 0) of two, with one tensor.
test::TinyGguf part(std::uint16_t number) {
    test::TinyGguf file;
    if (number == 0)
        file.pairs = {test::ggufString("general.architecture", "llama"),
                      test::ggufI32("split.tensors.count", 2)};
    file.pairs.push_back(test::ggufU16("split.no", number));
    file.pairs.push_back(test::ggufU16("split.count", 2));
    file.tensors = {test::patternTensor("t" + std::to_string(number), DType::F32, {8})};
    return file;
}

struct Model {
    Model() {
        write("m-00001-of-00002.gguf", part(0));
        write("m-00002-of-00002.gguf", part(1));
    }
    void write(std::string_view name, const test::TinyGguf& file) {
        test::writeTo(folder.path(), name, test::ggufBytes(file));
    }
    std::vector<Finding> findings() const { return openCheckpoint(folder.path())->findings; }
    test::TempDir folder;
};

TEST(GgufSplit, ReadsAllPartsFromAnyOfThem) {
    const Model model;
    for (const std::string& path : {model.folder.path(), model.folder / "m-00001-of-00002.gguf",
                                    model.folder / "m-00002-of-00002.gguf"}) {
        const auto checkpoint = openCheckpoint(path);
        ASSERT_TRUE(checkpoint);
        EXPECT_EQ(test::codes(checkpoint->findings), "");
        EXPECT_EQ(checkpoint->shards.size(), 2U);
        EXPECT_EQ(checkpoint->inventory.find("t1")->shard, 1);
        EXPECT_EQ(checkpoint->metadata["general.architecture"].string(), "llama");
        EXPECT_EQ(checkpoint->format, Format::Gguf);
        EXPECT_TRUE(checkpoint->config.isNull());
    }
}

TEST(GgufSplit, NamesAMissingPart) {
    const Model model;
    std::filesystem::remove(model.folder / "m-00002-of-00002.gguf");
    const auto findings = model.findings();
    ASSERT_EQ(test::codes(findings), "shard-missing");
    EXPECT_EQ(findings[0].file, "m-00002-of-00002.gguf");
}

TEST(GgufSplit, ChecksTheKeysOfEachPart) {
    Model model;
    model.write("m-00002-of-00002.gguf", part(0));
    const auto exchanged = model.findings();
    EXPECT_EQ(test::findCode(exchanged, "gguf-split").key, "split.no");
    EXPECT_EQ(test::findCode(exchanged, "gguf-split").file, "m-00002-of-00002.gguf");
    EXPECT_EQ(test::findCode(exchanged, "tensor-duplicate").tensor, "t0");

    test::TinyGguf other = part(1);
    other.pairs = {test::ggufU16("split.no", 1), test::ggufU16("split.count", 3),
                   test::ggufString("general.architecture", "qwen2")};
    model.write("m-00002-of-00002.gguf", other);
    const auto findings = model.findings();
    ASSERT_EQ(test::codes(findings), "gguf-split, gguf-split");
    EXPECT_EQ(findings[0].key, "split.count");
    EXPECT_EQ(findings[1].key, "general.architecture");

    other.pairs.clear();
    model.write("m-00002-of-00002.gguf", other);
    EXPECT_EQ(model.findings()[0].found, "absent");
}

TEST(GgufSplit, ChecksTheNumberOfTensors) {
    Model model;
    test::TinyGguf second = part(1);
    second.tensors.push_back(test::patternTensor("more", DType::F32, {8}));
    model.write("m-00002-of-00002.gguf", second);
    const auto findings = model.findings();
    ASSERT_EQ(test::codes(findings), "gguf-split");
    EXPECT_EQ(findings[0].key, "split.tensors.count");
    EXPECT_EQ(findings[0].expected, "3");
    EXPECT_EQ(findings[0].found, "2");
}

TEST(GgufSplit, SeesAPartUnderAnotherName) {
    const test::TempDir folder;
    test::writeTo(folder.path(), "a.gguf", test::ggufBytes(part(0)));
    const auto checkpoint = openCheckpoint(folder.path());
    ASSERT_TRUE(checkpoint);
    EXPECT_EQ(test::findCode(checkpoint->findings, "gguf-split").key, "split.count");
}

TEST(GgufSplit, TellsPartsByTheirNames) {
    const auto name = parseSplitName("a-b-00002-of-00013.gguf");
    ASSERT_TRUE(name);
    EXPECT_EQ(name->prefix, "a-b");
    EXPECT_EQ(name->number, 2);
    EXPECT_EQ(name->count, 13);
    EXPECT_EQ(splitFileName(*name), "a-b-00002-of-00013.gguf");
    for (const char* other :
         {"m.gguf", "m-00001-of-00002.safetensors", "m-1-of-2.gguf", "-00001-of-00002.gguf",
          "m-00000-of-00002.gguf", "m-0000x-of-00002.gguf", "m-00003-of-00002.gguf"})
        EXPECT_FALSE(parseSplitName(other)) << other;
}

}  // namespace
}  // namespace fl::checkpoint
