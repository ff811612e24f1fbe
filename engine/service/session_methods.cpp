// SPDX-License-Identifier: Apache-2.0
// What clients may ask of a session, one function each.
#include <algorithm>
#include <utility>

#include <fmt/core.h>

#include "engine/base/text.h"
#include "engine/base/version.h"
#include "engine/device/plugin_registry.h"
#include "engine/protocol/metric_messages.h"
#include "engine/protocol/names.h"
#include "engine/recipe/recipe_draft.h"
#include "engine/service/clock.h"
#include "engine/service/error_map.h"
#include "engine/service/reports.h"
#include "engine/service/session.h"

namespace fl::service {

namespace {

namespace method = protocol::method;

// Place of a stage in the pipeline; an error names the legal ones.
Result<int> pipelineIndex(const std::string& name) {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < stage::kPipeline.size(); ++i) {
        if (stage::kPipeline[i] == name)
            return static_cast<int>(i);
        names.emplace_back(stage::kPipeline[i]);
    }
    return Error{ErrorCode::InvalidArgument, fmt::format("'{}' is not one of the stages {}{}", name,
                                                         join(names, ", "), nearest(name, names))};
}

Error nothingOpen() {
    return {ErrorCode::InvalidArgument, "no checkpoint is open: open a job first"};
}

}  // namespace

struct Session::Method {
    std::string_view name;
    Answer (Session::*handle)(const Call& call);
};

const std::vector<Session::Method>& Session::methods() {
    static const std::vector<Method> list = {
        {method::kSnapshot, &Session::snapshot},
        {method::kShutdown, &Session::leave},
        {method::kJobOpen, &Session::openJob},
        {method::kJobStop, &Session::stopJob},
        {method::kStageRun, &Session::runStage},
        {method::kStageCancel, &Session::cancelStage},
        {method::kInspect, &Session::inspectOther},
        {method::kTensors, &Session::listTensors},
        {method::kHistogram, &Session::countValues},
        {method::kHistogramCancel, &Session::cancelCount},
        {method::kColumns, &Session::listColumns},
        {method::kRecipeDraft, &Session::draftRecipe},
        {method::kPlanMake, &Session::planOther},
        {method::kPlanSlices, &Session::listSlices},
        {method::kPlanPropose, &Session::proposePlan},
        {method::kPlanCommit, &Session::commitPlan},
        {method::kPlanSearch, &Session::searchPlans},
        {method::kPlanSearchCancel, &Session::cancelSearch},
        {method::kPlanCells, &Session::listCells},
        {method::kPlanCell, &Session::openCell},
        {method::kPlanSave, &Session::savePlan},
        {method::kPlanSaved, &Session::listSavedPlans},
        {method::kPlanForget, &Session::forgetPlan},
        {method::kChatSend, &Session::sendChat},
        {method::kChatRender, &Session::renderChat},
        {method::kChatCancel, &Session::cancelChat},
        {method::kValidateRun, &Session::validate},
        {method::kMetrics, &Session::metrics},
    };
    return list;
}

void Session::request(ClientId client, const protocol::RpcMessage& message) {
    const Call call{client, message.id, message.params};
    if (message.method == method::kHello)
        return hello(call);
    if (std::find(greeted_.begin(), greeted_.end(), client) == greeted_.end()) {
        return server_->fail(client, message.id,
                             {protocol::kInvalidRequest, "the first request must be hello", {}});
    }
    for (const Method& known : methods()) {
        if (known.name != message.method)
            continue;
        const Answer answer = (this->*known.handle)(call);
        if (!answer)
            server_->fail(client, call.id, toRpc(answer.error()));
        else if (*answer)
            server_->reply(client, call.id, **answer);
        return;
    }
    std::vector<std::string> names;
    for (const Method& known : methods())
        names.emplace_back(known.name);
    server_->fail(client, message.id,
                  {protocol::kMethodNotFound,
                   fmt::format("no method '{}'{}", message.method, nearest(message.method, names)),
                   {}});
}

// The protocol's number is looked at before anything else is: a client of another one may write its
// greeting otherwise.
void Session::hello(const Call& call) {
    const std::int64_t theirs = call.params["protocol"].integer(-1);
    if (theirs != protocol::kProtocolVersion) {
        server_->fail(call.client, call.id,
                      toRpc({ErrorCode::Unsupported,
                             fmt::format("this engine (version {}) speaks protocol {}, the client "
                                         "(version {}) speaks {}: use the same version of both",
                                         version(), protocol::kProtocolVersion,
                                         call.params["version"].string(), theirs)}));
        return server_->dismiss(call.client);
    }
    const auto hello = protocol::decode<protocol::Hello>(call.params);
    if (!hello)
        return server_->fail(call.client, call.id, toRpc(hello.error()));
    if (std::find(greeted_.begin(), greeted_.end(), call.client) == greeted_.end())
        greeted_.push_back(call.client);
    server_->subscribe(call.client);
    server_->reply(call.client, call.id, protocol::encode(board_.snapshot()));
}

void Session::reply(const Call& call, const Result<Json>& result) {
    if (result)
        server_->reply(call.client, call.id, *result);
    else
        server_->fail(call.client, call.id, toRpc(result.error()));
}

void Session::later(const Call& call, std::function<Result<Json>()> work) {
    workers_->submit([this, call, work = std::move(work)] {
        const Result<Json> result = work();
        loop_.post([this, call, result] { reply(call, result); });
    });
}

Session::Answer Session::snapshot(const Call& /*call*/) {
    return std::optional(protocol::encode(board_.snapshot()));
}

Session::Answer Session::metrics(const Call& /*call*/) {
    return std::optional(protocol::encode(board_.metrics()));
}

Session::Answer Session::leave(const Call& call) {
    server_->reply(call.client, call.id, Json::object());
    shutdown();
    return std::optional<Json>();
}

Session::Answer Session::openJob(const Call& call) {
    FL_TRY(auto request, protocol::decode<protocol::OpenRequest>(call.params));
    FL_TRY(const int until, pipelineIndex(request.until));
    if (request.settings.job.empty())
        request.settings.job = place_.job();
    auto run = std::make_shared<Run>();
    run->settings = request.settings;
    run->until = until;
    run->opens = true;
    begin(std::move(run));
    return std::optional(Json::object());
}

Session::Answer Session::stopJob(const Call& /*call*/) {
    next_.reset();
    if (active_)
        active_->cancel.cancel();
    stopRanks("the job was stopped");
    return std::optional(Json::object());
}

// Runs one stage again, and before it those whose results it needs and lacks.
Session::Answer Session::runStage(const Call& call) {
    FL_TRY(const auto request, protocol::decode<protocol::StageRequest>(call.params));
    FL_TRY(const int index, pipelineIndex(request.stage));
    if (board_.state().openedAt == 0)
        return nothingOpen();
    auto run = std::make_shared<Run>();
    run->settings = board_.state().settings;
    run->until = index;
    run->from = index;
    const bool inspected = inspection_ && !hasErrors(inspection_->findings);
    const bool planned = placement_ && !hasErrors(placement_->plan.findings);
    const bool launched = team_.ready() && !team_.serving();
    if (run->from == stage::kLoadIndex && !launched)
        run->from = stage::kLaunchIndex;
    if (run->from >= stage::kLaunchIndex && !planned)
        run->from = stage::kPlanIndex;
    if (run->from >= stage::kPlanIndex && !inspected)
        run->from = stage::kInspectIndex;
    run->inspection = inspection_;
    run->language = language_;
    run->placement = placement_;
    begin(std::move(run));
    return std::optional(Json::object());
}

Session::Answer Session::cancelStage(const Call& call) {
    FL_TRY(const auto request, protocol::decode<protocol::StageRequest>(call.params));
    if (request.stage == stage::kValidate) {
        validationCancel_.cancel();
        return std::optional(Json::object());
    }
    FL_TRY(const int index, pipelineIndex(request.stage));
    // Only what runs can be cancelled; a stage that has just ended is no error.
    if (active_ && active_->has(index)) {
        next_.reset();
        active_->cancel.cancel();
    }
    return std::optional(Json::object());
}

Session::Answer Session::inspectOther(const Call& call) {
    FL_TRY(const auto request, protocol::decode<protocol::InspectRequest>(call.params));
    protocol::JobSettings settings = board_.state().settings;
    if (!request.checkpoint.empty()) {
        settings.checkpoint = request.checkpoint;
        settings.recipe = request.recipe;
    }
    if (settings.checkpoint.empty())
        return nothingOpen();
    later(call, [settings, cancel = leaving_.token()]() -> Result<Json> {
        FL_TRY(const Inspection inspection, inspectCheckpoint(settings, cancel));
        return protocol::encode(censusReport(inspection));
    });
    return std::optional<Json>();
}

Session::Answer Session::listTensors(const Call& call) {
    FL_TRY(const auto request, protocol::decode<protocol::TensorsRequest>(call.params));
    if (!inspection_)
        return nothingOpen();
    later(call, [inspection = inspection_, request]() -> Result<Json> {
        return protocol::encode(tensorsReport(*inspection, request));
    });
    return std::optional<Json>();
}

Session::Answer Session::countValues(const Call& call) {
    FL_TRY(const auto request, protocol::decode<protocol::HistogramRequest>(call.params));
    if (!inspection_)
        return nothingOpen();
    CancelSource& count = counts_[call.client];
    count.cancel();
    count = CancelSource();
    later(call, [inspection = inspection_, request, cancel = count.token()]() -> Result<Json> {
        FL_TRY(const auto reply, histogramReport(*inspection->checkpoint, request, cancel));
        return protocol::encode(reply);
    });
    return std::optional<Json>();
}

Session::Answer Session::cancelCount(const Call& call) {
    if (const auto found = counts_.find(call.client); found != counts_.end())
        found->second.cancel();
    return std::optional(Json::object());
}

Session::Answer Session::listColumns(const Call& call) {
    FL_TRY(const auto request, protocol::decode<protocol::ColumnsRequest>(call.params));
    if (!inspection_)
        return nothingOpen();
    if (!columns_ || columns_->inspection != inspection_) {
        columns_ = std::make_shared<Columns>();
        columns_->inspection = inspection_;
    }
    later(call, [columns = columns_, request]() -> Result<Json> {
        std::call_once(columns->once, [&] {
            columns->index = std::make_unique<TensorIndex>(*columns->inspection);
        });
        return protocol::encode(columns->index->page(request));
    });
    return std::optional<Json>();
}

Session::Answer Session::draftRecipe(const Call& call) {
    FL_TRY(const auto request, protocol::decode<protocol::DraftRequest>(call.params));
    if (!inspection_)
        return nothingOpen();
    later(call, [inspection = inspection_, request]() -> Result<Json> {
        const checkpoint::Checkpoint& open = *inspection->checkpoint;
        FL_TRY(const auto draft, recipe::draftRecipe(open.config, open.inventory, request.name));
        if (!request.file.empty())
            FL_DO(recipe::saveDraft(draft, request.file));
        auto report = draftReport(draft);
        report.file = request.file;
        return protocol::encode(report);
    });
    return std::optional<Json>();
}

Session::Answer Session::sendChat(const Call& call) {
    FL_TRY(const auto request, protocol::decode<protocol::ChatRequest>(call.params));
    if (!team_.serving())
        return Error{ErrorCode::InvalidArgument,
                     "no model is loaded: bring one up to 'load' first"};
    FL_DO(chats_.check(request));
    if (preparing_.contains(request.request))
        return Error{ErrorCode::InvalidArgument, "chat '" + request.request + "' runs already"};
    prepareChat(call, request);
    return std::optional<Json>();
}

// Long prompts take their time to be cut into tokens.
void Session::prepareChat(const Call& call, const protocol::ChatRequest& request) {
    const double receivedAt = steadyTime();
    Prepared& prepared = preparing_[request.request];
    prepared.call = call;
    workers_->submit(
        [this, call, request, receivedAt, language = language_, cancel = prepared.cancel.token()] {
            const Result<Prompt> prompt = language->promptFor(request, cancel);
            Json started;
            if (prompt)
                started = protocol::encode(language->started(request.request, *prompt));
            loop_.post([this, call, request, receivedAt, prompt, started, cancel] {
                if (cancel.cancelled())
                    return;  // and it was answered
                preparing_.erase(request.request);
                if (prompt)
                    submitChat(call, request, *prompt, started, receivedAt);
                else
                    reply(call, prompt.error());
            });
        });
}

void Session::submitChat(const Call& call,
                         const protocol::ChatRequest& request,
                         const Prompt& prompt,
                         const Json& started,
                         double receivedAt) {
    if (const Status fine = chats_.check(request); !fine)
        return reply(call, fine.error());
    if (!team_.serving())
        return reply(call, Error{ErrorCode::InvalidArgument, "the model is not loaded any more"});
    const auto tokens = static_cast<std::int64_t>(prompt.ids.size());
    if (tokens >= chosen_.maxContext) {
        return reply(
            call, Error{ErrorCode::InvalidArgument,
                        fmt::format("the prompt has {} tokens and the context of this job {}, with "
                                    "the answer in it: shorten the prompt or plan with a larger "
                                    "max_context",
                                    formatCount(tokens), formatCount(chosen_.maxContext))});
    }
    const std::string& probe = board_.stage(stage::kProbe).state;
    if (probe != "running" && probe != "passed")
        board_.beginStage(stage::kProbe);
    reply(call, started);
    chats_.start(request, prompt, language_, receivedAt);
}

// Only shows the prompt; needs no ranks.
Session::Answer Session::renderChat(const Call& call) {
    FL_TRY(const auto request, protocol::decode<protocol::ChatRequest>(call.params));
    if (!language_)
        return Error{ErrorCode::InvalidArgument, "no checkpoint is open"};
    later(call, [request, language = language_, cancel = leaving_.token()]() -> Result<Json> {
        FL_TRY(const Prompt prompt, language->promptFor(request, cancel));
        return protocol::encode(language->started(request.request, prompt));
    });
    return std::optional<Json>();
}

Session::Answer Session::cancelChat(const Call& call) {
    FL_TRY(const auto request, protocol::decode<protocol::ChatCancel>(call.params));
    if (const auto waits = preparing_.find(request.request); waits != preparing_.end()) {
        waits->second.cancel.cancel();
        reply(waits->second.call, Error{ErrorCode::Cancelled, "cancelled"});
        preparing_.erase(waits);
    }
    chats_.cancel(request.request);
    return std::optional(Json::object());
}

// Bars by the arithmetic asked for; only where that rounds may routers decide otherwise.
JudgeRules Session::judgeRules() const {
    JudgeRules rules;
    const bool exact = chosen_.compute == "f32";
    rules.tolerance = exact ? 1e-4 : 2e-2;
    rules.sliceOf = [placement = placement_](int rank) { return sliceText(placement->plan, rank); };
    for (const graph::Node& node : inspection_->model.graph.nodes) {
        // experts, k, normalise: others choose by more than the logits.
        const bool plain = node.attributes.size() == 3 && node.weights.empty();
        if (!exact && node.op == "router_topk" && plain)
            rules.chosen[node.layer] = static_cast<int>(node.integer("k"));
    }
    return rules;
}

Session::Answer Session::validate(const Call& call) {
    FL_TRY(const auto request, protocol::decode<protocol::ValidateRequest>(call.params));
    if (!team_.serving())
        return Error{ErrorCode::InvalidArgument,
                     "no model is loaded: bring one up to 'load' first"};
    if (validating_)
        return Error{ErrorCode::InvalidArgument, "a validation runs already"};
    validating_ = true;
    validationCancel_ = CancelSource();
    board_.beginStage(stage::kValidate);
    ValidationSetup setup;
    setup.language = language_;
    setup.replicas = placement_->plan.mesh.dp;
    setup.ranksPerReplica = placement_->plan.mesh.pp * placement_->plan.mesh.tp;
    setup.rules = judgeRules();
    setup.folder = place_.folder() + "/captures";
    setup.progress = [this](double fraction, const std::string& text) {
        loop_.post([this, fraction, text] {
            if (board_.running(stage::kValidate))
                board_.progress(stage::kValidate, fraction, text);
        });
    };
    workers_->submit([this, call, request, setup, cancel = validationCancel_.token()] {
        const auto result = validation_.run(request, setup, cancel);
        loop_.post([this, call, result] { endValidation(call, result); });
    });
    return std::optional<Json>();
}

void Session::endValidation(const Call& call, const Result<protocol::ValidateReply>& result) {
    validating_ = false;
    if (!result) {
        const bool cancelled = result.error().code == ErrorCode::Cancelled;
        if (!cancelled)
            board_.finding(
                fromError(result.error(), "validate-failed", std::string(stage::kValidate)));
        board_.endStage(stage::kValidate, cancelled ? "cancelled" : "failed",
                        result.error().message);
        return reply(call, result.error());
    }
    const auto failed = std::count_if(result->cases.begin(), result->cases.end(),
                                      [](const auto& one) { return one.verdict == "fail"; });
    for (const protocol::CaseResult& one : result->cases) {
        if (one.verdict == "fail")
            board_.finding(divergenceFinding(one));
    }
    board_.endStage(stage::kValidate, failed == 0 ? "passed" : "failed",
                    fmt::format("{} of {} cases agree",
                                static_cast<std::ptrdiff_t>(result->cases.size()) - failed,
                                result->cases.size()));
    reply(call, protocol::encode(*result));
}

}  // namespace fl::service
