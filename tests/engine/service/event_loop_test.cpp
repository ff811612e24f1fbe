// SPDX-License-Identifier: Apache-2.0
#include "engine/service/event_loop.h"

#include <thread>

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>

namespace fl::service {
namespace {

struct Pair {
    UniqueFd a;
    UniqueFd b;
    Pair() {
        int fds[2] = {-1, -1};
        EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, fds), 0);
        a.reset(fds[0]);
        b.reset(fds[1]);
    }
};

TEST(EventLoop, RunsWhatOtherThreadsPostInOrder) {
    EventLoop loop;
    std::vector<int> seen;
    std::thread other([&] {
        for (int i = 0; i < 100; ++i)
            loop.post([&seen, i] { seen.push_back(i); });
        loop.stop();
    });
    loop.run();
    other.join();
    ASSERT_EQ(seen.size(), 100u);
    EXPECT_TRUE(std::is_sorted(seen.begin(), seen.end()));
}

TEST(EventLoop, CallsTimersInTheOrderOfTheirTimes) {
    EventLoop loop;
    std::string seen;
    loop.after(0.02, [&] {
        seen += "b";
        loop.stop();
    });
    loop.after(0.001, [&] { seen += "a"; });
    const auto never = loop.after(0.002, [&] { seen += "x"; });
    loop.cancel(never);
    loop.run();
    EXPECT_EQ(seen, "ab");
}

TEST(EventLoop, RepeatsATimerUntilItIsCancelled) {
    EventLoop loop;
    int count = 0;
    EventLoop::TimerId timer = 0;
    timer = loop.every(0.0005, [&] {
        if (++count == 3) {
            loop.cancel(timer);
            loop.stop();
        }
    });
    loop.run();
    EXPECT_EQ(count, 3);
}

TEST(EventLoop, DoesNotCallAWatchThatAnotherCallbackForgot) {
    EventLoop loop;
    Pair one;
    Pair two;
    int calls = 0;
    const auto forgetBoth = [&](short) {
        ++calls;
        loop.forget(one.a.get());
        loop.forget(two.a.get());
        loop.stop();
    };
    loop.watch(one.a.get(), POLLIN, forgetBoth);
    loop.watch(two.a.get(), POLLIN, forgetBoth);
    EXPECT_EQ(::write(one.b.get(), "x", 1), 1);
    EXPECT_EQ(::write(two.b.get(), "x", 1), 1);
    loop.run();
    EXPECT_EQ(calls, 1);
}

}  // namespace
}  // namespace fl::service
