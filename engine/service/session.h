// SPDX-License-Identifier: Apache-2.0
// The control process of one job: takes requests of clients, brings a model up stage by stage, and
// keeps everybody informed.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/cancel_token.h"
#include "engine/base/file_watch.h"
#include "engine/base/json.h"
#include "engine/base/result.h"
#include "engine/base/thread_pool.h"
#include "engine/protocol/messages.h"
#include "engine/protocol/rpc.h"
#include "engine/service/board.h"
#include "engine/service/chats.h"
#include "engine/service/event_loop.h"
#include "engine/service/job_place.h"
#include "engine/service/language.h"
#include "engine/service/plan_desk.h"
#include "engine/service/prepare.h"
#include "engine/service/rank_team.h"
#include "engine/service/socket_server.h"
#include "engine/service/tensor_index.h"
#include "engine/service/validation.h"
#include "plugins/abi/firstlight_device.h"

namespace fl::service {

struct SessionOptions {
    std::vector<fl_plugin_entry_fn> plugins;
    std::vector<std::string> pluginFolders;
    SupervisorOptions ranks;
    TeamBudgets budgets;
    SocketServer::Limits limits;
    // For an engine that one client started for itself: ends when the last client has left, or if
    // none comes.
    bool leaveWithLastClient = false;
};

// Lives on the loop's thread, except where said; long work runs on workers.
class Session {
public:
    Session(EventLoop& loop, const JobPlace& place, SessionOptions options);
    ~Session();
    Session(const Session&) = delete;
    Session& operator=(const Session&) = delete;

    // From now on clients come in.
    Status listen();
    // Ends ranks and work, then stops the loop.
    void shutdown();

private:
    // One go through the pipeline, or part of it.
    struct Run {
        protocol::JobSettings settings;
        int from = 0;  // index into stage::kPipeline
        int until = 0;
        bool opens = false;  // a job anew: all before is forgotten
        CancelSource cancel;
        // Of this run, or of the one before where `from` lies behind them.
        std::shared_ptr<const Inspection> inspection;
        std::shared_ptr<const Language> language;
        std::shared_ptr<const Placement> placement;
        bool reported = false;  // the error is a finding already

        bool needsNewTeam() const { return opens || has(stage::kLaunchIndex); }
        bool has(int stage) const { return from <= stage && stage <= until; }
    };
    struct Call {
        ClientId client = 0;
        Json id;
        Json params;
    };
    struct Outcome {
        bool warned = false;
        std::string summary;
    };
    struct Method;

    // The pipeline, on a worker thread. The function to read first.
    Status bringUp(Run& run);
    Result<Outcome> inspect(Run& run);
    Result<Outcome> plan(Run& run);
    Result<Outcome> launch(Run& run);
    Result<Outcome> load(Run& run);
    template <class Work>
    Status stage(Run& run, int index, const Work& work);

    void begin(std::shared_ptr<Run> run);
    void startRun();
    void settle();
    void callOff();
    void watchRecipe(const std::string& file);
    void inspectSaved();
    void stopRanks(const std::string& why);
    TeamRequest teamRequest(const Run& run) const;

    // Requests; what they return at once is the reply, nothing means it comes later.
    void request(ClientId client, const protocol::RpcMessage& message);
    void hello(const Call& call);
    void reply(const Call& call, const Result<Json>& result);
    static const std::vector<Method>& methods();
    using Answer = Result<std::optional<Json>>;
    Answer snapshot(const Call& call);
    Answer metrics(const Call& call);
    Answer openJob(const Call& call);
    Answer stopJob(const Call& call);
    Answer runStage(const Call& call);
    Answer cancelStage(const Call& call);
    Answer inspectOther(const Call& call);
    Answer listTensors(const Call& call);
    Answer countValues(const Call& call);
    Answer cancelCount(const Call& call);
    Answer listColumns(const Call& call);
    Answer draftRecipe(const Call& call);
    Answer sendChat(const Call& call);
    Answer renderChat(const Call& call);
    Answer cancelChat(const Call& call);
    Answer validate(const Call& call);
    void endValidation(const Call& call, const Result<protocol::ValidateReply>& result);
    JudgeRules judgeRules() const;
    Answer leave(const Call& call);

    // About plans (session_plans.cpp).
    struct WhatIf {
        protocol::JobSettings settings;
        std::shared_ptr<const Inspection> inspection;  // null: of another checkpoint
    };
    struct SearchWork {
        protocol::SearchRequest request;
        WhatIf asked;
        CancelToken cancel;
    };
    struct Search {
        std::string name;
        CancelSource cancel;
    };
    Result<WhatIf> aboutOpen(protocol::JobSettings settings) const;
    Result<WhatIf> whatIf(protocol::JobSettings settings) const;
    template <class Request, class Work>
    Answer aboutPlan(const Call& call, const Request& request, Work work);
    Answer planOther(const Call& call);
    Answer proposePlan(const Call& call);
    Answer commitPlan(const Call& call);
    Answer searchPlans(const Call& call);
    Answer cancelSearch(const Call& call);
    Result<Json> runSearch(const SearchWork& work);
    Answer listCells(const Call& call);
    Answer openCell(const Call& call);
    Answer listSlices(const Call& call);
    Answer savePlan(const Call& call);
    Answer listSavedPlans(const Call& call);
    Answer forgetPlan(const Call& call);

    // Runs `work` on a worker and replies with what it gives.
    void later(const Call& call, std::function<Result<Json>()> work);
    void prepareChat(const Call& call, const protocol::ChatRequest& request);
    void submitChat(const Call& call,
                    const protocol::ChatRequest& request,
                    const Prompt& prompt,
                    const Json& started,
                    double receivedAt);
    void clientLeft(ClientId client);

    EventLoop& loop_;
    const JobPlace& place_;
    SessionOptions options_;
    Board board_;
    RankTeam team_;
    Chats chats_;
    std::unique_ptr<SocketServer> server_;
    std::vector<ClientId> greeted_;
    // Chats whose prompts are being cut into tokens, and who waits to hear that they begin.
    struct Prepared {
        Call call;
        CancelSource cancel;
    };
    std::map<std::string, Prepared> preparing_;

    std::shared_ptr<Run> active_;
    std::shared_ptr<Run> next_;
    CancelSource leaving_;  // the engine ends
    std::shared_ptr<const Inspection> inspection_;
    // Made by the first who asks for them.
    struct Columns {
        std::shared_ptr<const Inspection> inspection;
        std::once_flag once;
        std::unique_ptr<const TensorIndex> index;
    };
    std::shared_ptr<Columns> columns_;
    std::shared_ptr<const Language> language_;
    std::shared_ptr<const Placement> placement_;
    protocol::JobSettings chosen_;  // of the plan in force
    Validation validation_;
    CancelSource validationCancel_;
    bool validating_ = false;
    std::optional<FileWatch> recipeWatch_;
    bool recipeSaved_ = false;  // since the last inspection
    PlanDesk desk_;
    // The last one of each client.
    std::map<ClientId, Search> searches_;
    std::map<ClientId, CancelSource> counts_;

    std::unique_ptr<ThreadPool> workers_;  // last: ends before what its tasks use
};

}  // namespace fl::service
