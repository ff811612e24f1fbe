// SPDX-License-Identifier: Apache-2.0
// How a rank waits for its peers: never longer than its budget, never burning a core that another
// rank could use, and always ready to be told to stop.
#pragma once

#include <chrono>

#include "engine/base/cancel_token.h"
#include "engine/base/result.h"

namespace fl::comm {

struct WaitRules {
    double budgetSeconds = 120;  // ≤ 0: for ever
    CancelToken cancel;
    double longestSleepSeconds = 0.001;
};

// One wait. Between two polls that found nothing, call pause(): it yields at first and then sleeps,
// longer and longer. Ranks outnumber cores here, and a rank that spins or only yields takes the
// time slice of the very rank it waits for (a yield is no more than "next, please").
class Patience {
public:
    explicit Patience(const WaitRules& rules);

    // Fails with Cancelled once told to stop and with Timeout once the budget is spent.
    Status pause();
    double seconds() const;

private:
    const WaitRules& rules_;
    std::chrono::steady_clock::time_point begin_;
    int polls_ = 0;
    double sleepSeconds_;
};

// Lets this thread's short sleeps end on time (the kernel may stretch them by 50 µs otherwise).
void sharpenSleeps();

}  // namespace fl::comm
