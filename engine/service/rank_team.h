// SPDX-License-Identifier: Apache-2.0
// The ranks as the session sees them: one team that is launched, loaded and serves, or that is
// lost. Says on the board what happens to it.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "engine/base/json.h"
#include "engine/base/result.h"
#include "engine/protocol/link_messages.h"
#include "engine/service/board.h"
#include "engine/service/completion.h"
#include "engine/service/event_loop.h"
#include "engine/service/job_place.h"
#include "engine/service/supervisor.h"

namespace fl::service {

struct TeamBudgets {
    double launchSeconds = 120;  // until all ranks are ready
    double loadSeconds = 120;    // without any progress
};

// On the control thread.
class RankTeam {
public:
    struct Handlers {
        std::function<void(const protocol::RankTokens& tokens)> tokens;
        std::function<void(const protocol::RankCaptured& captured)> captured;
        std::function<void(int rank, const protocol::CaptureBytes& piece)> captureBytes;
        // The team that served does not any more; what it was asked will not be answered.
        std::function<void(const std::string& why)> gone;
        // No process is left.
        std::function<void()> idle;
    };

    RankTeam(EventLoop& loop,
             const JobPlace& place,
             Board& board,
             const SupervisorOptions& options,
             const TeamBudgets& budgets,
             Handlers handlers);
    ~RankTeam();

    // Precondition: !running(). Answers when all ranks are ready; on failure the reason is a
    // finding already, and the team is being ended.
    void launch(const TeamRequest& request, Completion<Done> answer);
    // Precondition: ready(). Answers when the model is loaded and rank 0 serves.
    void load(Completion<Done> answer);
    // Back to where load() began; the ranks stay.
    void cancelLoad();
    // `why` ends what runs: "the job was stopped".
    void stop(const std::string& why);

    bool running() const { return supervisor_.running(); }
    bool ready() const { return running() && !failed_ && supervisor_.all("ready"); }
    bool serving() const { return serving_ && running(); }
    int count() const { return static_cast<int>(supervisor_.ranks().size()); }
    void toRank0(std::string_view method, const Json& params);

private:
    bool isKnown(const Finding& finding) const;
    void phase(const protocol::RankPhase& phase);
    void lost(const protocol::RankLost& lost);
    void reportMemory(const protocol::RankLost& lost, const std::string& why);
    void ended(const std::string& reason);
    void message(int rank, const std::string& method, const Json& params);
    void log(const protocol::LogLine& line);
    void loadProgress(const Json& params);
    void watchLoad();
    void beginLoad();
    void reached();
    void report(const std::string& code,
                const std::string& message,
                const std::string& remedy,
                int rank);
    // Whoever waits learns it, the board shows it, nobody is served any more.
    void fail(const std::string& why, bool byUs);

    EventLoop& loop_;
    Board& board_;
    TeamBudgets budgets_;
    Handlers handlers_;
    Supervisor supervisor_;
    Completion<Done> waiting_;  // of the stage under way
    std::string stage_;         // under way: "launch", "load"; empty: none
    bool serving_ = false;
    bool loadBegun_ = false;
    bool failed_ = false;    // said so already; the rest is consequences
    double progressAt_ = 0;  // steady: of the load
    double toldAt_ = 0;      // steady: the stage's progress
    EventLoop::TimerId budget_ = 0;
};

}  // namespace fl::service
