// SPDX-License-Identifier: Apache-2.0
// The one thread of a process that talks: waits for descriptors, timers and posted work, and calls
// back. Nothing that takes long may run in a callback.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "engine/base/unique_fd.h"

namespace fl::service {

class EventLoop {
public:
    using Callback = std::function<void()>;
    using TimerId = std::int64_t;

    EventLoop();
    EventLoop(const EventLoop&) = delete;
    EventLoop& operator=(const EventLoop&) = delete;

    // `events` and what the callback gets are poll(2)'s; POLLHUP and POLLERR always come. The loop
    // does not own the descriptor. Watching it again replaces the former watch.
    void watch(int fd, short events, std::function<void(short)> callback);
    void change(int fd, short events);
    // Also from inside callbacks, of this descriptor or another.
    void forget(int fd);

    TimerId after(double seconds, Callback callback);
    TimerId every(double seconds, Callback callback);
    void cancel(TimerId timer);

    // From any thread: runs `callback` on the loop's thread, in order. What is posted after the
    // loop ended never runs.
    void post(Callback callback);

    // Until stop(). The thread that calls it is the loop's.
    void run();
    // From any thread; callbacks under way end first.
    void stop();

private:
    using Clock = std::chrono::steady_clock;
    struct Watch {
        short events = 0;
        std::function<void(short)> callback;
    };
    struct Timer {
        Clock::time_point due;
        Clock::duration period{};  // zero: once
        Callback callback;
    };

    TimerId add(double seconds, bool repeat, Callback callback);
    void poll();
    void runTimers();
    void runPosted();
    int milliseconds() const;  // until the next timer

    UniqueFd wake_;
    std::map<int, std::shared_ptr<Watch>> watches_;
    std::map<TimerId, Timer> timers_;
    TimerId lastTimer_ = 0;
    std::mutex mutex_;  // of the two below
    std::vector<Callback> posted_;
    bool stopping_ = false;
};

}  // namespace fl::service
