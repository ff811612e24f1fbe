// SPDX-License-Identifier: Apache-2.0
// Covers: engine/service/rank_watcher.cpp
#include "engine/service/supervisor.h"

#include <csignal>
#include <filesystem>
#include <optional>

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "engine/base/paths.h"
#include "tests/engine/service/scratch.h"

namespace fl::service {
namespace {

namespace fs = std::filesystem;

// Waits for a process that is none of our children; one that nobody has reaped yet counts as ended.
bool endsSoon(std::int64_t pid) {
    const UniqueFd process(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
    if (!process)
        return true;
    pollfd end{process.get(), POLLIN, 0};
    return ::poll(&end, 1, 10'000) == 1;
}

class SupervisorTest : public testing::Test {
protected:
    SupervisorTest() {
        ::unsetenv("FAKE_RANK");
        // Shared memory is one place for all tests that run at the same time.
        auto place = JobPlace::take("test-" + std::to_string(::getpid()));
        EXPECT_TRUE(place) << place.error().message;
        place_.emplace(std::move(*place));
        options_.program = programDir() + "/fake_rank";
        options_.launcher = options_.program;
        options_.silenceSeconds = 1;
        options_.goodbyeSeconds = 5;
    }

    // Runs the loop until `done` says so; a test that hangs is ended by ctest's time limit.
    void runUntil(std::function<bool()> done) {
        done_ = std::move(done);
        if (!done_())
            loop_.run();
    }

    Status start(int ranks = 3) {
        if (!team_) {
            team_.emplace(
                loop_, *place_, options_,
                Supervisor::Handlers{
                    [this](const protocol::RankState& state) { note(state.phase, state.rank); },
                    [this](const protocol::RankLost& lost) {
                        lost_.push_back(lost);
                        look();
                    },
                    [this](const protocol::RankPhase& phase) {
                        findings_.insert(findings_.end(), phase.findings.begin(),
                                         phase.findings.end());
                        look();
                    },
                    [this](int, const std::string& method, const Json&) {
                        messages_.push_back(method);
                        look();
                    },
                    [this](const protocol::LogLine& line) { log_ += line.text + "\n"; },
                    [](int, std::int64_t) {},
                    [this](const std::string& reason) {
                        ended_ = true;
                        reason_ = reason;
                        look();
                    }});
        }
        ended_ = false;
        TeamRequest request;
        request.ranks = ranks;
        return team_->start(request);
    }

    void note(const std::string& phase, int rank) {
        phases_ += std::to_string(rank) + ":" + phase + " ";
        look();
    }
    void look() {
        if (done_ && done_())
            loop_.stop();
    }
    void expectNothingLeft() {
        for (const protocol::RankState& state : team_->ranks()) {
            EXPECT_TRUE(state.pid <= 0 || endsSoon(state.pid)) << "rank " << state.rank;
        }
        EXPECT_TRUE(fs::is_empty(place_->folder()));
        EXPECT_TRUE(fs::is_empty(place_->sharedFolder()));
    }

    Scratch scratch_;
    EventLoop loop_;
    std::optional<JobPlace> place_;
    SupervisorOptions options_;
    std::optional<Supervisor> team_;
    std::function<bool()> done_;
    std::vector<protocol::RankLost> lost_;
    std::vector<Finding> findings_;
    std::vector<std::string> messages_;
    std::string phases_;
    std::string log_;
    std::string reason_;
    bool ended_ = false;
};

TEST_F(SupervisorTest, BringsRanksUpLoadsThemAndStopsThem) {
    ASSERT_TRUE(start());
    runUntil([this] { return team_->all("ready"); });
    EXPECT_EQ(team_->missing("ready"), "");
    for (const protocol::RankState& state : team_->ranks())
        EXPECT_GT(state.pid, 0);
    team_->broadcast(protocol::link::kLoadStart, Json::object());
    runUntil([this] { return team_->all("serving"); });
    team_->stop();
    runUntil([this] { return ended_; });
    EXPECT_EQ(reason_, "");
    EXPECT_TRUE(lost_.empty());
    EXPECT_NE(log_.find("here I am"), std::string::npos);
    EXPECT_NE(log_.find("says hello"), std::string::npos);
    EXPECT_NE(phases_.find("2:stopped"), std::string::npos);
    expectNothingLeft();
}

TEST_F(SupervisorTest, NamesTheRankAndTheSignalThatKilledIt) {
    ASSERT_TRUE(start());
    runUntil([this] { return team_->all("ready"); });
    team_->setStage("load");
    const auto victim = static_cast<pid_t>(team_->ranks()[1].pid);
    ASSERT_EQ(::kill(victim, SIGKILL), 0);
    runUntil([this] { return ended_; });
    ASSERT_EQ(lost_.size(), 1u);
    EXPECT_EQ(lost_[0].rank, 1);
    EXPECT_EQ(lost_[0].cause, "signal 9 (SIGKILL)");
    EXPECT_EQ(lost_[0].signal, 9);
    EXPECT_EQ(lost_[0].stage, "load");
    EXPECT_NE(lost_[0].lastLine, "");
    EXPECT_LT(lost_[0].noticedSeconds, 1);
    expectNothingLeft();
}

TEST_F(SupervisorTest, StartsAgainAfterALoss) {
    ::setenv("FAKE_RANK", "0:kill:preflight", 1);
    ASSERT_TRUE(start());
    runUntil([this] { return ended_; });
    ASSERT_EQ(lost_.size(), 1u);
    EXPECT_EQ(lost_[0].rank, 0);
    ::unsetenv("FAKE_RANK");
    ASSERT_TRUE(start());
    runUntil([this] { return team_->all("ready"); });
    team_->stop();
    runUntil([this] { return ended_; });
    EXPECT_EQ(lost_.size(), 1u);
    expectNothingLeft();
}

TEST_F(SupervisorTest, SaysThatAStoppedRankIsSilent) {
    ::setenv("FAKE_RANK", "2:stop:preflight", 1);
    ASSERT_TRUE(start());
    runUntil([this] { return ended_; });
    ASSERT_EQ(lost_.size(), 1u);
    EXPECT_EQ(lost_[0].rank, 2);
    EXPECT_TRUE(lost_[0].cause.starts_with("silent for 1.")) << lost_[0].cause;
    expectNothingLeft();
}

TEST_F(SupervisorTest, GivesTheCodeOfARankThatLeft) {
    ::setenv("FAKE_RANK", "1:exit:device", 1);
    ASSERT_TRUE(start());
    runUntil([this] { return ended_; });
    ASSERT_EQ(lost_.size(), 1u);
    EXPECT_EQ(lost_[0].rank, 1);
    EXPECT_EQ(lost_[0].cause, "exit code 3");
    expectNothingLeft();
}

TEST_F(SupervisorTest, SaysWhoLacksWhichPhase) {
    ::setenv("FAKE_RANK", "1:hang:groups", 1);
    ASSERT_TRUE(start());
    runUntil([this] {
        return phases_.find("0:ready") != std::string::npos &&
               phases_.find("2:ready") != std::string::npos &&
               phases_.find("1:device") != std::string::npos;
    });
    EXPECT_EQ(team_->missing("ready"), "rank 1 got to 'device' only");
    team_->stop();
    runUntil([this] { return ended_; });
    expectNothingLeft();
}

TEST_F(SupervisorTest, NoticesARankThatNeverConnects) {
    options_.goodbyeSeconds = 0.2;
    ::setenv("FAKE_RANK", "0:mute:x", 1);
    ASSERT_TRUE(start(2));
    runUntil([this] { return phases_.find("1:ready") != std::string::npos; });
    EXPECT_EQ(team_->missing("ready"), "rank 0 did not come up");
    team_->stop();
    runUntil([this] { return ended_; });
    expectNothingLeft();
}

TEST_F(SupervisorTest, PassesFindingsOfAFailedRankOn) {
    ::setenv("FAKE_RANK", "1:fail:groups", 1);
    ASSERT_TRUE(start());
    runUntil([this] { return !findings_.empty(); });
    EXPECT_EQ(findings_[0].code, "device-refused");
    EXPECT_EQ(findings_[0].rank, 1);
    team_->stop();
    runUntil([this] { return ended_; });
    EXPECT_TRUE(lost_.empty());
}

TEST_F(SupervisorTest, SaysWhatToInstallWhereThereIsNoMpi) {
    options_.launcher = "mpirun-that-is-not-there";
    const Status status = start();
    ASSERT_FALSE(status);
    EXPECT_NE(status.error().message.find("no MPI found"), std::string::npos);
    EXPECT_NE(status.error().message.find("openmpi-bin"), std::string::npos);
}

TEST_F(SupervisorTest, ReportsALauncherThatFails) {
    options_.program = "/bin/false";
    ASSERT_TRUE(start());
    runUntil([this] { return ended_; });
    EXPECT_NE(reason_.find("exit code 1"), std::string::npos);
    EXPECT_TRUE(lost_.empty());
}

TEST_F(SupervisorTest, LeavesNothingWhenItIsDestroyed) {
    ASSERT_TRUE(start());
    runUntil([this] { return team_->all("ready"); });
    const auto ranks = team_->ranks();
    team_.reset();
    for (const protocol::RankState& state : ranks)
        EXPECT_TRUE(endsSoon(state.pid));
    place_.reset();
    EXPECT_TRUE(scratch_.leftovers().empty());
}

TEST_F(SupervisorTest, StartsRanksThroughRealMpi) {
    options_.launcher = "mpirun";
    if (!findProgram("mpirun"))
        GTEST_SKIP() << "no mpirun";
    ASSERT_TRUE(start(2));
    runUntil([this] { return team_->all("ready") || ended_; });
    ASSERT_FALSE(ended_) << reason_ << log_;
    const auto victim = static_cast<pid_t>(team_->ranks()[1].pid);
    ASSERT_EQ(::kill(victim, SIGABRT), 0);
    runUntil([this] { return ended_; });
    ASSERT_EQ(lost_.size(), 1u);
    EXPECT_EQ(lost_[0].rank, 1);
    EXPECT_EQ(lost_[0].cause, "signal 6 (SIGABRT)");
    expectNothingLeft();
}

}  // namespace
}  // namespace fl::service
