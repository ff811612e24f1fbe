// SPDX-License-Identifier: Apache-2.0
// Covers: engine/service/rank_station.cpp
// Covers: engine/service/rank_serving.cpp
// Covers: app/rank_program.cpp app/engined.cpp
//
// Real ranks under a real mpirun, watched by the supervisor as in a job.
#include "engine/service/rank_main.h"

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <map>
#include <optional>

#include <gtest/gtest.h>
#include <unistd.h>

#include "app/linked_plugins.h"
#include "engine/base/paths.h"
#include "engine/device/cluster.h"
#include "engine/protocol/codec.h"
#include "engine/service/host_name.h"
#include "engine/service/prepare.h"
#include "engine/service/supervisor.h"
#include "engine/topology/cluster_file.h"
#include "tests/engine/service/scratch.h"
#include "tests/support/temp_dir.h"
#include "tests/support/tiny_llama.h"

namespace fl::service {
namespace {

namespace link = protocol::link;

// Shared memory is one place for all tests that run at the same time.
std::string jobName() {
    return "ranks-" + std::to_string(::getpid());
}

class RankMainTest : public testing::Test {
protected:
    RankMainTest() {
        test::writeTinyLlama(model_.path());
        auto place = JobPlace::take(jobName());
        EXPECT_TRUE(place) << place.error().message;
        place_.emplace(std::move(*place));
        options_.program = programDir() + "/firstlightd";
        team_.emplace(
            loop_, *place_, options_,
            Supervisor::Handlers{[this](const protocol::RankState&) { look(); },
                                 [this](const protocol::RankLost& lost) {
                                     lost_.push_back(lost);
                                     look();
                                 },
                                 [this](const protocol::RankPhase& phase) {
                                     reached_[phase.phase] += 1;
                                     findings_.insert(findings_.end(), phase.findings.begin(),
                                                      phase.findings.end());
                                     look();
                                 },
                                 [this](int rank, const std::string& method, const Json& params) {
                                     take(rank, method, params);
                                     look();
                                 },
                                 [](const protocol::LogLine&) {}, [](int, std::int64_t) {},
                                 [this](const std::string& reason) {
                                     ended_ = true;
                                     reason_ = reason;
                                     look();
                                 }});
    }

    ~RankMainTest() override {
        if (team_->running()) {
            team_->stop();
            runUntil([this] { return ended_; });
        }
        std::error_code problem;
        EXPECT_TRUE(std::filesystem::is_empty(place_->sharedFolder(), problem))
            << problem.message();
    }

    bool has(const std::string& code) const {
        return std::ranges::any_of(findings_, [&](const Finding& one) { return one.code == code; });
    }

    void start(int dp,
               int pp,
               int tp,
               const std::string& cluster = "cpu:cards=4,memory=256MiB,threads=1") {
        TeamRequest request;
        request.ranks = dp * pp * tp;
        request.job.stageBudget = 30;
        protocol::JobSettings& settings = request.job.settings;
        settings.job = jobName();
        settings.checkpoint = model_.path();
        settings.dp = dp;
        settings.pp = pp;
        settings.tp = tp;
        settings.ep = 1;
        settings.maxContext = 256;
        device::PluginRegistry registry(app::linkedPlugins());
        request.job.cluster = topology::toJson(*device::describeCluster(registry, cluster));
        request.job.checkpoint = checkpointText(*inspectCheckpoint(settings));
        ended_ = false;
        reached_.clear();
        answers_.clear();
        const Status started = team_->start(request);
        ASSERT_TRUE(started) << started.error().message;
    }

    void startAndLoad(int dp, int pp, int tp) {
        start(dp, pp, tp);
        runUntil([this] { return team_->all("ready"); });
        team_->broadcast(link::kLoadStart, Json());
        runUntil([this] { return team_->all("serving"); });
    }

    void stop() {
        team_->stop();
        runUntil([this] { return ended_; });
    }

    void take(int rank, const std::string& method, const Json& params) {
        if (method == link::kTokens) {
            const auto tokens = protocol::decode<protocol::RankTokens>(params);
            ASSERT_TRUE(tokens);
            for (const auto& token : tokens->tokens)
                answers_[tokens->request].ids.push_back(token.id);
            answers_[tokens->request].finish = tokens->finish;
            answers_[tokens->request].error = tokens->error;
        } else if (method == link::kTopology) {
            topology_ = *protocol::decode<protocol::Topology>(params);
        } else if (method == link::kMemory) {
            memory_[rank] = *protocol::decode<protocol::MemorySample>(params);
        } else if (method == link::kStep) {
            ++steps_;
        } else if (method == link::kCaptured) {
            captured_.push_back(*protocol::decode<protocol::RankCaptured>(params));
        }
    }

    void submit(const std::string& name, std::vector<int> ids, int maxTokens, int replica = -1) {
        protocol::SubmitRequest request;
        request.request = name;
        request.ids = std::move(ids);
        request.sampling.maxTokens = maxTokens;
        request.replica = replica;
        team_->send(0, link::kSubmit, protocol::encode(request));
    }

    // A test that waits for ever is ended by ctest's time limit; a lost rank ends every wait.
    void runUntil(std::function<bool()> done) {
        done_ = std::move(done);
        if (!done_())
            loop_.run();
        done_ = nullptr;
    }
    void look() {
        if (done_ && (done_() || ended_))
            loop_.stop();
    }

    struct Answer {
        std::vector<int> ids;
        std::string finish;
        std::string error;
    };

    Scratch scratch_;
    test::TempDir model_;
    EventLoop loop_;
    std::optional<JobPlace> place_;
    SupervisorOptions options_;
    std::optional<Supervisor> team_;
    std::function<bool()> done_;
    std::vector<protocol::RankLost> lost_;
    std::vector<Finding> findings_;
    std::map<std::string, int> reached_;
    std::map<std::string, Answer> answers_;
    std::map<int, protocol::MemorySample> memory_;
    std::vector<protocol::RankCaptured> captured_;
    protocol::Topology topology_;
    std::string reason_;
    int steps_ = 0;
    bool ended_ = false;
};

TEST_F(RankMainTest, OneRankAndManyGiveTheSameAnswers) {
    std::vector<Answer> first;
    for (const auto& [dp, pp, tp] :
         {std::tuple(1, 1, 1), std::tuple(1, 2, 2), std::tuple(2, 1, 2)}) {
        startAndLoad(dp, pp, tp);
        ASSERT_TRUE(team_->all("serving")) << reason_;
        const int before = steps_;
        submit("a", {1, 2, 3, 4, 5}, 12, dp - 1);
        submit("b", {400, 30, 2}, 20);
        // Samples come by another way than tokens, and may come after them.
        runUntil([this, before] {
            return answers_["a"].finish != "" && answers_["b"].finish != "" &&
                   steps_ - before >= 20;
        });
        EXPECT_EQ(answers_["a"].finish, "length") << answers_["a"].error;
        EXPECT_EQ(answers_["a"].ids.size(), 12U);
        EXPECT_EQ(answers_["b"].ids.size(), 20U);
        if (first.empty())
            first = {answers_["a"], answers_["b"]};
        EXPECT_EQ(answers_["a"].ids, first[0].ids);
        EXPECT_EQ(answers_["b"].ids, first[1].ids);
        for (const protocol::GroupInfo& group : topology_.groups)
            EXPECT_EQ(group.state, "formed") << group.name;
        ASSERT_EQ(topology_.nodes.size(), 1U);
        EXPECT_EQ(topology_.nodes[0].name, ownHost());
        EXPECT_EQ(topology_.nodes[0].devices[0].rank, 0);
        stop();
        EXPECT_EQ(reason_, "");
        EXPECT_TRUE(lost_.empty());
    }
}

TEST_F(RankMainTest, LoadCanBeCancelledAndBegunAgain) {
    start(1, 1, 2);
    runUntil([this] { return team_->all("ready"); });
    team_->broadcast(link::kLoadStart, Json());
    team_->broadcast(link::kLoadCancel, Json());
    runUntil([this] { return reached_["ready"] == 4; });
    team_->broadcast(link::kLoadStart, Json());
    runUntil([this] { return reached_["serving"] >= 2 && team_->all("serving"); });
    submit("a", {1, 2, 3}, 3);
    runUntil([this] { return answers_["a"].finish != ""; });
    EXPECT_EQ(answers_["a"].finish, "length") << answers_["a"].error;
}

TEST_F(RankMainTest, RequestsThatCannotRunGetTheirReason) {
    startAndLoad(1, 1, 1);
    submit("empty", {}, 3);
    submit("long", std::vector<int>(256, 1), 3);
    runUntil([this] { return answers_.size() == 2; });
    EXPECT_EQ(answers_["empty"].error, "the prompt is empty");
    EXPECT_EQ(answers_["long"].error, "the prompt has 256 tokens, the context holds 256");
}

TEST_F(RankMainTest, NaNIsAnErrorAndNeverTokenZero) {
    test::writeTinyLlama(model_.path(), "model.norm.weight");
    startAndLoad(1, 2, 2);
    EXPECT_TRUE(has("non-finite-weights"));
    submit("a", {1, 2, 3}, 3);
    runUntil([this] { return answers_["a"].finish != "" && has("logits-not-finite"); });
    EXPECT_EQ(answers_["a"].finish, "error");
    EXPECT_EQ(answers_["a"].error, "the logits are not finite numbers");
    EXPECT_TRUE(answers_["a"].ids.empty());
    EXPECT_TRUE(lost_.empty());
}

TEST_F(RankMainTest, RankThatFailsEarlyKeepsNobodyHanging) {
    start(1, 1, 2, "cpu:cards=2,memory=64KiB,threads=1");
    runUntil([this] { return reached_["failed"] == 2; });
    EXPECT_FALSE(findings_.empty());
    EXPECT_TRUE(lost_.empty());
}

TEST_F(RankMainTest, CaptureWritesTheRungsOfEveryStage) {
    startAndLoad(1, 2, 2);
    protocol::CaptureRequest request;
    request.capture = "c";
    request.ids.assign(200, 3);  // more than one pass keeps
    request.folder = scratch_.path();
    team_->send(0, link::kCapture, protocol::encode(request));
    runUntil([this] { return captured_.size() == 4; });
    for (const protocol::RankCaptured& one : captured_) {
        EXPECT_EQ(one.error, "");
        EXPECT_EQ(one.files.size(), one.rank % 2 == 1 ? 0U : 2U) << one.rank;
        for (const std::string& file : one.files)
            EXPECT_TRUE(std::filesystem::exists(file)) << file;
    }
}

TEST_F(RankMainTest, OnlyTheReplicaThatWasAskedAnswersACapture) {
    startAndLoad(2, 1, 2);
    protocol::CaptureRequest request;
    request.ids = {1, 2, 3};
    request.folder = scratch_.path();
    for (const auto& [name, replica] : {std::pair("a", 1), std::pair("b", 0)}) {
        request.capture = name;
        request.replica = replica;
        team_->send(0, link::kCapture, protocol::encode(request));
    }
    runUntil([this] { return captured_.size() == 4; });
    for (const protocol::RankCaptured& one : captured_)
        EXPECT_EQ(one.rank / 2, one.capture == "a" ? 1 : 0);
}

TEST_F(RankMainTest, MemoryIsReportedByCategoryAndFitsItsBudget) {
    startAndLoad(1, 1, 2);
    runUntil([this] { return memory_.size() == 2 && memory_[0].used.weights > 0; });
    EXPECT_GT(memory_[0].used.kv, 0);
    EXPECT_GT(memory_[0].used.activations, 0);
    EXPECT_EQ(memory_[0].budget, std::int64_t{256} << 20);
    EXPECT_GT(memory_[0].resident, 0);
}

TEST_F(RankMainTest, TruncatedShardIsAFindingAndTheRankStays) {
    start(1, 1, 1);
    runUntil([this] { return team_->all("ready"); });
    for (const auto& entry : std::filesystem::directory_iterator(model_.path())) {
        if (entry.path().extension() == ".safetensors")
            std::filesystem::resize_file(entry.path(), entry.file_size() - 100);
    }
    team_->broadcast(link::kLoadStart, Json());
    runUntil([this] { return reached_["failed"] == 1; });
    ASSERT_FALSE(findings_.empty());
    EXPECT_EQ(findings_.back().code, "weights-unreadable");
    EXPECT_EQ(findings_.back().stage, "load");
    EXPECT_NE(findings_.back().message.find(".safetensors"), std::string::npos)
        << findings_.back().message;
    EXPECT_TRUE(lost_.empty());
}

TEST_F(RankMainTest, KilledRankIsNamedAndTheTeamStartsAgain) {
    startAndLoad(1, 1, 2);
    submit("endless", {1, 2, 3}, 250);
    runUntil([this] { return answers_["endless"].ids.size() > 3; });
    ::kill(static_cast<pid_t>(team_->ranks()[1].pid), SIGKILL);
    runUntil([this] { return ended_; });
    ASSERT_EQ(lost_.size(), 1U);
    EXPECT_EQ(lost_[0].rank, 1);
    EXPECT_EQ(lost_[0].signal, SIGKILL);
    startAndLoad(1, 1, 2);
    submit("again", {1, 2, 3}, 2);
    runUntil([this] { return answers_["again"].finish != ""; });
    EXPECT_EQ(answers_["again"].ids.size(), 2U);
}

}  // namespace
}  // namespace fl::service
