// SPDX-License-Identifier: GPL-3.0-or-later
// An engine that only speaks: serves one client on a local socket from inside the test.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include <QLocalServer>
#include <QLocalSocket>
#include <QTemporaryDir>

#include "engine/protocol/codec.h"
#include "engine/protocol/framing.h"
#include "engine/protocol/messages.h"
#include "engine/protocol/names.h"
#include "engine/protocol/rpc.h"

namespace fl::test {

class FakeEngine : public QObject {
public:
    FakeEngine() {
        server_.listen(folder_.filePath("fake.sock"));
        connect(&server_, &QLocalServer::newConnection, this, [this] {
            socket_ = server_.nextPendingConnection();
            connect(socket_, &QLocalSocket::readyRead, this, &FakeEngine::read);
        });
    }

    QString path() const { return server_.fullServerName(); }
    QLocalSocket* socket() const { return socket_; }

    protocol::Snapshot snapshot;  // answered to hello
    // Answers every other request; by default with null.
    std::function<Json(const protocol::RpcMessage&)> answer;
    std::vector<protocol::RpcMessage> requests;

    void send(const std::string& bytes) {
        socket_->write(bytes.data(), qint64(bytes.size()));
        socket_->flush();
    }
    template <class T>
    void sendEvent(std::string_view name, const T& data) {
        protocol::EventList events;
        events.list.push_back({std::string(name), protocol::encode(data)});
        send(protocol::frameNotification(protocol::event::kEvents, protocol::encode(events)));
    }

private:
    void read() {
        const QByteArray bytes = socket_->readAll();
        reader_.append({bytes.data(), std::size_t(bytes.size())});
        for (auto body = reader_.next(); body && body->has_value(); body = reader_.next()) {
            auto message = protocol::parseRpc(**body);
            if (!message)
                return;
            requests.push_back(*message);
            const bool hello = message->method == protocol::method::kHello;
            send(protocol::frameReply(message->id, hello    ? protocol::encode(snapshot)
                                                   : answer ? answer(*message)
                                                            : Json()));
        }
    }

    QTemporaryDir folder_;
    QLocalServer server_;
    QLocalSocket* socket_ = nullptr;
    protocol::FrameReader reader_;
};

}  // namespace fl::test
