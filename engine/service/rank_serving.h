// SPDX-License-Identifier: Apache-2.0
// A loaded rank at work: rank 0 composes steps and spreads them, the others follow.
#pragma once

#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "engine/comm/waiting.h"
#include "engine/protocol/link_messages.h"
#include "engine/scheduler/scheduler.h"
#include "engine/service/rank_engine.h"
#include "engine/service/rank_inbox.h"
#include "engine/service/rank_reporter.h"
#include "engine/service/rank_station.h"

namespace fl::service {

class RankServing {
public:
    RankServing(RankStation& team, RankEngine& engine, RankReporter& reporter);

    bool leads() const { return team_.world().rank() == 0; }
    // Rank 0: whether turn() would do something without a new message.
    bool hasWork() const { return scheduler_.hasWork() || !captures_.empty(); }
    // Rank 0: a message about requests or captures. A malformed one is logged and dropped.
    void take(const RankInbox::Message& message);
    // One step or capture if there is one; on the other ranks, if rank 0 has sent one. Says
    // whether there was.
    Result<bool> turn();

private:
    void submit(const protocol::SubmitRequest& request);
    Status step();
    Result<bool> leadCapture();
    Result<bool> follow();
    void dropCapture(const std::string& name);
    Status capture(const protocol::CapturePart& part, const runtime::Step& step);
    void reportOutputs();
    void reportStep(double seconds);

    RankStation& team_;
    RankEngine& engine_;
    RankReporter& reporter_;
    scheduler::Scheduler scheduler_;
    std::deque<protocol::CaptureRequest> captures_;  // the first one may be under way
    int capturePart_ = 0;
    protocol::RankCaptured captured_;  // so far
};

}  // namespace fl::service
