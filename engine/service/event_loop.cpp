// SPDX-License-Identifier: Apache-2.0
#include "engine/service/event_loop.h"

#include <algorithm>
#include <cerrno>
#include <utility>

#include <poll.h>
#include <sys/eventfd.h>

namespace fl::service {

EventLoop::EventLoop() : wake_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
    watch(wake_.get(), POLLIN, [this](short) {
        std::uint64_t count = 0;
        [[maybe_unused]] const auto got = ::read(wake_.get(), &count, sizeof count);
    });
}

void EventLoop::watch(int fd, short events, std::function<void(short)> callback) {
    watches_[fd] = std::make_shared<Watch>(Watch{events, std::move(callback)});
}

void EventLoop::change(int fd, short events) {
    if (const auto found = watches_.find(fd); found != watches_.end())
        found->second->events = events;
}

void EventLoop::forget(int fd) {
    watches_.erase(fd);
}

EventLoop::TimerId EventLoop::add(double seconds, bool repeat, Callback callback) {
    const auto span = std::chrono::duration_cast<Clock::duration>(
        std::chrono::duration<double>(std::max(seconds, 0.0)));
    timers_[++lastTimer_] =
        Timer{Clock::now() + span, repeat ? span : Clock::duration{}, std::move(callback)};
    return lastTimer_;
}

EventLoop::TimerId EventLoop::after(double seconds, Callback callback) {
    return add(seconds, false, std::move(callback));
}

EventLoop::TimerId EventLoop::every(double seconds, Callback callback) {
    return add(seconds, true, std::move(callback));
}

void EventLoop::cancel(TimerId timer) {
    timers_.erase(timer);
}

void EventLoop::post(Callback callback) {
    const std::lock_guard lock(mutex_);
    posted_.push_back(std::move(callback));
    const std::uint64_t one = 1;
    [[maybe_unused]] const auto sent = ::write(wake_.get(), &one, sizeof one);
}

void EventLoop::stop() {
    post([this] {
        const std::lock_guard lock(mutex_);
        stopping_ = true;
    });
}

void EventLoop::run() {
    for (;;) {
        {
            const std::lock_guard lock(mutex_);
            if (std::exchange(stopping_, false))
                return;
        }
        poll();
        runTimers();
        runPosted();
    }
}

int EventLoop::milliseconds() const {
    auto wait = std::chrono::milliseconds(60'000);
    const auto now = Clock::now();
    for (const auto& [id, timer] : timers_)
        wait = std::min(wait, std::chrono::ceil<std::chrono::milliseconds>(timer.due - now));
    return static_cast<int>(std::max<std::int64_t>(wait.count(), 0));
}

void EventLoop::poll() {
    std::vector<pollfd> fds;
    fds.reserve(watches_.size());
    for (const auto& [fd, watched] : watches_)
        fds.push_back({fd, watched->events, 0});
    if (::poll(fds.data(), fds.size(), milliseconds()) <= 0)
        return;
    // A callback may forget descriptors, and a new one may get the same number: only the watch that
    // was polled is called.
    std::vector<std::pair<pollfd, std::shared_ptr<Watch>>> ready;
    for (const pollfd& fd : fds) {
        if (fd.revents != 0)
            ready.emplace_back(fd, watches_[fd.fd]);
    }
    for (const auto& [fd, polled] : ready) {
        const auto found = watches_.find(fd.fd);
        if (found != watches_.end() && found->second == polled)
            polled->callback(fd.revents);
    }
}

void EventLoop::runTimers() {
    const auto now = Clock::now();
    std::vector<TimerId> due;
    for (const auto& [id, timer] : timers_) {
        if (timer.due <= now)
            due.push_back(id);
    }
    for (const TimerId id : due) {
        const auto found = timers_.find(id);
        if (found == timers_.end())
            continue;  // cancelled by the one before
        const Callback callback = found->second.callback;
        if (found->second.period == Clock::duration{})
            timers_.erase(found);
        else
            found->second.due = now + found->second.period;
        callback();
    }
}

void EventLoop::runPosted() {
    std::vector<Callback> batch;
    {
        const std::lock_guard lock(mutex_);
        batch.swap(posted_);
    }
    for (const Callback& callback : batch)
        callback();
}

}  // namespace fl::service
