// SPDX-License-Identifier: Apache-2.0
// The rank link between two nodes: two network namespaces joined by a virtual cable stand for them.
// Needs root and iproute2, else it is skipped.
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include "engine/base/unique_fd.h"
#include "engine/service/rank_link.h"

namespace fl::service {
namespace {

const std::string kKey = "00112233445566778899aabbccddeeff";

bool shell(const std::string& command) {
    return std::system((command + " >/dev/null 2>&1").c_str()) == 0;
}

// Two namespaces, 10.77.0.1 in the first and 10.77.0.2 in the second.
class TwoNodes {
public:
    TwoNodes() {
        ready_ = ::geteuid() == 0 && shell("ip netns add " + a_) && shell("ip netns add " + b_) &&
                 shell("ip link add fl0 netns " + a_ + " type veth peer name fl1 netns " + b_) &&
                 shell("ip -n " + a_ + " addr add 10.77.0.1/24 dev fl0") &&
                 shell("ip -n " + b_ + " addr add 10.77.0.2/24 dev fl1") &&
                 shell("ip -n " + a_ + " link set fl0 up") &&
                 shell("ip -n " + b_ + " link set fl1 up");
    }
    ~TwoNodes() {
        shell("ip netns del " + a_);
        shell("ip netns del " + b_);
    }
    TwoNodes(const TwoNodes&) = delete;
    TwoNodes& operator=(const TwoNodes&) = delete;

    bool ready() const { return ready_; }
    const std::string& first() const { return a_; }
    const std::string& second() const { return b_; }

private:
    std::string a_ = "fl-a-" + std::to_string(::getpid());
    std::string b_ = "fl-b-" + std::to_string(::getpid());
    bool ready_ = false;
};

// Runs `body` in a process of that node.
pid_t onNode(const std::string& node, const std::function<int()>& body) {
    const pid_t child = ::fork();
    if (child != 0)
        return child;
    const UniqueFd space(::open(("/var/run/netns/" + node).c_str(), O_RDONLY));
    ::_exit(::setns(space.get(), CLONE_NEWNET) == 0 ? body() : 99);
}

int codeOf(pid_t child) {
    int status = 0;
    ::waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 98;
}

// Serves one rank; tells its address through `tell` and gives 0 once the rank is ready.
int serveOne(int tell) {
    EventLoop loop;
    int code = 1;
    bool joined = false;
    auto server = RankLinkServer::listen(
        loop, {"tcp:10.77.0.1:0"}, kKey,
        {[&](const protocol::RankHello& hello) { joined = hello.rank == 1; },
         [&](int, const std::string& method, const Json& params) {
             if (method == protocol::link::kPhase && params["phase"].string() == "ready") {
                 code = joined ? 0 : 2;
                 loop.stop();
             }
         },
         [&](int, const std::string&) {}, [&](const protocol::RankExit&) {},
         [&](const std::string&) {
             code = 5;
             loop.stop();
         }});
    if (!server)
        return 3;
    const std::string address = (*server)->addresses().front() + "\n";
    if (::write(tell, address.data(), address.size()) < 0)
        return 4;
    loop.after(20, [&] { loop.stop(); });
    loop.run();
    return code;
}

int joinAs(const std::string& address, const std::string& key) {
    protocol::RankTicket ticket;
    ticket.host = "the other node";
    ticket.addresses = {address};
    ticket.key = key;
    std::atomic<bool> ended{false};
    auto link = RankLinkClient::connect(
        ticket, 1,
        [&ended](const std::string&, const Json&) {
            ended = true;
            ended.notify_all();
        },
        [] { return protocol::RankHeartbeat(); });
    if (!link)
        return 7;
    (*link)->send(protocol::link::kPhase, protocol::RankPhase{1, "ready", 0, {}});
    ended.wait(false);  // the control process leaves when it has what it wanted
    return 0;
}

class RankLinkNetns : public testing::Test {
protected:
    // Exit codes of the control process and of the rank.
    std::pair<int, int> connectWith(const std::string& key) {
        int pipe[2] = {-1, -1};
        EXPECT_EQ(::pipe(pipe), 0);
        const pid_t control = onNode(nodes_.first(), [&] { return serveOne(pipe[1]); });
        std::string address;
        for (char byte = 0; ::read(pipe[0], &byte, 1) == 1 && byte != '\n';)
            address += byte;
        const pid_t rank = onNode(nodes_.second(), [&] { return joinAs(address, key); });
        ::close(pipe[0]);
        ::close(pipe[1]);
        const int rankCode = codeOf(rank);
        return {codeOf(control), rankCode};
    }
    TwoNodes nodes_;
};

TEST_F(RankLinkNetns, CarriesARankOfAnotherNode) {
    if (!nodes_.ready())
        GTEST_SKIP() << "no network namespaces here";
    EXPECT_EQ(connectWith(kKey), std::make_pair(0, 0));
}

TEST_F(RankLinkNetns, RefusesARankOfAnotherNodeWithoutTheKey) {
    if (!nodes_.ready())
        GTEST_SKIP() << "no network namespaces here";
    EXPECT_EQ(connectWith("ff112233445566778899aabbccddeeff"), std::make_pair(5, 7));
}

}  // namespace
}  // namespace fl::service
