// SPDX-License-Identifier: Apache-2.0
// What clients may ask of a session about plans: what-if, search, the placement map, plans kept by
// name. Nothing here but commitPlan() touches what is in force.
#include <algorithm>
#include <utility>

#include <fmt/core.h>

#include "engine/base/paths.h"
#include "engine/protocol/names.h"
#include "engine/service/clock.h"
#include "engine/service/reports.h"
#include "engine/service/saved_plans.h"
#include "engine/service/session.h"

namespace fl::service {

namespace {

Error noPlan() {
    return {ErrorCode::InvalidArgument, "there is no plan in force"};
}

Error violated(const plan::Plan& plan) {
    std::string out;
    for (const Finding& finding : plan.findings) {
        if (finding.severity == Severity::Error)
            out += (out.empty() ? "" : "; ") + finding.message;
    }
    return {ErrorCode::InvalidArgument, out};
}

SavedPlans savedPlans() {
    return SavedPlans(stateDir() + "/plans");
}

Status checkRank(const plan::Plan& plan, int rank) {
    const int ranks = plan.mesh.ranks();
    if (rank >= 0 && rank < ranks)
        return Done{};
    return Error{ErrorCode::InvalidArgument,
                 fmt::format("rank {} is not one of 0 … {}", rank, ranks - 1)};
}

}  // namespace

// An empty checkpoint is the open job's.
Result<Session::WhatIf> Session::aboutOpen(protocol::JobSettings settings) const {
    const protocol::JobSettings& open = board_.state().settings;
    if (settings.checkpoint.empty()) {
        settings.checkpoint = open.checkpoint;
        settings.recipe = open.recipe;
    }
    if (settings.checkpoint.empty())
        return Error{ErrorCode::InvalidArgument, "no checkpoint is open: open a job first"};
    const bool same =
        inspection_ && settings.checkpoint == open.checkpoint && settings.recipe == open.recipe;
    return WhatIf{std::move(settings), same ? inspection_ : nullptr};
}

// With what is in force for everything that is left open.
Result<Session::WhatIf> Session::whatIf(protocol::JobSettings settings) const {
    FL_TRY(WhatIf out, aboutOpen(std::move(settings)));
    if (out.inspection && placement_ && out.settings.cluster == chosen_.cluster)
        out.settings = completed(std::move(out.settings), chosen_);
    return out;
}

// The plan in force, or the one that the request describes.
template <class Request, class Work>
Session::Answer Session::aboutPlan(const Call& call, const Request& request, Work work) {
    if (!request.proposed) {
        if (!placement_ || hasErrors(placement_->plan.findings))
            return noPlan();
        later(call, [work, inspection = inspection_, placement = placement_] {
            return work(*inspection, placement->plan);
        });
        return std::optional<Json>();
    }
    FL_TRY(const WhatIf asked, whatIf(request.settings));
    later(call, [this, work, asked, cancel = leaving_.token()]() -> Result<Json> {
        FL_TRY(const auto drawn, desk_.draw(asked.settings, asked.inspection, cancel));
        const plan::Plan& plan = drawn.placement->plan;
        if (plan.ranks.empty())
            return violated(plan);
        return work(*drawn.inspection, plan);
    });
    return std::optional<Json>();
}

Session::Answer Session::planOther(const Call& call) {
    FL_TRY(const auto request, protocol::decode<protocol::PlanRequest>(call.params));
    FL_TRY(const WhatIf asked, aboutOpen(request.settings));
    later(call, [this, asked, cancel = leaving_.token()]() -> Result<Json> {
        FL_TRY(const auto drawn, desk_.draw(asked.settings, asked.inspection, cancel));
        FL_TRY(const auto info, planReport(*drawn.inspection, *drawn.placement, cancel));
        return protocol::encode(info);
    });
    return std::optional<Json>();
}

Session::Answer Session::proposePlan(const Call& call) {
    FL_TRY(const auto request, protocol::decode<protocol::PlanRequest>(call.params));
    FL_TRY(const WhatIf asked, whatIf(request.settings));
    later(call, [this, asked, cancel = leaving_.token()]() -> Result<Json> {
        FL_TRY(const auto drawn, desk_.draw(asked.settings, asked.inspection, cancel));
        FL_TRY(const auto info, proposalReport(*drawn.inspection, *drawn.placement, cancel));
        return protocol::encode(info);
    });
    return std::optional<Json>();
}

Session::Answer Session::commitPlan(const Call& call) {
    FL_TRY(const auto request, protocol::decode<protocol::PlanRequest>(call.params));
    FL_TRY(const WhatIf asked, whatIf(request.settings));
    if (!asked.inspection || hasErrors(asked.inspection->findings))
        return Error{ErrorCode::InvalidArgument,
                     "a plan can be committed for the checkpoint that is open and inspected"};
    workers_->submit([this, call, asked, cancel = leaving_.token()] {
        const auto drawn = desk_.draw(asked.settings, asked.inspection, cancel);
        loop_.post([this, call, asked, drawn] {
            if (!drawn)
                return reply(call, drawn.error());
            if (hasErrors(drawn->placement->plan.findings))
                return reply(call, violated(drawn->placement->plan));
            if (inspection_ != asked.inspection)
                return reply(call, Error{ErrorCode::Cancelled, "another job was opened meanwhile"});
            auto run = std::make_shared<Run>();
            run->settings = asked.settings;
            run->from = run->until = stage::kPlanIndex;
            run->inspection = inspection_;
            run->language = language_;
            board_.settings(asked.settings);
            begin(std::move(run));
            const auto info = proposalReport(*drawn->inspection, *drawn->placement);
            reply(call, info ? Result<Json>(protocol::encode(*info)) : info.error());
        });
    });
    return std::optional<Json>();
}

Session::Answer Session::searchPlans(const Call& call) {
    FL_TRY(const auto request, protocol::decode<protocol::SearchRequest>(call.params));
    FL_TRY(const WhatIf asked, aboutOpen(request.settings));
    Search& search = searches_[call.client];
    search.cancel.cancel();
    search = {request.search, CancelSource()};
    const SearchWork work{request, asked, search.cancel.token()};
    later(call, [this, work] { return runSearch(work); });
    return std::optional<Json>();
}

Result<Json> Session::runSearch(const SearchWork& work) {
    FL_TRY(const auto found,
           desk_.search(work.asked.settings, work.asked.inspection,
                        {static_cast<std::size_t>(std::max(1, work.request.limit)), work.cancel,
                         [&](const plan::SearchState& state) {
                             auto progress = searchReport(state);
                             progress.search = work.request.search;
                             loop_.post([this, progress] {
                                 server_->publish(protocol::event::kPlanSearching,
                                                  protocol::encode(progress), Weight::Sample);
                             });
                         }}));
    auto answer = searchReport(found);
    answer.search = work.request.search;
    return protocol::encode(answer);
}

Session::Answer Session::cancelSearch(const Call& call) {
    FL_TRY(const auto request, protocol::decode<protocol::SearchCancel>(call.params));
    const auto found = searches_.find(call.client);
    if (found != searches_.end() && found->second.name == request.search)
        found->second.cancel.cancel();
    return std::optional(Json::object());
}

Session::Answer Session::listCells(const Call& call) {
    FL_TRY(const auto request, protocol::decode<protocol::CellsRequest>(call.params));
    return aboutPlan(
        call, request,
        [by = request.by](const Inspection& inspection, const plan::Plan& plan) -> Result<Json> {
            FL_TRY(const auto cells, cellsReport(inspection, plan, by));
            return protocol::encode(cells);
        });
}

Session::Answer Session::openCell(const Call& call) {
    FL_TRY(const auto request, protocol::decode<protocol::CellRequest>(call.params));
    return aboutPlan(
        call, request,
        [request](const Inspection& inspection, const plan::Plan& plan) -> Result<Json> {
            FL_DO(checkRank(plan, request.rank));
            return protocol::encode(
                cellReport(inspection, plan, request.rank, request.row, request.kind));
        });
}

Session::Answer Session::listSlices(const Call& call) {
    FL_TRY(const auto request, protocol::decode<protocol::SlicesRequest>(call.params));
    if (!placement_ || hasErrors(placement_->plan.findings))
        return noPlan();
    FL_DO(checkRank(placement_->plan, request.rank));
    later(
        call,
        [inspection = inspection_, placement = placement_, rank = request.rank]() -> Result<Json> {
            return protocol::encode(slicesReport(*inspection, placement->plan, rank));
        });
    return std::optional<Json>();
}

Session::Answer Session::savePlan(const Call& call) {
    FL_TRY(const auto request, protocol::decode<protocol::SavePlanRequest>(call.params));
    FL_TRY(const WhatIf asked, whatIf(request.settings));
    later(call, [this, asked, name = request.name, cancel = leaving_.token()]() -> Result<Json> {
        FL_TRY(const auto drawn, desk_.draw(asked.settings, asked.inspection, cancel));
        FL_TRY(const auto info, proposalReport(*drawn.inspection, *drawn.placement, cancel));
        FL_TRY(const auto saved, savedPlans().save(name, info, asked.settings));
        return protocol::encode(saved);
    });
    return std::optional<Json>();
}

Session::Answer Session::listSavedPlans(const Call& call) {
    later(call, []() -> Result<Json> {
        FL_TRY(const auto plans, savedPlans().list());
        return protocol::encode(plans);
    });
    return std::optional<Json>();
}

Session::Answer Session::forgetPlan(const Call& call) {
    FL_TRY(const auto request, protocol::decode<protocol::ForgetPlanRequest>(call.params));
    FL_DO(savedPlans().forget(request.name));
    return std::optional(Json::object());
}

}  // namespace fl::service
