// SPDX-License-Identifier: GPL-3.0-or-later
// The one job the window works on: which engine it is attached to, and the commands that move it
// on. Every command returns at once; what comes of it arrives as events, or as failed().
#pragma once

#include <optional>
#include <string_view>

#include <QObject>

#include "engine/base/json.h"
#include "engine/base/result.h"
#include "engine/protocol/messages.h"
#include "ui/client/engine_process.h"

namespace fl::client {
class EngineClient;
}
namespace fl::models {
struct Models;
}

namespace fl::shell {

class Session : public QObject {
    Q_OBJECT

public:
    // `program`: the engine to start, firstlightd beside the workbench if empty.
    Session(client::EngineClient& client, models::Models& models, QString program, QObject* parent);

    // Starts an engine for the job if none runs, attaches, opens the checkpoint and runs the stages
    // up to `until`. An empty job name is made from the checkpoint's.
    void open(protocol::JobSettings settings, const QString& until);
    void attach(const QString& socketPath);
    void launch();  // the stages up to Load, with the settings of the open job
    void stop();    // ends the ranks
    void cancel(const QString& stage);
    void detach();    // leaves the engine running
    void shutDown();  // ends ranks and engine

    bool isOpen() const;  // a checkpoint is open, or being opened
    bool isStarting() const { return starting_; }
    bool hasRanks() const;  // processes that a stop would end

Q_SIGNALS:
    void failed(const fl::Error& error);
    void changed();

private:
    void sendOpen();
    void request(std::string_view method, const fl::Json& params = {});

    client::EngineClient& client_;
    models::Models& models_;
    client::EngineProcess process_;
    std::optional<protocol::OpenRequest> waiting_;  // to be sent when we are attached
    bool starting_ = false;
    bool opening_ = false;
    bool leaving_ = false;
};

}  // namespace fl::shell
