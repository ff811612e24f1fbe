// SPDX-License-Identifier: Apache-2.0
// Covers: engine/checkpoint/value_rules.cpp
#include "engine/checkpoint/deep_check.h"

#include <chrono>
#include <cmath>
#include <filesystem>
#include <limits>
#include <thread>

#include <gtest/gtest.h>

#include "engine/base/text.h"
#include "tests/support/findings.h"
#include "tests/support/temp_dir.h"
#include "tests/support/tiny_checkpoint.h"

namespace fl::checkpoint {
namespace {

std::vector<Finding> findingsOf(const std::string& folder) {
    const auto checkpoint = openCheckpoint(folder);
    EXPECT_TRUE(checkpoint);
    const auto report = deepCheck(*checkpoint, {});
    EXPECT_TRUE(report) << report.error().message;
    return report ? report->findings : std::vector<Finding>{};
}

// The findings of one tensor with these values.
std::vector<Finding> judged(const std::string& name,
                            Shape shape,
                            const std::vector<float>& values,
                            DType dtype = DType::F32) {
    const test::TempDir folder;
    test::writeHubFolder(folder.path(), {test::tinyTensor(name, dtype, shape, values)}, 1);
    return findingsOf(folder.path());
}

TEST(DeepCheck, NamesValuesThatAreNoWeights) {
    const float infinity = std::numeric_limits<float>::infinity();
    struct Case {
        const char* name;
        std::vector<float> values;
        const char* code;
        const char* found;
        Severity severity;
    };
    for (const Case& each : std::initializer_list<Case>{
             {"w.weight", {NAN, NAN}, "values-not-finite", "all NaN", Severity::Error},
             {"w.weight", {1, NAN}, "values-not-finite", "1 NaN at element 1", Severity::Error},
             {"w.weight",
              {infinity, infinity},
              "values-not-finite",
              "all infinite",
              Severity::Error},
             {"w.weight",
              {-infinity, -infinity},
              "values-not-finite",
              "all minus-infinite",
              Severity::Error},
             {"w.weight", {0, 0}, "values-zero", "all zero", Severity::Error},
             {"w.weight",
              {1e-40F, -1e-40F},
              "values-implausible",
              "all denormal, at most 9.99995e-41",
              Severity::Warning},
             {"w.weight", {1e30F, 1}, "values-implausible", "huge, up to 1e+30", Severity::Warning},
             {"w.weight",
              {0.5F, 0.5F},
              "values-implausible",
              "all constant, 0.5",
              Severity::Warning},
             {"w.weight_scale_inv", {0, 0}, "scale-value", "all zero", Severity::Error},
             {"w.weight_scale_inv",
              {-1, 1},
              "scale-value",
              "1 negative, least -1",
              Severity::Error},
             {"w.weight_scale_inv",
              {1e-42F, 1e-42F},
              "scale-value",
              "denormal, at most 1.00053e-42",
              Severity::Error},
             {"w.weight_scale_inv",
              {1e30F, 1},
              "scale-value",
              "huge, up to 1e+30",
              Severity::Warning},
             {"w.weight_scale_inv", {0, 1}, "scale-value", "1 zero", Severity::Warning},
         }) {
        const auto findings = judged(each.name, {1, 2}, each.values);
        ASSERT_EQ(test::codes(findings), each.code) << each.found;
        EXPECT_EQ(findings[0].found, each.found);
        EXPECT_EQ(findings[0].severity, each.severity) << each.found;
        EXPECT_EQ(findings[0].tensor, each.name);
        EXPECT_EQ(findings[0].file, "model.safetensors");
    }
}

TEST(DeepCheck, LetsPlausibleValuesPass) {
    EXPECT_EQ(test::codes(judged("w.weight", {1, 2}, {0.1F, -0.2F})), "");
    EXPECT_EQ(test::codes(judged("q_proj.bias", {2}, {0, 0})), "");
    EXPECT_EQ(test::codes(judged("input_layernorm.weight", {2}, {1, 1})), "");
    EXPECT_EQ(test::codes(judged("input_layernorm.weight", {2}, {0, 0})), "values-zero");
    EXPECT_EQ(test::codes(judged("w.weight_scale", {1, 2}, {0.01F, 0.01F})), "");
    EXPECT_EQ(test::codes(judged("tid2eid", {1, 2}, {0, 0}, DType::I64)), "");
}

TEST(DeepCheck, SeesAFileWhoseEndWasNeverWritten) {
    const test::TempDir folder;
    test::writeHubFolder(folder.path(),
                         {test::patternTensor("a.weight", DType::F32, {64, 64}),
                          test::patternTensor("b.weight", DType::F32, {64, 64})},
                         1);
    const std::string path = folder / "model.safetensors";
    std::string bytes = *readFile(path);
    const std::size_t from = bytes.size() - 10'000;
    bytes.replace(from, std::string::npos, 10'000, '\0');
    test::writeTo(folder.path(), "model.safetensors", bytes);
    const auto findings = findingsOf(folder.path());
    ASSERT_EQ(test::codes(findings), "zero-tail");
    EXPECT_EQ(findings[0].found.substr(0, 21), "only zeros from byte ");
    EXPECT_NEAR(static_cast<double>(*parseInteger(findings[0].found.substr(21))),
                static_cast<double>(from), 3);
    EXPECT_EQ(findings[0].tensor, "b.weight");
}

TEST(DeepCheck, TakesZeroRowsAtTheEndForPadding) {
    const test::TempDir folder;
    auto padded = test::patternTensor("lm_head.weight", DType::F32, {64, 64});
    padded.data.replace(32 * 256, std::string::npos, 32 * 256, '\0');
    test::writeHubFolder(folder.path(), {padded}, 1);
    EXPECT_EQ(test::codes(findingsOf(folder.path())), "");
}

TEST(DeepCheck, ComparesTheHeadWithTheEmbedding) {
    const auto codes = [](bool tied, bool equal) {
        const test::TempDir folder;
        const auto embedding = test::patternTensor("model.embed_tokens.weight", DType::F32, {4, 4});
        auto head = test::patternTensor("lm_head.weight", DType::F32, {4, 4});
        if (equal)
            head.data = embedding.data;
        test::writeHubFolder(
            folder.path(), {embedding, head}, 1,
            tied ? R"({"tie_word_embeddings":true})" : R"({"tie_word_embeddings":false})");
        return test::codes(findingsOf(folder.path()));
    };
    EXPECT_EQ(codes(true, true), "");
    EXPECT_EQ(codes(false, false), "");
    EXPECT_EQ(codes(true, false), "tied-head-differs");
    EXPECT_EQ(codes(false, true), "head-equals-embedding");
}

TEST(DeepCheck, ComparesTwoFormsOfTheModel) {
    const test::TempDir folder;
    std::vector<test::TinyTensor> tensors = {test::patternTensor("a", DType::F32, {4, 4}),
                                             test::patternTensor("b", DType::F32, {4, 4})};
    test::writeHubFolder(folder.path(), tensors, 2);
    test::writeTo(folder.path(), "model.safetensors", test::safetensorsBytes(tensors));
    EXPECT_EQ(test::codes(findingsOf(folder.path())), "");
    tensors[1].data[0] ^= 1;
    test::writeTo(folder.path(), "model.safetensors", test::safetensorsBytes(tensors));
    const auto findings = findingsOf(folder.path());
    ASSERT_EQ(test::codes(findings), "forms-differ");
    EXPECT_EQ(findings[0].tensor, "b");
    EXPECT_EQ(findings[0].found, "other bytes");
}

TEST(DeepCheck, ReportsProgressAndEndsItAtAllBytes) {
    const test::TempDir folder;
    test::writeHubFolder(folder.path(), {test::patternTensor("a", DType::F32, {1024, 1024})}, 1);
    const Checkpoint checkpoint = *openCheckpoint(folder.path());
    std::vector<DeepProgress> seen;
    DeepOptions options;
    options.threads = 1;
    options.progress = [&seen](const DeepProgress& progress) { seen.push_back(progress); };
    ASSERT_TRUE(deepCheck(checkpoint, options));
    ASSERT_FALSE(seen.empty());
    EXPECT_EQ(seen.back().bytesDone, 4 << 20);
    EXPECT_EQ(seen.back().bytesTotal, 4 << 20);
}

TEST(DeepCheck, StopsSoonAfterItIsCancelled) {
    const test::TempDir folder;
    const std::string header =
        R"({"a":{"dtype":"BF16","shape":[4096,1048576],"data_offsets":[0,8589934592]}})";
    const std::string path =
        test::writeTo(folder.path(), "model.safetensors", test::safetensorsFile(header, ""));
    std::filesystem::resize_file(path, 8 + header.size() + 8'589'934'592);  // a hole
    test::writeTo(folder.path(), "config.json", R"({"model_type":"llama"})");
    const Checkpoint checkpoint = *openCheckpoint(folder.path());
    CancelSource source;
    DeepOptions options;
    options.cancel = source.token();
    options.progress = [&source](const DeepProgress&) { source.cancel(); };
    const auto begin = std::chrono::steady_clock::now();
    const auto report = deepCheck(checkpoint, options);
    ASSERT_FALSE(report);
    EXPECT_EQ(report.error().code, ErrorCode::Cancelled);
    // Eight gigabytes take longer on any machine of today.
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(2));
}

TEST(DeepCheck, RowsThatShareAByteHaveNoEnd) {
    const test::TempDir folder;
    test::TinyTensor half{"a.weight", DType::F4, {4, 1}, std::string("\x21\x43", 2)};
    test::writeHubFolder(folder.path(), {half}, 1);
    EXPECT_EQ(test::codes(findingsOf(folder.path())), "");
}

TEST(DeepCheck, WhatCouldNotBeReadIsComparedWithNothing) {
    const test::TempDir folder;
    test::writeHubFolder(folder.path(),
                         {test::patternTensor("model.embed_tokens.weight", DType::F32, {4, 4}),
                          test::patternTensor("lm_head.weight", DType::F32, {4, 4})},
                         2, R"({"tie_word_embeddings":true})");
    const Checkpoint checkpoint = *openCheckpoint(folder.path());
    std::filesystem::remove(folder / "model-00001-of-00002.safetensors");
    const auto report = deepCheck(checkpoint, {});
    ASSERT_TRUE(report);
    EXPECT_EQ(test::codes(report->findings), "shard-missing");
}

TEST(DeepCheck, GoesOnBehindAFileThatWentAway) {
    const test::TempDir folder;
    test::writeHubFolder(folder.path(),
                         {test::tinyTensor("a.weight", DType::F32, {1, 2}, {NAN, NAN}),
                          test::tinyTensor("b.weight", DType::F32, {1, 2}, {NAN, NAN})},
                         2);
    const Checkpoint checkpoint = *openCheckpoint(folder.path());
    std::filesystem::remove(folder / "model-00001-of-00002.safetensors");
    const auto report = deepCheck(checkpoint, {});
    ASSERT_TRUE(report);
    EXPECT_EQ(test::codes(report->findings), "shard-missing, values-not-finite");
}

}  // namespace
}  // namespace fl::checkpoint
