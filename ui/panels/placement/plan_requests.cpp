// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/placement/plan_requests.h"

#include <utility>

#include <QCoreApplication>

#include "ui/client/engine_client.h"
#include "ui/models/models.h"
#include "ui/models/text.h"

namespace fl::panels {

namespace method = protocol::method;
using models::qt;

PlanRequests::PlanRequests(client::EngineClient& client, models::Models& models, QObject* parent)
    : QObject(parent),
      client_(client),
      models_(models) {
    connect(&client_, &client::EngineClient::planSearching, this, &PlanRequests::takeSearch);
    connect(&client_, &client::EngineClient::disconnected, this, [this] { search_.clear(); });
}

void PlanRequests::propose(const protocol::JobSettings& settings) {
    wanted_ = settings;
    if (!asking_)
        send();
}

void PlanRequests::forgetProposal() {
    wanted_.reset();
    ++proposals_;
}

void PlanRequests::send() {
    const protocol::JobSettings settings = *std::exchange(wanted_, std::nullopt);
    if (!client_.isConnected()) {
        emit refused(tr("A plan can be tried only while an engine is connected."));
        return;
    }
    asking_ = true;
    const int number = proposals_;
    const auto next = [this] {
        asking_ = false;
        if (wanted_)
            send();
    };
    client_.send(method::kPlanPropose, protocol::PlanRequest{settings})
        ->then<protocol::PlanInfo>(
            this,
            [this, number, settings, next](const protocol::PlanInfo& plan) {
                // What was asked meanwhile makes this answer old, but it is better than none.
                if (number == proposals_)
                    takeProposal(settings, plan);
                next();
            },
            [this, number, next](const fl::Error& error) {
                if (number == proposals_ && !wanted_)
                    emit refused(qt(error.message));
                next();
            });
}

void PlanRequests::takeProposal(const protocol::JobSettings& settings,
                                const protocol::PlanInfo& plan) {
    proposed_ = settings;
    models_.plan.propose(plan);
    if (!plan.ranks.empty() && !fl::hasErrors(plan.violations) && !wanted_)
        askCells(true, settings);
}

void PlanRequests::askCells() {
    if (client_.isConnected())
        askCells(false, {});
}

void PlanRequests::askCells(bool ofProposal, const protocol::JobSettings& settings) {
    const int number = proposals_;
    const protocol::CellsRequest request{ofProposal, settings, "layer"};
    client_.send(method::kPlanCells, request)
        ->then<protocol::PlanCells>(
            this,
            [this, ofProposal, number](const protocol::PlanCells& columns) {
                auto cells = models::placementCells(columns);
                if (!cells)
                    emit failed(qt(cells.error().message));
                else if (!ofProposal)
                    models_.plan.applyCells(std::move(*cells));
                else if (number == proposals_)
                    models_.plan.applyProposalCells(std::move(*cells));
            },
            [](const fl::Error&) {});
}

void PlanRequests::askCell(bool ofProposal, int rank, int row) {
    protocol::CellRequest request;
    request.proposed = ofProposal;
    if (ofProposal)
        request.settings = proposed_;
    request.rank = rank;
    request.row = row;
    const int number = ++cells_;
    client_.send(method::kPlanCell, request)
        ->then<protocol::SlicesReply>(
            this,
            [this, number, rank, row](const protocol::SlicesReply& reply) {
                if (number == cells_)
                    emit cellKnown(rank, row, reply.slices);
            },
            [this, number](const fl::Error& error) {
                if (number == cells_)
                    emit failed(tr("What the cell holds is not known: %1").arg(qt(error.message)));
            });
}

void PlanRequests::commit(const protocol::JobSettings& settings) {
    client_.send(method::kPlanCommit, protocol::PlanRequest{settings})
        ->then<protocol::PlanInfo>(
            this, [this](const protocol::PlanInfo& plan) { emit committed(plan); },
            [this](const fl::Error& error) {
                emit failed(tr("The plan was not taken: %1").arg(qt(error.message)));
            });
}

void PlanRequests::search(protocol::JobSettings settings) {
    if (!client_.isConnected()) {
        emit failed(tr("Plans can be searched only while an engine is connected."));
        return;
    }
    settings.tp = settings.pp = settings.ep = settings.dp = 0;
    settings.stageLayers.clear();
    settings.order.clear();
    protocol::SearchRequest request;
    request.settings = std::move(settings);
    // Events reach all windows of a job: each knows its own search by its name.
    request.search = QStringLiteral("window-%1-%2")
                         .arg(QCoreApplication::applicationPid())
                         .arg(++searches_)
                         .toStdString();
    search_ = request.search;
    protocol::SearchProgress begun;
    begun.search = search_;
    models_.plan.applySearch(begun);
    client_.send(method::kPlanSearch, request)
        ->then<protocol::SearchProgress>(
            this, [this](const protocol::SearchProgress& found) { takeSearch(found); },
            [this, name = search_](const fl::Error& error) {
                if (name != search_)
                    return;
                search_.clear();
                models_.plan.forgetSearch();
                emit failed(tr("The search ended: %1").arg(qt(error.message)));
            });
}

// What is known of a search that goes on is replaced; another plan in force makes it worthless.
void PlanRequests::takeSearch(const protocol::SearchProgress& progress) {
    if (search_.empty() || progress.search != search_)
        return;
    const bool wanted = models_.plan.search() != nullptr;
    if (wanted)
        models_.plan.applySearch(progress);
    else
        cancelSearch();
    if (!wanted || progress.done)
        search_.clear();
}

// The answer, with what was found so far, comes at once.
void PlanRequests::cancelSearch() {
    if (!search_.empty())
        client_.send(method::kPlanSearchCancel, protocol::SearchCancel{search_});
}

void PlanRequests::listSaved() {
    client_.request(method::kPlanSaved)
        ->then<protocol::SavedPlans>(
            this, [this](const protocol::SavedPlans& plans) { models_.savedPlans.apply(plans); },
            [this](const fl::Error& error) {
                emit failed(tr("Saved plans cannot be read: %1").arg(qt(error.message)));
            });
}

void PlanRequests::save(const QString& name, const protocol::JobSettings& settings) {
    client_.send(method::kPlanSave, protocol::SavePlanRequest{name.toStdString(), settings})
        ->then<protocol::SavedPlan>(
            this, [this](const protocol::SavedPlan& plan) { models_.savedPlans.add(plan); },
            [this](const fl::Error& error) {
                emit failed(tr("The plan was not saved: %1").arg(qt(error.message)));
            });
}

void PlanRequests::forget(const QString& name) {
    client::Reply* reply =
        client_.send(method::kPlanForget, protocol::ForgetPlanRequest{name.toStdString()});
    connect(reply, &client::Reply::finished, this, [this] { listSaved(); });
    connect(reply, &client::Reply::failed, this, [this](const fl::Error& error) {
        emit failed(tr("The plan is still kept: %1").arg(qt(error.message)));
    });
}

void PlanRequests::look(const QString& name, const protocol::JobSettings& settings) {
    client_.send(method::kPlanPropose, protocol::PlanRequest{settings})
        ->then<protocol::PlanInfo>(
            this, [this, name](const protocol::PlanInfo& plan) { emit looked(name, plan); },
            [this, name](const fl::Error& error) {
                emit failed(tr("%1 cannot be compared: %2").arg(name, qt(error.message)));
            });
}

}  // namespace fl::panels
