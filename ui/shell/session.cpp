// SPDX-License-Identifier: GPL-3.0-or-later
// Engine and job commands.
#include "ui/shell/session.h"

#include <utility>

#include "ui/client/engine_client.h"
#include "ui/models/models.h"

namespace fl::shell {

namespace method = protocol::method;

Session::Session(client::EngineClient& client,
                 models::Models& models,
                 QString program,
                 QObject* parent)
    : QObject(parent),
      client_(client),
      models_(models),
      process_(std::move(program)) {
    connect(&process_, &client::EngineProcess::ready, this,
            [this](const QString&, const QString& socket) { client_.attach(socket); });
    connect(&process_, &client::EngineProcess::failed, this, [this](const fl::Error& error) {
        starting_ = false;
        waiting_.reset();
        Q_EMIT failed(error);
        Q_EMIT changed();
    });
    connect(&client, &client::EngineClient::connected, this, [this] {
        starting_ = false;
        leaving_ = false;
        sendOpen();
        Q_EMIT changed();
    });
    connect(&client, &client::EngineClient::refused, this, [this](const fl::Error& error) {
        starting_ = false;
        waiting_.reset();
        Q_EMIT failed(error);
        Q_EMIT changed();
    });
    connect(&client, &client::EngineClient::disconnected, this, [this](const fl::Error& error) {
        opening_ = false;
        // Told to leave, it may close the door before it answers.
        if (!leaving_) {
            Q_EMIT failed({error.code, "the engine is gone: " + error.message});
        }
        Q_EMIT changed();
    });
}

void Session::open(protocol::JobSettings settings, const QString& until) {
    if (settings.job.empty()) {
        settings.job =
            client::jobNameFor(QString::fromStdString(settings.checkpoint)).toStdString();
    }
    const QString job = QString::fromStdString(settings.job);
    waiting_ = protocol::OpenRequest{std::move(settings), until.toStdString()};
    if (client_.isConnected() && client_.socketPath().endsWith(job + QStringLiteral(".sock"))) {
        sendOpen();
        return;
    }
    client_.detach();
    models_.reset();
    models_.settings = waiting_->settings;
    starting_ = true;
    Q_EMIT changed();
    process_.start(job);
}

void Session::attach(const QString& socketPath) {
    waiting_.reset();
    opening_ = false;
    starting_ = true;
    models_.reset();
    client_.attach(socketPath);
    Q_EMIT changed();
}

void Session::sendOpen() {
    if (waiting_) {
        // Until the engine tells what it has opened, its job is still empty.
        opening_ = true;
        request(method::kJobOpen, protocol::encode(*std::exchange(waiting_, std::nullopt)));
    }
}

void Session::request(std::string_view name, const fl::Json& params) {
    client::Reply* reply = client_.request(name, params);
    connect(reply, &client::Reply::failed, this, [this](const fl::Error& error) {
        opening_ = false;
        if (!leaving_) {
            Q_EMIT failed(error);
        }
    });
}

void Session::launch() {
    if (!client_.isConnected()) {
        // The engine went with its socket: start it again with what we know.
        open(models_.settings, QStringLiteral("load"));
        return;
    }
    request(method::kStageRun, protocol::encode(protocol::StageRequest{"load"}));
}

void Session::stop() {
    request(method::kJobStop);
}

void Session::cancel(const QString& stage) {
    request(method::kStageCancel, protocol::encode(protocol::StageRequest{stage.toStdString()}));
}

void Session::detach() {
    opening_ = false;
    client_.detach();
    models_.reset();
    models_.settings = {};
    Q_EMIT changed();
}

void Session::shutDown() {
    leaving_ = true;
    request(method::kShutdown);
}

bool Session::isOpen() const {
    return starting_ || opening_ || !models_.settings.checkpoint.empty();
}

bool Session::hasRanks() const {
    for (int row = 0; row < models_.ranks.rowCount(); ++row) {
        const auto* state = models_.ranks.state(row);
        if (state && state->phase != "stopped" && state->phase != "lost") {
            return client_.isConnected();
        }
    }
    return false;
}

}  // namespace fl::shell
