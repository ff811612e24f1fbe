// SPDX-License-Identifier: Apache-2.0
#include "engine/service/child_process.h"

#include <csignal>
#include <optional>

#include <gtest/gtest.h>

namespace fl::service {
namespace {

struct Seen {
    std::vector<std::string> lines;
    std::optional<ExitStatus> status;
};

class ChildProcessTest : public testing::Test {
protected:
    Result<std::unique_ptr<ChildProcess>> start(const std::string& script,
                                                const std::vector<std::string>& environment = {}) {
        return ChildProcess::start(
            loop_, {"/bin/sh", "-c", script}, environment,
            {[this](const std::string& line) { seen_.lines.push_back(line); },
             [this](const ExitStatus& status) {
                 seen_.status = status;
                 loop_.stop();
             }});
    }

    EventLoop loop_;
    Seen seen_;
};

TEST_F(ChildProcessTest, GivesLinesOfBothStreamsAndTheCode) {
    const auto child = start("echo one; echo two >&2; printf three; exit 5");
    ASSERT_TRUE(child) << child.error().message;
    loop_.run();
    EXPECT_EQ(seen_.lines, (std::vector<std::string>{"one", "two", "three"}));
    EXPECT_EQ(text(*seen_.status), "exit code 5");
}

TEST_F(ChildProcessTest, NamesTheSignal) {
    const auto child = start("kill -SEGV $$");
    ASSERT_TRUE(child);
    loop_.run();
    EXPECT_EQ(text(*seen_.status), "signal 11 (SIGSEGV)");
}

TEST_F(ChildProcessTest, ChangesTheEnvironmentAndClosesStandardInput) {
    const auto child = start("echo $HOME $FRESH; cat", {"HOME=elsewhere", "FRESH=yes"});
    ASSERT_TRUE(child);
    loop_.run();
    EXPECT_EQ(seen_.lines, (std::vector<std::string>{"elsewhere yes"}));
}

TEST_F(ChildProcessTest, SignalsTheWholeGroup) {
    const auto child = start("sleep 1000 & echo ready; wait");
    ASSERT_TRUE(child);
    loop_.after(0.05, [&] { (*child)->signalGroup(SIGTERM); });
    loop_.run();
    EXPECT_EQ(seen_.status->signal, SIGTERM);
}

TEST_F(ChildProcessTest, EndsWithItsObject) {
    auto child = start("sleep 1000");
    ASSERT_TRUE(child);
    const pid_t pid = (*child)->pid();
    child->reset();
    EXPECT_NE(::kill(pid, 0), 0);
}

TEST_F(ChildProcessTest, SaysWhatCannotBeRun) {
    const auto child = ChildProcess::start(loop_, {"/etc/passwd"}, {}, {});
    ASSERT_FALSE(child);
    EXPECT_NE(child.error().message.find("/etc/passwd"), std::string::npos);
    EXPECT_FALSE(findProgram("no-such-program-anywhere"));
    EXPECT_EQ(*findProgram("/bin/sh"), "/bin/sh");
    EXPECT_TRUE(findProgram("sh"));
}

}  // namespace
}  // namespace fl::service
