// SPDX-License-Identifier: GPL-3.0-or-later
// Frames over a local socket, one signal per event.
#include "ui/client/engine_client.h"

#include <string>
#include <utility>

#include <QCoreApplication>
#include <QElapsedTimer>
#include <QLocalSocket>

namespace fl::client {

namespace {

namespace event = protocol::event;

// After a pause a backlog may be megabytes; in between the window draws and listens to its user.
constexpr int kSliceMilliseconds = 10;
// More stays with the engine, which leaves samples out for slow clients.
constexpr qint64 kReadBytes = qint64{1} << 20;

fl::ErrorCode codeOf(const protocol::RpcError& error) {
    return error.code == protocol::kInvalidParams || error.code == protocol::kInvalidRequest
               ? fl::ErrorCode::InvalidArgument
               : fl::ErrorCode::Internal;
}

fl::Error refusal(int theirs) {
    return {fl::ErrorCode::Unsupported,
            "the engine speaks protocol " + std::to_string(theirs) + ", this workbench protocol " +
                std::to_string(protocol::kProtocolVersion) +
                ": use the workbench of the engine's version, or stop that engine"};
}

}  // namespace

EngineClient::EngineClient(QObject* parent) : QObject(parent) {
    qRegisterMetaType<fl::Error>();
    later_.setSingleShot(true);
    connect(&later_, &QTimer::timeout, this, [this] { takeMessages(false); });
}

EngineClient::~EngineClient() {
    if (socket_) {
        socket_->disconnect(this);
    }
}

void EngineClient::attach(const QString& socketPath) {
    detach();
    socketPath_ = socketPath;
    connection_ = Connection::Connecting;
    reader_ = std::make_unique<protocol::FrameReader>();
    socket_ = std::make_unique<QLocalSocket>();
    socket_->setReadBufferSize(kReadBytes);
    connect(socket_.get(), &QLocalSocket::connected, this, &EngineClient::sayHello);
    connect(socket_.get(), &QLocalSocket::readyRead, this, &EngineClient::read);
    connect(socket_.get(), &QLocalSocket::disconnected, this, [this] {
        takeMessages(true);
        end({fl::ErrorCode::Io, "the engine closed the connection"});
    });
    connect(socket_.get(), &QLocalSocket::errorOccurred, this, [this] {
        const std::string why = socket_->errorString().toStdString();
        takeMessages(true);
        end({fl::ErrorCode::Io, socketPath_.toStdString() + ": " + why});
    });
    socket_->connectToServer(socketPath);
}

void EngineClient::detach() {
    if (!socket_) {
        return;
    }
    later_.stop();
    socket_->disconnect(this);
    socket_->abort();
    // The socket may be the one whose signal we are in.
    socket_.release()->deleteLater();
    connection_ = Connection::None;
    const auto waiting = std::exchange(pending_, {});
    for (Reply* reply : waiting) {
        Q_EMIT reply->failed({fl::ErrorCode::Io, "the connection to the engine is closed"});
        reply->deleteLater();
    }
}

void EngineClient::end(const fl::Error& error) {
    if (!socket_) {
        return;
    }
    const bool was = isConnected();
    detach();
    if (was) {
        Q_EMIT disconnected(error);
    } else {
        Q_EMIT refused(error);
    }
}

Reply* EngineClient::request(std::string_view method, const fl::Json& params) {
    auto* reply = new Reply(this);
    if (!socket_ || socket_->state() != QLocalSocket::ConnectedState) {
        QTimer::singleShot(0, reply, [reply] {
            Q_EMIT reply->failed({fl::ErrorCode::Io, "no engine is connected"});
            reply->deleteLater();
        });
        return reply;
    }
    const qint64 id = nextId_++;
    pending_.insert(id, reply);
    const std::string bytes = protocol::frameRequest(id, method, params);
    socket_->write(bytes.data(), qint64(bytes.size()));
    return reply;
}

void EngineClient::sayHello() {
    protocol::Hello hello;
    hello.version = QCoreApplication::applicationVersion().toStdString();
    hello.client = "workbench";
    Reply* reply = send(protocol::method::kHello, hello);
    connect(reply, &Reply::finished, this, &EngineClient::welcome);
    connect(reply, &Reply::failed, this, &EngineClient::end);
}

void EngineClient::welcome(const fl::Json& result) {
    const std::int64_t theirs = result["protocol"].integer(-1);
    if (theirs != protocol::kProtocolVersion) {
        end(refusal(int(theirs)));
        return;
    }
    auto snapshot = protocol::decode<protocol::Snapshot>(result);
    if (!snapshot) {
        end(snapshot.error());
        return;
    }
    snapshot_ = *std::move(snapshot);
    connection_ = Connection::Connected;
    Q_EMIT connected(snapshot_);
}

void EngineClient::read() {
    if (!later_.isActive()) {
        takeMessages(false);
    }
}

void EngineClient::takeMessages(bool all) {
    QElapsedTimer clock;
    clock.start();
    // A slot may detach: look at socket_ again after each message.
    while (socket_) {
        if (!all && clock.elapsed() >= kSliceMilliseconds) {
            later_.start(0);
            return;
        }
        auto body = reader_->next();
        if (!body) {
            end(body.error());
            return;
        }
        if (!body->has_value()) {
            const QByteArray bytes = socket_->readAll();
            if (bytes.isEmpty()) {
                return;
            }
            reader_->append({bytes.data(), std::size_t(bytes.size())});
            continue;
        }
        auto message = protocol::parseRpc(**body);
        if (!message) {
            end(message.error());
            return;
        }
        take(*message);
    }
}

void EngineClient::take(const protocol::RpcMessage& message) {
    using Kind = protocol::RpcMessage::Kind;
    if (message.kind == Kind::Notification) {
        if (message.method == event::kEvents) {
            takeEvents(message.params);
        }
        return;
    }
    Reply* reply = pending_.take(message.id.integer());
    if (!reply) {
        return;
    }
    if (message.kind == Kind::Reply) {
        Q_EMIT reply->finished(message.result);
    } else {
        Q_EMIT reply->failed({codeOf(message.error), message.error.message});
    }
    reply->deleteLater();
}

void EngineClient::takeEvents(const fl::Json& params) {
    for (const fl::Json& item : params["list"].items()) {
        if (!socket_) {
            return;
        }
        takeEvent(item["event"].string(), item["data"]);
    }
}

template <class T>
void EngineClient::emitDecoded(void (EngineClient::*signal)(const T&), const fl::Json& data) {
    auto value = protocol::decode<T>(data);
    if (!value) {
        end(value.error());
        return;
    }
    Q_EMIT(this->*signal)(*value);
}

template <auto kSignal>
void EngineClient::emitAs(EngineClient& self, const fl::Json& data) {
    self.emitDecoded(kSignal, data);
}

void EngineClient::takeEvent(const std::string& name, const fl::Json& data) {
    using Client = EngineClient;
    using Emit = void (*)(Client&, const fl::Json&);
    static const std::pair<std::string_view, Emit> kEntries[] = {
        {event::kJobChanged, &Client::emitAs<&Client::jobChanged>},
        {event::kSettingsChanged, &Client::emitAs<&Client::settingsChanged>},
        {event::kStageChanged, &Client::emitAs<&Client::stageChanged>},
        {event::kCensusChanged, &Client::emitAs<&Client::censusChanged>},
        {event::kTopologyChanged, &Client::emitAs<&Client::topologyChanged>},
        {event::kPlanChanged, &Client::emitAs<&Client::planChanged>},
        {event::kPlanSearching, &Client::emitAs<&Client::planSearching>},
        {event::kRankChanged, &Client::emitAs<&Client::rankChanged>},
        {event::kRankLost, &Client::emitAs<&Client::rankLost>},
        {event::kFindingAdded, &Client::emitAs<&Client::findingAdded>},
        {event::kChatStarted, &Client::emitAs<&Client::chatStarted>},
        {event::kChatDelta, &Client::emitAs<&Client::chatDelta>},
        {event::kChatDone, &Client::emitAs<&Client::chatDone>},
        {event::kLogLine, &Client::emitAs<&Client::logLine>},
        {event::kLoadProgress, &Client::emitAs<&Client::loadProgress>},
        {event::kMemorySample, &Client::emitAs<&Client::memorySampled>},
        {event::kStepSample, &Client::emitAs<&Client::stepSampled>},
        {event::kSamplesDropped, &Client::emitAs<&Client::samplesDropped>},
    };
    for (const auto& [key, emitEvent] : kEntries) {
        if (key == name) {
            emitEvent(*this, data);
            return;
        }
    }
}

}  // namespace fl::client
