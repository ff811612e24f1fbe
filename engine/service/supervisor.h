// SPDX-License-Identifier: Apache-2.0
// Starts the ranks of a job, knows how each of them is, and ends them. Outlives them all: after a
// rank was lost the same object starts them again.
//
// Lives on the loop's thread; handlers are called there.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/finding.h"
#include "engine/base/json.h"
#include "engine/base/result.h"
#include "engine/protocol/link_messages.h"
#include "engine/service/child_process.h"
#include "engine/service/event_loop.h"
#include "engine/service/job_place.h"
#include "engine/service/mpi_command.h"
#include "engine/service/rank_link.h"

namespace fl::service {

struct SupervisorOptions {
    std::string launcher = "mpirun";
    std::string program;          // firstlightd; empty: the running program
    double silenceSeconds = 2.5;  // without heartbeat: lost
    // How long the news from a rank's watcher may come behind the end of its link.
    double watcherSeconds = 0.3;
    double goodbyeSeconds = 2;  // from "shutdown" to SIGTERM, and from there to SIGKILL
};

struct TeamRequest {
    protocol::RankJob job;
    int ranks = 1;
    std::vector<std::string> hosts;  // as MpiRequest::hosts
    std::string controlAddress;      // as the cluster's
};

class Supervisor {
public:
    struct Handlers {
        std::function<void(const protocol::RankState& state)> changed;
        // The first rank that died or fell silent. The others are being ended already.
        std::function<void(const protocol::RankLost& lost)> lost;
        // A rank reached a phase; `failed` carries findings.
        std::function<void(const protocol::RankPhase& phase)> phase;
        // Everything else that ranks say.
        std::function<void(int rank, const std::string& method, const Json& params)> message;
        std::function<void(const protocol::LogLine& line)> log;
        // A rank had no room for so many samples since it started.
        std::function<void(int rank, std::int64_t samples)> dropped;
        // No process is left. `reason` says why if nobody asked for it and no rank was lost: the
        // launcher could not start the ranks.
        std::function<void(const std::string& reason)> ended;
    };

    Supervisor(EventLoop& loop,
               const JobPlace& place,
               SupervisorOptions options,
               Handlers handlers);
    ~Supervisor();
    Supervisor(const Supervisor&) = delete;
    Supervisor& operator=(const Supervisor&) = delete;

    // Precondition: !running(). Fails where nothing could be started: no MPI, no socket.
    Status start(const TeamRequest& request);
    // Asks the ranks to leave, insists after a while; `ended` follows. Nothing where none runs.
    void stop();
    // At once and hard.
    void kill();
    bool running() const { return launcher_ != nullptr; }
    // Ranks of this team run on other machines than this one.
    bool spansNodes() const { return spansNodes_; }

    void send(int rank, std::string_view method, const Json& params);
    void broadcast(std::string_view method, const Json& params);

    const std::vector<protocol::RankState>& ranks() const { return ranks_; }
    bool all(std::string_view phase) const;  // every rank has reached it, or a later one
    // "rank 3 has not come up; ranks 1, 2 wait in phase mpi": who lacks `phase`.
    std::string missing(std::string_view phase) const;
    // The stage that a lost rank is reported for.
    void setStage(std::string stage) { stage_ = std::move(stage); }

private:
    struct Watch;  // what is known of a rank beyond its state

    Status listen(const TeamRequest& request);
    protocol::RankTicket ticket() const;
    Status spawn(const TeamRequest& request);
    void nameHosts(const TeamRequest& request);
    void joined(const protocol::RankHello& hello);
    void left(int rank);
    void exited(const protocol::RankExit& exit);
    void take(int rank, const std::string& method, const Json& params);
    void takePhase(int rank, const Json& params);
    void takeHeartbeat(int rank, const Json& params);
    void takeLog(int rank, const Json& params);
    void takeLine(const std::string& line);
    bool takeFinding(int rank, const std::string& line);
    void lookForSilence();
    void declareLost(int rank, const std::string& cause, int signal, double since);
    void launcherEnded(const ExitStatus& status);
    int firstGone() const;
    void finish(const ExitStatus& status);
    void removeLeftovers() const;
    void killRanks() const;
    bool known(int rank) const;

    EventLoop& loop_;
    const JobPlace& place_;
    SupervisorOptions options_;
    Handlers handlers_;
    std::string stage_ = "launch";

    std::string key_;
    std::unique_ptr<RankLinkServer> link_;
    std::unique_ptr<ChildProcess> launcher_;
    std::vector<protocol::RankState> ranks_;
    std::vector<Watch> watches_;
    double startedAt_ = 0;   // steady
    double lastLookAt_ = 0;  // steady
    bool spansNodes_ = false;
    bool stopping_ = false;  // asked for, or after a loss
    std::string lastLine_;   // of the launcher
    EventLoop::TimerId silence_ = 0;
    EventLoop::TimerId patience_ = 0;  // of stop()
    EventLoop::TimerId verdict_ = 0;   // of a rank whose link ended
};

}  // namespace fl::service
