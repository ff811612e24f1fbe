// SPDX-License-Identifier: Apache-2.0
#include "engine/service/case_judge.h"

#include <cmath>

#include <gtest/gtest.h>

#include "engine/checkpoint/safetensors_writer.h"
#include "tests/support/temp_dir.h"

namespace fl::service {
namespace {

constexpr int kTokens = 6;

// One value a token: the rungs of one layer with a router, of a reference and of what a rank
// captured.
struct Bench {
    explicit Bench(double tolerance = 2e-2) {
        rules.tolerance = tolerance;
        rules.chosen[0] = 1;
        rules.sliceOf = [](int rank) { return "slice " + std::to_string(rank); };
        one.name = "case";
        one.inputIds.assign(kTokens, 1);
        one.rungs = {"layer.0.attn", "layer.0.mlp", "layer.0", "logits"};
        values.assign(kTokens, 1.001F);
        margins.assign(kTokens, 1);
    }

    // `files`: how many the rank wrote, of equal numbers of rows.
    protocol::CaseResult judge(int files = 1) {
        std::vector<checkpoint::NamedArray> arrays;
        for (const std::string& name : one.rungs)
            arrays.push_back({name, {kTokens, 1}, std::vector<float>(kTokens, 1)});
        EXPECT_TRUE(checkpoint::writeSafetensors(folder / "reference.safetensors", arrays));
        auto file = checkpoint::openCheckpoint(folder / "reference.safetensors");
        EXPECT_TRUE(file);
        one.file = std::make_shared<const checkpoint::Checkpoint>(*std::move(file));
        CaseJudge judge(one, rules, CancelToken());
        EXPECT_TRUE(judge.open(capture(files)));
        protocol::CaseResult result;
        const Status done = judge.judge(result);
        EXPECT_TRUE(done) << done.error().message;
        return result;
    }

    protocol::RankCaptured capture(int files) {
        protocol::RankCaptured out{3, "c", {}, ""};
        const int rows = kTokens / files;
        for (int part = 0; part < files; ++part) {
            const auto begin = values.begin() + part * rows;
            const std::vector<float> some(begin, begin + rows);
            std::vector<float> router;
            for (int row = part * rows; row < (part + 1) * rows; ++row) {
                router.push_back(1);
                router.push_back(static_cast<float>(1 - margins[static_cast<std::size_t>(row)]));
            }
            std::vector<checkpoint::NamedArray> arrays = {
                {"layer.0.attn", {rows, 1}, std::vector<float>(static_cast<std::size_t>(rows), 1)},
                {routerRung(0), {rows, 2}, router}};
            for (const char* name : {"layer.0.mlp", "layer.0", "logits"})
                arrays.push_back({name, {rows, 1}, some});
            out.files.push_back(folder / ("part" + std::to_string(part) + ".safetensors"));
            EXPECT_TRUE(checkpoint::writeSafetensors(out.files.back(), arrays));
        }
        return out;
    }

    test::TempDir folder;
    ReferenceCase one;
    JudgeRules rules;
    std::vector<float> values;    // of the rungs behind the router
    std::vector<double> margins;  // of the router
};

TEST(CaseJudge, ComparesPartsOneAfterTheOther) {
    Bench bench;
    bench.values[4] = 1.1F;
    for (const int files : {1, 2, 3}) {
        const auto result = bench.judge(files);
        ASSERT_EQ(result.rungs.size(), 4U);
        EXPECT_EQ(result.rungs[0].error, 0);
        EXPECT_NEAR(result.rungs[1].worstToken, 0.1, 1e-6);
        EXPECT_EQ(result.rungs[1].verdict, "fail");
        ASSERT_EQ(result.firstDivergence.size(), 1U);
        EXPECT_EQ(result.firstDivergence[0].rung, "layer.0.mlp");
        EXPECT_EQ(result.firstDivergence[0].token, 4);
        EXPECT_EQ(result.firstDivergence[0].slice, "slice 3");
    }
}

TEST(CaseJudge, LetsATokenPartWhereTheRouterWasNotSure) {
    Bench bench;
    bench.values[4] = 2;
    bench.margins[4] = 0.02;
    const auto result = bench.judge(2);
    EXPECT_TRUE(result.firstDivergence.empty());
    EXPECT_EQ(result.rungs[0].parted, 0);
    for (const std::size_t rung : {1U, 2U, 3U}) {
        EXPECT_EQ(result.rungs[rung].parted, 1);
        EXPECT_NEAR(result.rungs[rung].error, 1e-3, 1e-5);
        EXPECT_EQ(result.rungs[rung].verdict, "pass");
    }
}

TEST(CaseJudge, LetsNoTokenPartWhereTheRouterWasSure) {
    Bench bench;
    bench.values[4] = 2;
    bench.margins[4] = 0.2;
    EXPECT_EQ(bench.judge().firstDivergence[0].token, 4);
}

TEST(CaseJudge, LetsNoTokenPartInExactArithmetic) {
    Bench bench(1e-2);
    bench.rules.chosen.clear();
    bench.values[4] = 2;
    bench.margins[4] = 0;
    const auto result = bench.judge();
    EXPECT_EQ(result.firstDivergence[0].token, 4);
    EXPECT_EQ(result.rungs.back().parted, 0);
}

TEST(CaseJudge, LetsNotHalfOfTheTokensPart) {
    Bench bench;
    for (const std::size_t token : {1U, 3U, 5U}) {
        bench.values[token] = 2;
        bench.margins[token] = 0;
    }
    EXPECT_EQ(bench.judge().firstDivergence[0].token, 1);
}

TEST(CaseJudge, HoldsTheOtherTokensToTheTolerance) {
    Bench bench;
    bench.values[4] = 2;
    bench.margins[4] = 0;
    bench.values[2] = 1.2F;
    const auto result = bench.judge();
    EXPECT_EQ(result.rungs[1].parted, 1);
    EXPECT_EQ(result.firstDivergence[0].token, 2);
}

TEST(CaseJudge, MissesTokensAndRungs) {
    Bench bench;
    bench.one.inputIds.push_back(1);
    EXPECT_TRUE(std::isnan(bench.judge().rungs[0].error));
    bench.one.rungs.emplace_back("layer.1");
    CaseJudge judge(bench.one, bench.rules, CancelToken());
    ASSERT_TRUE(judge.open(bench.capture(1)));
    protocol::CaseResult result;
    EXPECT_EQ(judge.judge(result).error().code, ErrorCode::NotFound);
}

}  // namespace
}  // namespace fl::service
