// SPDX-License-Identifier: Apache-2.0
// Covers: engine/checkpoint/gguf_metadata.cpp
#include "engine/checkpoint/gguf.h"

#include <cstring>

#include <gtest/gtest.h>

#include "tests/support/findings.h"
#include "tests/support/temp_dir.h"
#include "tests/support/tiny_checkpoint.h"

namespace fl::checkpoint {
namespace {

struct Outcome {
    Shard shard;
    Inventory inventory;
    Json pairs;
    std::vector<Finding> findings;
};

Outcome readBytes(const std::string& bytes) {
    const test::TempDir folder;
    Outcome out;
    out.shard.fileName = "m.gguf";
    out.shard.path = test::writeTo(folder.path(), out.shard.fileName, bytes);
    FindingList findings;
    out.pairs = readGguf(out.shard, 0, out.inventory, findings);
    out.inventory.finish();
    out.findings = findings.take();
    return out;
}

test::TinyGguf good() {
    test::TinyGguf file;
    file.pairs = {test::ggufString("general.architecture", "llama"),
                  test::ggufU32("llama.block_count", 2)};
    file.tensors = {test::patternTensor("token_embd.weight", DType::Q8_0, {4, 32}),
                    test::patternTensor("blk.0.attn_q.weight", DType::Q4_1, {2, 64}),
                    test::patternTensor("output_norm.weight", DType::F32, {3})};
    return file;
}

std::string codesOf(const std::string& bytes) {
    return test::codes(readBytes(bytes).findings);
}

std::string withPair(const test::GgufPair& pair) {
    test::TinyGguf file = good();
    file.pairs.push_back(pair);
    return test::ggufBytes(file);
}

// The file with `value` in place of the number that lies `distance` bytes behind the first `text`.
template <class T>
std::string patched(std::string bytes, std::string_view text, std::size_t distance, T value) {
    const std::size_t at = bytes.find(text) + text.size() + distance;
    std::memcpy(bytes.data() + at, &value, sizeof value);
    return bytes;
}

TEST(Gguf, ReadsTensorsOutermostFirst) {
    const Outcome outcome = readBytes(test::ggufBytes(good()));
    EXPECT_EQ(test::codes(outcome.findings), "");
    ASSERT_EQ(outcome.inventory.size(), 3U);
    const TensorInfo* tensor = outcome.inventory.find("blk.0.attn_q.weight");
    EXPECT_EQ(tensor->shape, (Shape{2, 64}));
    EXPECT_EQ(tensor->dtype, DType::Q4_1);
    EXPECT_EQ(tensor->bytes, 80);
    EXPECT_EQ(tensor->offset, outcome.shard.dataOffset + 160);
    EXPECT_EQ(outcome.shard.dataOffset % 32, 0);
    EXPECT_EQ(outcome.pairs["general.architecture"].string(), "llama");
    EXPECT_EQ(outcome.pairs["llama.block_count"].integer(), 2);
}

TEST(Gguf, ReadsEveryReadableType) {
    test::TinyGguf file = good();
    for (const DType dtype : {DType::F16, DType::BF16, DType::Q4_0, DType::Q4_K, DType::Q6_K})
        file.tensors.push_back(test::patternTensor(std::string(name(dtype)), dtype, {2, 256}));
    const Outcome outcome = readBytes(test::ggufBytes(file));
    EXPECT_EQ(test::codes(outcome.findings), "");
    EXPECT_EQ(outcome.inventory.find("Q6_K")->bytes, 2 * 210);
}

TEST(Gguf, ReadsVersionTwoAndOtherAlignments) {
    test::TinyGguf file = good();
    file.version = 2;
    file.alignment = 4096;
    const Outcome outcome = readBytes(test::ggufBytes(file));
    EXPECT_EQ(test::codes(outcome.findings), "");
    EXPECT_EQ(outcome.shard.dataOffset, 4096);
}

TEST(Gguf, ReadsEveryKindOfValue) {
    const std::string pair8(1, '\x80');
    test::TinyGguf file = good();
    file.pairs.insert(
        file.pairs.end(),
        {{"u8", 0, pair8},
         {"i8", 1, pair8},
         test::ggufU16("u16", 65535),
         {"i16", 3, std::string("\xff\xff")},
         test::ggufI32("i32", -5),
         test::ggufF32("f32", 1.5F),
         test::ggufBool("bool", true),
         test::ggufU64("u64", ~0ULL),
         {"i64", 11, std::string(8, '\xff')},
         {"f64", 12, std::string("\0\0\0\0\0\0\xf8\x3f", 8)},
         test::ggufStrings("texts", {"a", "", "模型"}),
         test::ggufI32s("none", {}),
         test::ggufF32s("reals", {0.5F, -2}),
         {"nested", 9,
          std::string("\x09\0\0\0\1\0\0\0\0\0\0\0\0\0\0\0\2\0\0\0\0\0\0\0\7\x08", 26)}});
    const Outcome outcome = readBytes(test::ggufBytes(file));
    ASSERT_EQ(test::codes(outcome.findings), "");
    const Json& pairs = outcome.pairs;
    EXPECT_EQ(pairs["u8"].integer(), 128);
    EXPECT_EQ(pairs["i8"].integer(), -128);
    EXPECT_EQ(pairs["u16"].integer(), 65535);
    EXPECT_EQ(pairs["i16"].integer(), -1);
    EXPECT_EQ(pairs["i32"].integer(), -5);
    EXPECT_EQ(pairs["f32"].number(), 1.5);
    EXPECT_TRUE(pairs["bool"].boolean());
    EXPECT_DOUBLE_EQ(pairs["u64"].number(), 18446744073709551615.0);
    EXPECT_EQ(pairs["i64"].integer(), -1);
    EXPECT_EQ(pairs["f64"].number(), 1.5);
    EXPECT_EQ(pairs["texts"].items()[2].string(), "模型");
    EXPECT_TRUE(pairs["none"].isArray());
    EXPECT_EQ(pairs["reals"].items()[1].number(), -2);
    EXPECT_EQ(pairs["nested"].items()[0].items()[1].integer(), 8);
}

TEST(Gguf, ChecksTheStartOfTheFile) {
    std::string bytes = test::ggufBytes(good());
    EXPECT_EQ(codesOf("GGM" + bytes.substr(3)), "not-gguf");
    EXPECT_EQ(codesOf("<!DOCTYPE html>"), "not-gguf");
    EXPECT_EQ(codesOf("version https://git-lfs.github.com/spec/v1\nsize 9\n"), "lfs-pointer");
    for (const char version : {'\0', '\1', '\4'}) {
        bytes[4] = version;
        EXPECT_EQ(codesOf(bytes), "gguf-version");
    }
    bytes.replace(4, 4, std::string("\0\0\0\3", 4));
    EXPECT_EQ(readBytes(bytes).findings[0].found, "big-endian file");
}

TEST(Gguf, NamesEveryWayToBeCut) {
    const std::string bytes = test::ggufBytes(good());
    for (const std::size_t size : {0U, 3U, 4U, 8U, 16U, 24U, 60U, 90U, 150U, 200U, 260U}) {
        const Outcome outcome = readBytes(bytes.substr(0, size));
        ASSERT_FALSE(outcome.findings.empty()) << size;
        for (const Finding& finding : outcome.findings)
            EXPECT_TRUE(finding.code == "shard-truncated" || finding.code == "gguf-count" ||
                        finding.code == "gguf-length")
                << size << " " << text(finding);
    }
    const Outcome tail = readBytes(bytes.substr(0, bytes.size() - 40));
    ASSERT_EQ(test::codes(tail.findings), "shard-truncated");
    EXPECT_EQ(tail.findings[0].tensor, "output_norm.weight");
    EXPECT_EQ(tail.inventory.size(), 3U);
    EXPECT_EQ(codesOf(bytes + std::string(100, 'x')), "trailing-bytes");
}

TEST(Gguf, BoundsCountsAndLengthsBeforeItAllocates) {
    const std::string bytes = test::ggufBytes(good());
    for (const std::uint64_t count : {1ULL << 40, 1ULL << 63, ~0ULL}) {
        EXPECT_EQ(codesOf(patched(bytes, "GGUF", 4, count)), "gguf-count");
        EXPECT_EQ(codesOf(patched(bytes, "GGUF", 12, count)), "gguf-count");
        EXPECT_EQ(codesOf(patched(bytes, "general.architecture", 4, count)), "gguf-length");
        EXPECT_EQ(codesOf(patched(withPair(test::ggufI32s("list", {1, 2})), "list", 8, count)),
                  "gguf-length");
        EXPECT_EQ(codesOf(patched(withPair(test::ggufStrings("list", {"a"})), "list", 16, count)),
                  "gguf-length");
    }
}

TEST(Gguf, ChecksKeysAndValues) {
    EXPECT_EQ(codesOf(withPair(test::ggufU32("", 1))), "gguf-key");
    EXPECT_EQ(codesOf(withPair(test::ggufU32("a\xff", 1))), "gguf-key");
    EXPECT_EQ(codesOf(withPair(test::ggufU32(std::string("a\0b", 3), 1))), "gguf-key");
    EXPECT_EQ(codesOf(withPair(test::ggufU32(std::string(65'536, 'a'), 1))), "gguf-key");
    EXPECT_EQ(codesOf(withPair(test::ggufU32("llama.block_count", 3))), "gguf-key-duplicate");
    EXPECT_EQ(codesOf(withPair({"x", 13, "abcd"})), "gguf-value-type");
    EXPECT_EQ(codesOf(withPair({"x", 7, "\2"})), "gguf-bool");
    const Outcome text = readBytes(withPair(test::ggufString("x", "\xc3\x28")));
    EXPECT_EQ(test::codes(text.findings), "gguf-text");
    EXPECT_EQ(text.findings[0].key, "x");
    std::string deep;
    for (int i = 0; i < 1000; ++i)
        deep += std::string("\x09\0\0\0\1\0\0\0\0\0\0\0", 12);
    EXPECT_EQ(codesOf(withPair({"x", 9, deep})), "gguf-array-depth");
}

TEST(Gguf, ChecksTheAlignment) {
    for (const std::uint32_t alignment : {0U, 3U, 24U, 33U, 1U << 31, (1U << 31) + 1}) {
        const Outcome outcome = readBytes(withPair(test::ggufU32("general.alignment", alignment)));
        EXPECT_EQ(test::codes(outcome.findings), "gguf-alignment") << alignment;
        EXPECT_EQ(outcome.findings[0].key, "general.alignment");
    }
    EXPECT_EQ(codesOf(withPair(test::ggufString("general.alignment", "32"))), "gguf-alignment");
    EXPECT_EQ(codesOf(withPair(test::ggufU64("general.alignment", 32))), "gguf-alignment");
}

// Patches the entry of blk.0.attn_q.weight: rank, two dimensions, type, offset.
template <class T>
Outcome withEntry(std::size_t distance, T value) {
    return readBytes(patched(test::ggufBytes(good()), "blk.0.attn_q.weight", distance, value));
}

TEST(Gguf, ChecksTheTensorTable) {
    const auto codeOf = [](const Outcome& outcome) {
        EXPECT_FALSE(outcome.findings.empty());
        EXPECT_EQ(outcome.findings.front().tensor, "blk.0.attn_q.weight");
        return outcome.findings.front().code;
    };
    EXPECT_EQ(codeOf(withEntry(0, 0U)), "shape-rank");
    EXPECT_EQ(codeOf(withEntry(0, 5U)), "shape-rank");
    EXPECT_EQ(codeOf(withEntry(0, ~0U)), "shape-rank");
    EXPECT_EQ(codeOf(withEntry(4, 1ULL << 63)), "shape-overflow");
    EXPECT_EQ(codeOf(withEntry(12, 1ULL << 60)), "shape-overflow");
    EXPECT_EQ(codeOf(withEntry(4, 63ULL)), "shape-block");
    EXPECT_EQ(codeOf(withEntry(20, 4U)), "dtype-unknown");
    EXPECT_EQ(codeOf(withEntry(20, ~0U)), "dtype-unknown");
    EXPECT_EQ(codeOf(withEntry(24, 161ULL)), "offset-unaligned");
    EXPECT_EQ(codeOf(withEntry(24, ~31ULL)), "offset-unaligned");
    EXPECT_EQ(codeOf(withEntry(24, 128ULL)), "offsets-overlap");
    EXPECT_EQ(codeOf(withEntry(24, 192ULL)), "offsets-gap");
}

TEST(Gguf, CountsTensorsOfEveryType) {
    const Outcome outcome = withEntry(20, 6U);  // Q5_0, 22 bytes a block
    const TensorInfo* tensor = outcome.inventory.find("blk.0.attn_q.weight");
    ASSERT_TRUE(tensor);
    EXPECT_EQ(tensor->dtype, DType::Q5_0);
    EXPECT_EQ(tensor->bytes, *tensor->shape.count() / 32 * 22);
}

TEST(Gguf, ReadsALargeVocabulary) {
    test::TinyGguf file = good();
    std::vector<std::string> tokens;
    for (int i = 0; i < 150'000; ++i)
        tokens.push_back("token" + std::to_string(i));
    file.pairs.push_back(test::ggufStrings("tokenizer.ggml.tokens", tokens));
    const Outcome outcome = readBytes(test::ggufBytes(file));
    EXPECT_EQ(test::codes(outcome.findings), "");
    EXPECT_EQ(outcome.pairs["tokenizer.ggml.tokens"].items().back().string(), "token149999");
}

}  // namespace
}  // namespace fl::checkpoint
