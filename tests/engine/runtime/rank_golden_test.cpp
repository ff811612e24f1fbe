// SPDX-License-Identifier: Apache-2.0
// Covers: engine/runtime/executor.cpp engine/runtime/executor_collectives.cpp
//
// One rank without a control process, from a checkpoint folder to golden numbers: every rung of
// every case, and the greedy ids through scheduler, pages and decode steps.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <map>

#include <gtest/gtest.h>

#include "engine/base/file_reader.h"
#include "engine/checkpoint/checkpoint.h"
#include "engine/load/weight_set.h"
#include "engine/recipe/model.h"
#include "engine/runtime/executor.h"
#include "engine/scheduler/sampler.h"
#include "engine/scheduler/scheduler.h"
#include "tests/support/cpu_card.h"
#include "tests/support/reference.h"

namespace fl::runtime {

namespace {

namespace fs = std::filesystem;

constexpr double kTolerance = 1e-4;  // of compute f32

std::vector<std::byte> bytesOf(const checkpoint::Checkpoint& file, const std::string& name) {
    const checkpoint::TensorInfo* tensor = file.inventory.find(name);
    if (!tensor)
        return {};
    std::vector<std::byte> bytes(static_cast<std::size_t>(tensor->bytes));
    const auto reader = FileReader::open(file.shards[0].path);
    EXPECT_TRUE(reader && reader->read(tensor->offset, bytes)) << name;
    return bytes;
}

template <class T>
std::vector<T> valuesOf(const checkpoint::Checkpoint& file, const std::string& name) {
    const auto bytes = bytesOf(file, name);
    std::vector<T> values(bytes.size() / sizeof(T));
    std::memcpy(values.data(), bytes.data(), bytes.size());
    return values;
}

// RMS of the difference over RMS of the reference.
double errorOf(const std::vector<float>& found, const std::vector<float>& expected) {
    if (found.size() != expected.size())
        return INFINITY;
    double difference = 0;
    double size = 0;
    for (std::size_t i = 0; i < found.size(); ++i) {
        difference += std::pow(static_cast<double>(found[i]) - expected[i], 2);
        size += std::pow(static_cast<double>(expected[i]), 2);
    }
    return std::sqrt(difference / size);
}

struct OneRank {
    test::CpuCard card = test::openCpuCard("cards=1,memory=2GiB,threads=1");
    checkpoint::Checkpoint checkpoint;
    recipe::Model model;
    load::WeightSet weights;
    std::unique_ptr<Executor> executor;
    ExecutorOptions options;

    Status bringUp(const std::string& folder) {
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

ReplicaStep wholePrompt(const std::vector<std::int64_t>& ids) {
    ReplicaStep step;
    for (std::size_t i = 0; i < ids.size(); ++i) {
        step.ids.push_back(static_cast<std::int32_t>(ids[i]));
        step.positions.push_back(static_cast<std::int32_t>(i));
        step.rowSequences.push_back(0);
        step.logitRows.push_back(static_cast<std::int32_t>(i));
    }
    for (std::int32_t page = 0; page < 16; ++page)
        step.pageTables.push_back(15 - page);
    step.pageTableStride = 16;
    return step;
}

// Returns the error of the logits.
double compareRungs(OneRank& rank, const checkpoint::Checkpoint& golden, const std::string& name) {
    const auto captured =
        rank.executor->capture(wholePrompt(valuesOf<std::int64_t>(golden, "input_ids")), {});
    EXPECT_TRUE(captured) << captured.error().message;
    if (!captured)
        return INFINITY;
    std::map<std::string, double> errors;
    double worst = 0;
    for (const CapturedValue& value : *captured) {
        if (!golden.inventory.find(value.name))
            continue;
        errors[value.name] = errorOf(value.values, valuesOf<float>(golden, value.name));
        EXPECT_LE(errors[value.name], kTolerance) << name << " " << value.name;
        worst = std::max(worst, errors[value.name]);
    }
    for (const checkpoint::TensorInfo& tensor : golden.inventory.tensors()) {
        const std::string rung(tensor.name);
        if (tensor.dtype == DType::F32 && rung != "greedy_margin") {
            EXPECT_TRUE(errors.contains(rung)) << name << ": no rung " << rung;
        }
    }
    std::printf("%s: %zu rungs, worst error %.2e, logits %.2e\n", name.c_str(), errors.size(),
                worst, errors["logits"]);
    return errors["logits"];
}

std::vector<std::int32_t> generate(OneRank& rank, const std::vector<std::int64_t>& ids, int count) {
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
    request.ids.assign(ids.begin(), ids.end());
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
                   const checkpoint::Checkpoint& golden,
                   double logitsError,
                   const std::string& name) {
    const auto expected = valuesOf<std::int64_t>(golden, "greedy");
    const auto margins = valuesOf<float>(golden, "greedy_margin");
    const auto found = generate(rank, valuesOf<std::int64_t>(golden, "input_ids"),
                                static_cast<int>(expected.size()));
    ASSERT_EQ(found.size(), expected.size()) << name;
    for (std::size_t i = 0; i < expected.size(); ++i) {
        if (found[i] == expected[i])
            continue;
        EXPECT_LT(margins[i], 10 * logitsError) << name << " parts at token " << i;
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
        const auto golden = checkpoint::openCheckpoint(entry.path().string());
        ASSERT_TRUE(golden);
        const std::string name = std::string(GetParam()) + " " + entry.path().stem().string();
        const double error = compareRungs(rank, *golden, name);
        compareGreedy(rank, *golden, error, name);
    }
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
