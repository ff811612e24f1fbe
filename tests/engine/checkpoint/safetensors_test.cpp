// SPDX-License-Identifier: Apache-2.0
// Covers: engine/checkpoint/safetensors_header.cpp
#include "engine/checkpoint/safetensors.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "tests/support/findings.h"
#include "tests/support/temp_dir.h"
#include "tests/support/tiny_checkpoint.h"

namespace fl::checkpoint {
namespace {

struct Outcome {
    Shard shard;
    Inventory inventory;
    std::vector<Finding> findings;
    ShardReading reading;
};

// Reads a file of these bytes.
Outcome readBytes(const std::string& bytes) {
    const test::TempDir folder;
    Outcome out;
    out.shard.fileName = "m.safetensors";
    out.shard.path = test::writeTo(folder.path(), out.shard.fileName, bytes);
    FindingList findings;
    out.reading = readSafetensors(out.shard, 0, out.inventory, findings);
    out.inventory.finish();
    out.findings = findings.take();
    return out;
}

// Reads a header with this text over eight bytes of data.
Outcome readHeader(std::string_view header, std::string_view data = "12345678") {
    return readBytes(test::safetensorsFile(header, data));
}

std::string entry(std::string_view dtype, std::string_view shape, std::string_view offsets) {
    return std::string(R"({"a":{"dtype":")") + std::string(dtype) + R"(","shape":)" +
           std::string(shape) + R"(,"data_offsets":)" + std::string(offsets) + "}}";
}

// The only finding of the header, with its code.
void expectOnly(const Outcome& outcome, std::string_view code) {
    EXPECT_EQ(test::codes(outcome.findings), code);
    for (const Finding& finding : outcome.findings) {
        EXPECT_EQ(finding.stage, "inspect");
        EXPECT_EQ(finding.file, "m.safetensors") << text(finding);
        EXPECT_FALSE(finding.message.empty());
    }
}

TEST(Safetensors, ReadsEveryTensorsPlace) {
    const Outcome outcome =
        readBytes(test::safetensorsBytes({test::patternTensor("b", DType::BF16, {4, 8}),
                                          test::patternTensor("a", DType::F32, {3})}));
    EXPECT_EQ(test::codes(outcome.findings), "");
    ASSERT_EQ(outcome.inventory.size(), 2U);
    const TensorInfo* a = outcome.inventory.find("a");
    EXPECT_EQ(a->dtype, DType::F32);
    EXPECT_EQ(a->shape, (Shape{3}));
    EXPECT_EQ(a->bytes, 12);
    EXPECT_EQ(a->offset, outcome.shard.dataOffset + 64);
    EXPECT_EQ(outcome.shard.tensorCount, 2);
}

TEST(Safetensors, TakesOddButLegalHeaders) {
    for (const char* header : {
             "{}",
             R"({"__metadata__":{}})",
             R"({"__metadata__":{"format":"pt"}}    )",
         })
        expectOnly(readHeader(header, ""), "");
    // No dimension: one value. A zero dimension: no bytes.
    expectOnly(readHeader(entry("F64", "[]", "[0,8]")), "");
    expectOnly(readHeader(R"({"e":{"dtype":"F32","shape":[0,2],"data_offsets":[0,0]},)"
                          R"("a":{"data_offsets":[0,8],"dtype":"I64","shape":[1]}})"),
               "");
    // A header without padding, so that the data is not aligned.
    expectOnly(readHeader(R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}})"), "");
}

TEST(Safetensors, SaysHowMuchOfAShardIsMissing) {
    std::string bytes = test::safetensorsBytes({test::patternTensor("a", DType::F32, {32, 1024}),
                                                test::patternTensor("b", DType::F32, {2, 1024})});
    bytes.resize(100'000);
    const Outcome outcome = readBytes(bytes);
    expectOnly(outcome, "shard-truncated");
    EXPECT_EQ(outcome.findings[0].message,
              "shard m.safetensors: header needs 139,408 B, file has 100,000 B \u2013 39,408 B "
              "missing; it cuts 2 tensors");
    EXPECT_EQ(outcome.findings[0].tensor, "a");
    EXPECT_EQ(outcome.findings[0].remedy, "fetch this file again");
    EXPECT_EQ(outcome.inventory.size(), 2U);  // for the inventory of what should be there
}

TEST(Safetensors, ChecksTheHeaderLength) {
    const std::string header = entry("F32", "[2]", "[0,8]");
    expectOnly(readBytes(""), "shard-truncated");
    expectOnly(readBytes("1234567"), "shard-truncated");
    expectOnly(readBytes(test::safetensorsFile(header, "", 0)), "header-length");
    expectOnly(readBytes(test::safetensorsFile(header, "", 1)), "header-length");
    expectOnly(readBytes(test::safetensorsFile(header, "", 1ULL << 63)), "header-length");
    expectOnly(readBytes(test::safetensorsFile(header, "", ~0ULL)), "header-length");
    expectOnly(readBytes(test::safetensorsFile(header, "", 100'000'001)), "header-length");
    // The text is complete, so it is the number that is wrong.
    expectOnly(readBytes(test::safetensorsFile(header, "", 5000)), "header-length");
    std::string swapped = test::safetensorsFile(header, "12345678");
    std::reverse(swapped.begin(), swapped.begin() + 8);
    EXPECT_EQ(readBytes(swapped).findings[0].expected,
              std::to_string(header.size()) + " (little-endian)");
    const Outcome cut = readBytes(test::safetensorsFile(header.substr(0, 20), "", header.size()));
    expectOnly(cut, "");
    EXPECT_EQ(cut.reading.cutHeaderEnd, 8 + static_cast<std::int64_t>(header.size()));
    EXPECT_EQ(cut.shard.dataOffset, 0);
    expectOnly(readBytes(test::safetensorsFile(header, "12345678", header.size() - 4)),
               "header-json");
}

TEST(Safetensors, ChecksTheHeaderText) {
    for (const char* header :
         {"[1,2]", "\"text\"", " {}", "\xef\xbb\xbf{}", "{\"a\":\xff}", "{} {}",
          "{\"__metadata__\":{},}", "{'a':1}", "{\"a\"", "{\"\\ud800\":1}"})
        expectOnly(readHeader(header, ""), "header-json");
    expectOnly(readHeader(std::string("{}\0\0", 4), ""), "header-json");
    expectOnly(readHeader("{\"a\":" + std::string(1000, '[') + std::string(1000, ']') + "}", ""),
               "tensor-field-type");
}

TEST(Safetensors, NamesFilesOfOtherKinds) {
    const std::string pointer =
        "version https://git-lfs.github.com/spec/v1\noid sha256:1234\nsize 28864\n";
    const Outcome outcome = readBytes(pointer);
    expectOnly(outcome, "lfs-pointer");
    EXPECT_EQ(outcome.findings[0].found, "git-lfs pointer, real size 28864");
    EXPECT_EQ(outcome.findings[0].remedy.substr(0, 18), "run 'git lfs pull'");
    const std::pair<std::string, std::string> kinds[] = {
        {"<!DOCTYPE html><html>", "an HTML page"}, {"PK\x03\x04 and so on", "a zip archive"},
        {"\x1f\x8b\x08 and so on", "gzip data"},   {"GGUF and so on", "a GGUF file"},
        {"{\"error\": \"denied\"}", "JSON text"},  {"access denied\n", "text"},
        {std::string(64, '\0'), "only zeros"}};
    for (const auto& [bytes, found] : kinds) {
        const Outcome other = readBytes(bytes);
        expectOnly(other, "not-safetensors");
        EXPECT_EQ(other.findings[0].found, found);
    }
}

TEST(Safetensors, ChecksEachField) {
    const std::pair<std::string, const char*> cases[] = {
        {entry("F128", "[2]", "[0,8]"), "dtype-unknown"},
        {entry("f32", "[2]", "[0,8]"), "dtype-unknown"},
        {entry("Q4_0", "[2]", "[0,8]"), "dtype-unknown"},
        {entry("F4", "[15]", "[0,8]"), "tensor-size"},
        {entry("F32", "[18446744073709551616]", "[0,8]"), "shape-overflow"},
        {entry("F32", "[2]", "[0,16]"), "offsets-past-end"},
        {entry("F32", "[-2]", "[0,8]"), "shape-negative"},
        {entry("F32", "[2.0]", "[0,8]"), "tensor-field-type"},
        {entry("F32", "[\"2\"]", "[0,8]"), "tensor-field-type"},
        {entry("F32", "[null]", "[0,8]"), "tensor-field-type"},
        {entry("F32", "[[2]]", "[0,8]"), "tensor-field-type"},
        {entry("F32", "2", "[0,8]"), "tensor-field-type"},
        {entry("F32", "{\"a\":[2]}", "[0,8]"), "tensor-field-type"},
        {entry("F32", "[9223372036854775808]", "[0,8]"), "shape-overflow"},
        {entry("F32", "[4294967296,4294967296]", "[0,8]"), "shape-overflow"},
        {entry("F32", "[4611686018427387904]", "[0,8]"), "tensor-size"},
        {entry("F32", "[3]", "[0,8]"), "tensor-size"},
        {entry("F16", "[2]", "[0,8]"), "tensor-size"},
        {entry("F32", "[2]", "[8,0]"), "offsets-reversed"},
        {entry("F32", "[2]", "[0]"), "offsets-invalid"},
        {entry("F32", "[2]", "[0,8,8]"), "offsets-invalid"},
        {entry("F32", "[2]", "[-8,0]"), "offsets-invalid"},
        {entry("F32", "[2]", "[0,18446744073709551615]"), "offsets-past-end"},
        {entry("F32", "[2]", "[0,1e3]"), "tensor-field-type"},
        {R"({"a":{"shape":[2],"data_offsets":[0,8]}})", "tensor-field-missing"},
        {R"({"a":{"dtype":"F32","data_offsets":[0,8]}})", "tensor-field-missing"},
        {R"({"a":{"dtype":"F32","shape":[2]}})", "tensor-field-missing"},
        {R"({"a":{"dtype":7,"shape":[2],"data_offsets":[0,8]}})", "tensor-field-type"},
        {R"({"a":7})", "tensor-field-type"},
        {R"({"a":[{"dtype":"F32"}]})", "tensor-field-type"},
    };
    for (const auto& [header, code] : cases) {
        const Outcome outcome = readHeader(header);
        EXPECT_EQ(test::codes(outcome.findings), code) << header;
        EXPECT_EQ(test::findCode(outcome.findings, code).tensor, "a") << header;
        EXPECT_EQ(outcome.inventory.size(), 0U) << header;
    }
}

TEST(Safetensors, TakesMoreDimensionsThanItKeeps) {
    const Outcome outcome = readHeader(entry("U8", "[1,1,1,1,1,1,1,1,2,4]", "[0,8]"));
    expectOnly(outcome, "shape-rank");
    EXPECT_EQ(outcome.findings[0].severity, Severity::Warning);
    ASSERT_EQ(outcome.inventory.size(), 1U);
    EXPECT_EQ(outcome.inventory.tensors()[0].shape, (Shape{1, 1, 1, 1, 1, 1, 1, 8}));
}

TEST(Safetensors, OnlyWarnsOfAnUnknownField) {
    const Outcome outcome =
        readHeader(R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8],"grad":{"x":[1]}}})");
    expectOnly(outcome, "tensor-field-unknown");
    EXPECT_EQ(outcome.findings[0].severity, Severity::Warning);
    EXPECT_EQ(outcome.inventory.size(), 1U);
}

TEST(Safetensors, RefusesNamesThatMislead) {
    for (const char* name :
         {"", "a\\u0000b", "a\\nb", "../../etc/passwd", "/etc/passwd", "a\\u202eb"}) {
        const Outcome outcome = readHeader(
            "{\"" + std::string(name) + R"(":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}})");
        EXPECT_EQ(test::codes(outcome.findings), "tensor-name") << name;
    }
    expectOnly(readHeader(R"({"模型.权重":{"dtype":"U8","shape":[8],"data_offsets":[0,8]}})"), "");
}

TEST(Safetensors, FindsDuplicates) {
    const Outcome outcome = readHeader(R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},)"
                                       R"("a":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}})");
    expectOnly(outcome, "tensor-duplicate");
    EXPECT_EQ(outcome.findings[0].tensor, "a");
    EXPECT_EQ(outcome.inventory.size(), 1U);
    expectOnly(
        readHeader(R"({"a":{"dtype":"F32","dtype":"F32","shape":[2],"data_offsets":[0,8]}})"),
        "tensor-duplicate");
}

std::string two(std::string_view first, std::string_view second) {
    return R"({"a":{"dtype":"U8","shape":[4],"data_offsets":)" + std::string(first) +
           R"(},"b":{"dtype":"U8","shape":[4],"data_offsets":)" + std::string(second) + "}}";
}

TEST(Safetensors, ChecksThatTensorsCoverTheData) {
    expectOnly(readHeader(two("[4,8]", "[0,4]")), "");
    const Outcome overlap = readHeader(two("[0,4]", "[2,6]"), "123456");
    expectOnly(overlap, "offsets-overlap");
    EXPECT_EQ(overlap.findings[0].message, "tensor b of m.safetensors shares 2 B with a");
    expectOnly(readHeader(two("[0,4]", "[0,4]"), "1234"), "offsets-overlap");
    const Outcome gap = readHeader(two("[0,4]", "[6,10]"), "1234567890");
    expectOnly(gap, "offsets-gap");
    EXPECT_EQ(gap.findings[0].tensor, "b");
    expectOnly(readHeader(two("[2,6]", "[6,10]"), "1234567890"), "offsets-gap");
    expectOnly(readHeader(two("[0,4]", "[4,8]"), "123456789"), "trailing-bytes");
    expectOnly(readHeader(two("[0,4]", "[4,8]"), "1234567"), "shard-truncated");
}

TEST(Safetensors, ChecksTheMetadata) {
    for (const char* metadata : {"[]", "7", "null", "\"x\"", R"({"a":1})", R"({"a":null})",
                                 R"({"a":{"b":"c"}})", R"({"a":["b"]})", R"({"a":"b","a":"c"})"})
        expectOnly(readHeader("{\"__metadata__\":" + std::string(metadata) + "}", ""),
                   "metadata-type");
}

TEST(Safetensors, ReportsEveryFaultOfAHeader) {
    const Outcome outcome = readHeader(R"({"a":{"dtype":"F99","shape":[1],"data_offsets":[0,4]},)"
                                       R"("b":{"dtype":"F32","shape":[2],"data_offsets":[4,8]},)"
                                       R"("c":{"dtype":"F32","shape":[1]},"__metadata__":5,)"
                                       R"("d":{"dtype":"U8","shape":[0],"data_offsets":[8,8]}})");
    EXPECT_EQ(test::codes(outcome.findings),
              "dtype-unknown, tensor-size, tensor-field-missing, metadata-type");
    EXPECT_TRUE(outcome.inventory.find("d"));
}

TEST(Safetensors, BoundsItsFindings) {
    std::string header = "{";
    for (int i = 0; i < 5000; ++i)
        header += (i ? ",\"t" : "\"t") + std::to_string(i) + "\":" + std::to_string(i);
    const Outcome outcome = readHeader(header + "}", "");
    expectOnly(outcome, "tensor-field-type");
    EXPECT_EQ(outcome.findings[0].count, 5000);
    EXPECT_EQ(outcome.findings[0].examples.size(), 5U);
}

}  // namespace
}  // namespace fl::checkpoint
