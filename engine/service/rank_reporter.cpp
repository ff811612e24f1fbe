// SPDX-License-Identifier: Apache-2.0
#include "engine/service/rank_reporter.h"

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <thread>
#include <utility>

#include <fmt/core.h>
#include <unistd.h>

#include "engine/base/log.h"
#include "engine/service/clock.h"

namespace fl::service {

namespace {

// A rank that was told to leave may sit in a kernel or in MPI's own start: it has this long.
constexpr std::chrono::milliseconds kGrace(1500);

// Between two drains, 50 ms apart, no engine does as many.
constexpr std::size_t kStepsInRing = 4096;

void leaveSoon() {
    std::thread([] {
        std::this_thread::sleep_for(kGrace);
        std::_Exit(0);
    }).detach();
}

protocol::LedgerInfo ledgerOf(const fl_memory_usage& usage) {
    protocol::LedgerInfo out;
    out.weights = usage.by_category[FL_MEMORY_WEIGHTS];
    out.scales = usage.by_category[FL_MEMORY_SCALES];
    out.kv = usage.by_category[FL_MEMORY_KV];
    out.state = usage.by_category[FL_MEMORY_STATE];
    out.activations = usage.by_category[FL_MEMORY_ACTIVATIONS];
    out.communication = usage.by_category[FL_MEMORY_COMMUNICATION];
    out.context = usage.by_category[FL_MEMORY_CONTEXT];
    out.staging = usage.by_category[FL_MEMORY_STAGING];
    out.total = usage.used_bytes;
    return out;
}

}  // namespace

RankReporter::RankReporter(int rank, RankInbox& inbox)
    : rank_(rank),
      inbox_(inbox),
      startedAt_(steadyTime()),
      steps_(kStepsInRing) {}

Result<std::unique_ptr<RankReporter>> RankReporter::connect(const protocol::RankTicket& ticket,
                                                            int rank,
                                                            RankInbox& inbox) {
    std::unique_ptr<RankReporter> reporter(new RankReporter(rank, inbox));
    RankReporter& self = *reporter;
    FL_TRY(self.link_, RankLinkClient::connect(
                           ticket, rank,
                           [&self](const std::string& method, const Json& params) {
                               self.receive(method, params);
                           },
                           [&self] { return self.heartbeat(); }, [&self] { self.sendSteps(); }));
    self.connected_ = true;
    log::setSink([&self](const log::Line& line) {
        self.send(protocol::link::kLog,
                  protocol::LogLine{line.unixSeconds, self.rank_,
                                    std::string(log::name(line.level)), line.category, line.text});
    });
    return reporter;
}

RankReporter::~RankReporter() {
    log::setSink(nullptr);
    connected_ = false;
}

void RankReporter::receive(const std::string& method, const Json& params) {
    if (method == protocol::link::kShutdown)
        leaveSoon();
    inbox_.put(method, params);
}

void RankReporter::phase(std::string_view phase, std::vector<Finding> findings) {
    for (Finding& finding : findings)
        finding.rank = rank_;
    send(protocol::link::kPhase,
         protocol::RankPhase{rank_, std::string(phase), steadyTime() - startedAt_,
                             std::move(findings)});
}

void RankReporter::watch(device::Device* device) {
    const std::lock_guard lock(deviceMutex_);
    device_ = device;
}

protocol::RankHeartbeat RankReporter::heartbeat() {
    if (connected_)
        sendMemory();
    const comm::CollectiveJournal::Entry entry = journal_.last();
    protocol::RankHeartbeat sign;
    sign.collective = entry.text;
    sign.inside = entry.inside;
    sign.insideSeconds = entry.insideSeconds;
    sign.samplesDropped = steps_.dropped() + (connected_ ? link_->droppedSamples() : 0);
    return sign;
}

void RankReporter::sendSteps() {
    if (!connected_)
        return;
    for (telemetry::StepRecord record; steps_.pop(record);) {
        protocol::StepSample out;
        out.time = record.time;
        out.seconds = record.seconds;
        out.prefillTokens = record.prefillTokens;
        out.decodeTokens = record.decodeTokens;
        out.running = record.running;
        out.waiting = record.waiting;
        out.pagesUsed = record.pagesUsed;
        out.pages = record.pages;
        send(protocol::link::kStep, out);
    }
}

void RankReporter::sendMemory() {
    const std::lock_guard lock(deviceMutex_);
    if (!device_)
        return;
    const auto usage = device_->usage();
    const auto sample = device_->sample();
    if (!usage)
        return;
    protocol::MemorySample out;
    out.time = unixTime();
    out.rank = rank_;
    out.used = ledgerOf(*usage);
    out.budget = usage->budget_bytes;
    out.peak = usage->peak_bytes;
    out.resident = residentBytes();
    if (sample && sample->utilisation >= 0)
        out.utilisation = sample->utilisation;
    if (sample && sample->temperature_celsius >= 0)
        out.temperature = sample->temperature_celsius;
    send(protocol::link::kMemory, out);
}

std::int64_t residentBytes() {
    // proc(5): the second number of statm is the resident set in pages.
    std::ifstream file("/proc/self/statm");
    std::int64_t size = 0;
    std::int64_t pages = 0;
    file >> size >> pages;
    return pages * ::sysconf(_SC_PAGESIZE);
}

}  // namespace fl::service
