// SPDX-License-Identifier: Apache-2.0
#include "engine/comm/waiting.h"

#include <algorithm>
#include <ctime>

#include <sched.h>
#include <sys/prctl.h>

namespace fl::comm {

namespace {

constexpr int kYields = 8;
constexpr double kShortestSleepSeconds = 10e-6;
// A sleep is at most this part of what has been waited already, so that sleeping costs little
// latency: 1/8 of the wait.
constexpr double kSleepGrowth = 1.125;

void sleepFor(double seconds) {
    timespec span{};
    span.tv_nsec = static_cast<long>(seconds * 1e9);
    nanosleep(&span, nullptr);
}

}  // namespace

Patience::Patience(const WaitRules& rules)
    : rules_(rules),
      begin_(std::chrono::steady_clock::now()),
      sleepSeconds_(kShortestSleepSeconds) {}

double Patience::seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
}

Status Patience::pause() {
    if (rules_.cancel.cancelled())
        return Error{ErrorCode::Cancelled, "waiting for the other ranks was cancelled"};
    if (++polls_ <= kYields) {
        sched_yield();
        return Done{};
    }
    if (rules_.budgetSeconds > 0 && seconds() > rules_.budgetSeconds)
        return Error{ErrorCode::Timeout, "no progress"};
    sleepFor(sleepSeconds_);
    sleepSeconds_ = std::min(sleepSeconds_ * kSleepGrowth, rules_.longestSleepSeconds);
    return Done{};
}

void sharpenSleeps() {
    prctl(PR_SET_TIMERSLACK, 1000UL, 0UL, 0UL, 0UL);
}

}  // namespace fl::comm
