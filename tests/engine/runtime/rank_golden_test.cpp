// SPDX-License-Identifier: Apache-2.0
// One rank without a control process, from a checkpoint folder to golden numbers: every rung of
// every case, and the greedy ids through scheduler, pages and decode steps.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>

#include <gtest/gtest.h>

#include "engine/checkpoint/checkpoint.h"
#include "engine/load/weight_set.h"
#include "engine/recipe/model.h"
#include "engine/runtime/executor.h"
#include "engine/scheduler/sampler.h"
#include "engine/scheduler/scheduler.h"
#include "tests/support/cpu_card.h"
#include "tests/support/golden_case.h"
#include "tests/support/reference.h"

namespace fl::runtime {

namespace {

namespace fs = std::filesystem;

constexpr double kTolerance = 1e-4;  // of compute f32
constexpr double kBf16Tolerance = 2e-2;

struct OneRank {
    test::CpuCard card = test::openCpuCard("cards=1,memory=2GiB,threads=1");
    checkpoint::Checkpoint checkpoint;
    recipe::Model model;
    load::WeightSet weights;
    std::unique_ptr<Executor> executor;
    ExecutorOptions options;

    Status bringUp(const std::string& folder,
                   fl_compute compute = FL_COMPUTE_F32,
                   DType kv = DType::F32) {
        options.compute = compute;
        options.kv = kv;
        FL_TRY(checkpoint, checkpoint::openCheckpoint(folder));
        FL_TRY(model, recipe::buildModel(checkpoint, ""));
        for (const Finding& finding : model.findings)
            EXPECT_NE(finding.severity, Severity::Error) << text(finding);
        std::vector<plan::Slice> slices(model.graph.weights.size());
        for (std::size_t i = 0; i < slices.size(); ++i) {
            slices[i].weight = static_cast<graph::WeightId>(i);
            slices[i].expertCount = model.graph.weights[i].experts;
        }
        FL_TRY(weights,
               load::loadWeights(slices, model.tensors, checkpoint.shards, card.device, {}));
        options.maxTokens = 256;
        options.maxSequences = 4;
        options.pagesPerSequence = 32;
        options.pages = 100;
        FL_TRY(executor,
               Executor::create(model.graph, weights, card.device, card.stream, {}, options));
        return Done{};
    }
};

// Returns the error of the logits.
double compareRungs(OneRank& rank,
                    const test::GoldenCase& golden,
                    const std::string& name,
                    double tolerance = kTolerance) {
    const auto captured = rank.executor->capture(test::wholePrompt(golden.ids, 16), {});
    EXPECT_TRUE(captured) << captured.error().message;
    if (!captured)
        return INFINITY;
    std::map<std::string, double> errors;
    double worst = 0;
    for (const CapturedValue& value : *captured) {
        const auto expected = golden.rungs.find(value.name);
        if (expected == golden.rungs.end())
            continue;
        errors[value.name] = test::rmsError(value.values, expected->second);
        EXPECT_LE(errors[value.name], tolerance) << name << " " << value.name;
        worst = std::max(worst, errors[value.name]);
    }
    for (const auto& [rung, values] : golden.rungs)
        EXPECT_TRUE(errors.contains(rung)) << name << ": no rung " << rung;
    std::printf("%s: %zu rungs, worst error %.2e, logits %.2e\n", name.c_str(), errors.size(),
                worst, errors["logits"]);
    return errors["logits"];
}

std::vector<std::int32_t> generate(OneRank& rank, const std::vector<std::int32_t>& ids, int count) {
    scheduler::Limits limits;
    limits.pages = rank.options.pages;
    limits.pageTokens = rank.options.pageTokens;
    limits.maxSequences = static_cast<int>(rank.options.maxSequences);
    limits.maxBatchTokens = 37;  // chunks of an odd size
    limits.maxContext = 512;
    limits.vocabulary = rank.model.graph.vocabSize;
    scheduler::Scheduler scheduler(limits);
    scheduler::Request request;
    request.name = "greedy";
    request.ids = ids;
    request.maxTokens = count;
    scheduler.submit(request);
    request.name = "beside";  // another sequence in the same steps
    request.ids.resize(1);
    scheduler.submit(request);
    std::vector<std::int32_t> out;
    while (auto step = scheduler.compose()) {
        const ReplicaStep& own = step->replicas[0];
        EXPECT_TRUE(rank.executor->run(own, {}));
        const auto logits = *rank.executor->logits();
        const auto width = static_cast<std::size_t>(rank.executor->vocabulary());
        std::vector<Sampled> samples;
        for (std::size_t row = 0; row < own.samples.size(); ++row) {
            samples.push_back(
                scheduler::sample(std::span(logits).subspan(row * width, width), own.samples[row]));
        }
        EXPECT_TRUE(scheduler.complete({samples}));
        for (const auto& output : scheduler.takeOutputs()) {
            for (const Sampled& token : output.tokens) {
                if (output.request == "greedy")
                    out.push_back(token.id);
            }
        }
    }
    return out;
}

void compareGreedy(OneRank& rank,
                   const test::GoldenCase& golden,
                   double logitsError,
                   const std::string& name) {
    const auto found = generate(rank, golden.ids, static_cast<int>(golden.greedy.size()));
    ASSERT_EQ(found.size(), golden.greedy.size()) << name;
    for (std::size_t i = 0; i < found.size(); ++i) {
        if (found[i] == golden.greedy[i])
            continue;
        EXPECT_LT(golden.margins[i], 10 * logitsError) << name << " parts at token " << i;
        return;
    }
}

class RankGolden : public testing::TestWithParam<const char*> {};

}  // namespace

TEST_P(RankGolden, EveryRungAndTheGreedyIdsAreThoseOfTheReference) {
    const std::string folder = test::referenceDir() + "/reference/" + GetParam();
    if (test::referenceDir().empty() || !fs::is_directory(folder))
        GTEST_SKIP() << "no reference folder";
    OneRank rank;
    const Status up = rank.bringUp(folder);
    ASSERT_TRUE(up) << up.error().message;
    for (const auto& entry : fs::directory_iterator(folder + "/golden")) {
        if (entry.path().extension() != ".safetensors")
            continue;
        const auto golden = test::readGolden(entry.path().string());
        const std::string name = std::string(GetParam()) + " " + entry.path().stem().string();
        const double error = compareRungs(rank, golden, name);
        compareGreedy(rank, golden, error, name);
    }
}

TEST_P(RankGolden, Bf16StaysWithinItsTolerance) {
    const std::string folder = test::referenceDir() + "/reference/" + GetParam();
    const std::string file = folder + "/golden/prompt.safetensors";
    if (test::referenceDir().empty() || !fs::is_regular_file(file))
        GTEST_SKIP() << "no reference folder";
    OneRank rank;
    const Status up = rank.bringUp(folder, FL_COMPUTE_BF16, DType::BF16);
    ASSERT_TRUE(up) << up.error().message;
    compareRungs(rank, test::readGolden(file), std::string(GetParam()) + " bf16", kBf16Tolerance);
}

INSTANTIATE_TEST_SUITE_P(Families,
                         RankGolden,
                         testing::Values("llama-a",
                                         "llama-b",
                                         "qwen2-a",
                                         "qwen2-b",
                                         "qwen3-a",
                                         "qwen3-b",
                                         "qwen3_moe-a",
                                         "qwen3_moe-b"),
                         [](const auto& test) {
                             std::string name = test.param;
                             std::ranges::replace(name, '-', '_');
                             return name;
                         });

}  // namespace fl::runtime
