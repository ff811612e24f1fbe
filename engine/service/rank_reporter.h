// SPDX-License-Identifier: Apache-2.0
// What a rank tells the control process about itself: phases, steps, memory, log lines.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/finding.h"
#include "engine/comm/collective_journal.h"
#include "engine/device/device.h"
#include "engine/service/rank_inbox.h"
#include "engine/service/rank_link.h"
#include "engine/telemetry/records.h"
#include "engine/telemetry/ring.h"

namespace fl::service {

class RankReporter {
public:
    // Connects the link; messages go to the inbox. Log lines go the same way from here on.
    static Result<std::unique_ptr<RankReporter>> connect(const protocol::RankTicket& ticket,
                                                         int rank,
                                                         RankInbox& inbox);
    ~RankReporter();
    RankReporter(const RankReporter&) = delete;
    RankReporter& operator=(const RankReporter&) = delete;

    int rank() const { return rank_; }
    const protocol::RankJob& job() const { return link_->job(); }
    comm::CollectiveJournal& journal() { return journal_; }
    template <class T>
    void send(std::string_view method, const T& message) {
        link_->send(method, message);
    }
    void phase(std::string_view phase, std::vector<Finding> findings = {});
    // Whether the control process runs on this machine and sees the same files.
    bool sharesFiles() const { return link_->local(); }
    // As RankLinkClient::awaitRoom().
    bool awaitRoom() { return link_->awaitRoom(); }
    // Engine thread; never waits. The link's thread sends it on; where that lags far behind, the
    // record is dropped and counted.
    void record(const telemetry::StepRecord& step) { steps_.push(step); }
    // With every heartbeat, from the link's thread, the memory of this device is reported too.
    // Null: no longer.
    void watch(device::Device* device);

private:
    RankReporter(int rank, RankInbox& inbox);
    void receive(const std::string& method, const Json& params);
    protocol::RankHeartbeat heartbeat();
    void sendMemory();
    void sendSteps();

    int rank_;
    RankInbox& inbox_;
    double startedAt_;
    comm::CollectiveJournal journal_;
    telemetry::Ring<telemetry::StepRecord> steps_;
    std::mutex deviceMutex_;
    device::Device* device_ = nullptr;
    std::atomic<bool> connected_{false};
    std::unique_ptr<RankLinkClient> link_;
};

// Resident bytes of this process.
std::int64_t residentBytes();

}  // namespace fl::service
