// SPDX-License-Identifier: Apache-2.0
#include "engine/service/board.h"

#include <gtest/gtest.h>

namespace fl::service {
namespace {

class BoardTest : public testing::Test {
protected:
    std::vector<std::pair<std::string, Weight>> told_;
    Board board_{[this](std::string_view event, const Json&, Weight weight) {
        told_.emplace_back(event, weight);
    }};

    static Finding finding(const std::string& stage) {
        Finding out;
        out.stage = stage;
        return out;
    }
};

TEST_F(BoardTest, HasAllStagesFromTheStart) {
    std::vector<std::string> names;
    for (const auto& stage : board_.snapshot().stages)
        names.push_back(stage.stage);
    EXPECT_EQ(names, (std::vector<std::string>{"inspect", "plan", "launch", "load", "validate",
                                               "baseline", "probe"}));
}

TEST_F(BoardTest, TakesBackTheFindingsOfAStageThatBegins) {
    board_.finding(finding("plan"));
    board_.finding(finding("inspect"));
    board_.beginStage("plan");
    ASSERT_EQ(board_.snapshot().findings.size(), 1u);
    EXPECT_EQ(board_.snapshot().findings[0].stage, "inspect");
}

TEST_F(BoardTest, ForgetsTheFormerJobButNotTheLog) {
    board_.census({});
    board_.finding(finding("plan"));
    board_.log({0, -1, "info", "a", "b"});
    protocol::JobSettings settings;
    settings.tp = 3;
    board_.openJob(settings);
    const protocol::Snapshot state = board_.snapshot();
    EXPECT_FALSE(state.hasCensus);
    EXPECT_TRUE(state.findings.empty());
    EXPECT_EQ(state.log.size(), 1u);
    EXPECT_EQ(state.settings.tp, 3);
    EXPECT_GT(state.openedAt, 0);
}

TEST_F(BoardTest, KeepsTheLastSampleOfEachRank) {
    for (const int rank : {2, 0, 2}) {
        protocol::MemorySample sample;
        sample.rank = rank;
        board_.memory(sample);
    }
    ASSERT_EQ(board_.snapshot().memory.size(), 2u);
    EXPECT_EQ(board_.snapshot().memory[0].rank, 0);
}

TEST_F(BoardTest, KeepsOneMinuteOfSteps) {
    for (int second = 0; second < 300; ++second) {
        protocol::StepSample step;
        step.time = second;
        board_.step(step);
    }
    const auto steps = board_.snapshot().steps;
    EXPECT_LE(steps.size(), 82u);
    EXPECT_GE(steps.size(), 60u);
    EXPECT_EQ(steps.back().time, 299);
}

TEST_F(BoardTest, KeepsTheLastThousandLines) {
    for (int i = 0; i < 5000; ++i)
        board_.log({static_cast<double>(i), -1, "info", "a", "b"});
    const auto log = board_.snapshot().log;
    EXPECT_EQ(log.size(), 1000u);
    EXPECT_EQ(log.front().time, 4000);
    EXPECT_LE(board_.state().log.size(), 2000u);
}

TEST_F(BoardTest, KeepsAnswersAsFarAsTheyCame) {
    protocol::ChatRequest request;
    request.request = "a";
    board_.chatStarted(request);
    protocol::TokenInfo token;
    token.id = 7;
    board_.chatDelta({"a", "The", {token}});
    board_.chatDelta({"a", " end", {token}});
    const protocol::Snapshot state = board_.snapshot();
    ASSERT_EQ(state.answers.size(), 1u);
    EXPECT_EQ(state.answers[0].text, "The end");
    EXPECT_EQ(state.answers[0].ids, (std::vector<int>{7, 7}));
    EXPECT_EQ(state.answers[0].finish, "");
}

TEST_F(BoardTest, LetsOnlySamplesBeLost) {
    board_.memory({});
    board_.step({});
    board_.load({});
    board_.log({0, -1, "info", "a", "b"});
    for (const auto& [event, weight] : told_)
        EXPECT_EQ(weight, Weight::Sample) << event;
    told_.clear();
    board_.log({0, -1, "error", "a", "b"});
    board_.beginStage("plan");
    board_.rank({});
    board_.lost({});
    board_.chatDelta({});
    for (const auto& [event, weight] : told_)
        EXPECT_EQ(weight, Weight::Fact) << event;
}

}  // namespace
}  // namespace fl::service
