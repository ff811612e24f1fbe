// SPDX-License-Identifier: GPL-3.0-or-later
// What the placement panel asks of the engine. Nothing waits: sliders ask as often as they move,
// one question is on its way at a time, and the last one asked meanwhile follows it.
#pragma once

#include <optional>
#include <string>

#include <QObject>
#include <QString>

#include "engine/protocol/messages.h"

namespace fl::client {
class EngineClient;
}
namespace fl::models {
struct Models;
}

namespace fl::panels {

class PlanRequests : public QObject {
    Q_OBJECT

public:
    PlanRequests(client::EngineClient& client, models::Models& models, QObject* parent);

    // The answer goes into the plan model, then that plan's cells do.
    void propose(const protocol::JobSettings& settings);
    // An answer that is still on its way is not wanted any more.
    void forgetProposal();
    // The settings that the last answer was about.
    const protocol::JobSettings& proposed() const { return proposed_; }

    void askCells();  // of the plan in force
    void askCell(bool ofProposal, int rank, int row);
    void commit(const protocol::JobSettings& settings);

    // All legal plans for the context, sequences and formats of these settings; what is found goes
    // into the plan model as it comes.
    void search(protocol::JobSettings settings);
    void cancelSearch();

    void listSaved();
    void save(const QString& name, const protocol::JobSettings& settings);
    void forget(const QString& name);
    // The whole of a plan that was saved, to look at beside another.
    void look(const QString& name, const protocol::JobSettings& settings);

signals:
    void refused(const QString& reason);  // the proposal
    void failed(const QString& reason);   // anything else
    void cellKnown(int rank, int row, const std::vector<fl::protocol::SliceInfo>& slices);
    void committed(const fl::protocol::PlanInfo& plan);
    void looked(const QString& name, const fl::protocol::PlanInfo& plan);

private:
    void send();
    void takeProposal(const protocol::JobSettings& settings, const protocol::PlanInfo& plan);
    void askCells(bool ofProposal, const protocol::JobSettings& settings);
    void takeSearch(const protocol::SearchProgress& progress);

    client::EngineClient& client_;
    models::Models& models_;
    std::optional<protocol::JobSettings> wanted_;  // to be asked next
    protocol::JobSettings proposed_;
    bool asking_ = false;
    int proposals_ = 0;  // that were forgotten: older answers are dropped
    int cells_ = 0;      // questions for one cell
    int searches_ = 0;
    std::string search_;  // name of the one that runs; empty: none
};

}  // namespace fl::panels
