// SPDX-License-Identifier: Apache-2.0
// The engine's door: clients on the Unix socket, their requests in, replies and facts out. Only
// processes of the same user come in.
//
// Events are batched at 20 Hz. A client that reads too slowly first loses samples, and is told how
// many; facts wait for it. A client that does not read at all is let go when what waits for it
// passes a hard cap.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "engine/base/json.h"
#include "engine/base/result.h"
#include "engine/protocol/rpc.h"
#include "engine/service/connection.h"
#include "engine/service/event_loop.h"

namespace fl::service {

using ClientId = std::int64_t;

enum class Weight : std::uint8_t {
    Sample,  // one of many; may be lost
    Fact,    // never lost
};

class SocketServer {
public:
    struct Limits {
        double batchSeconds = 0.05;
        std::size_t unsentBytes = std::size_t{1} << 20;    // above it a client counts as slow
        std::size_t waitingSamples = 2000;                 // of a slow client
        std::size_t waitingBytes = std::size_t{64} << 20;  // then it is let go
    };
    struct Handlers {
        std::function<void(ClientId client, const protocol::RpcMessage& request)> request;
        std::function<void(ClientId client)> left;
    };

    static Result<std::unique_ptr<SocketServer>> listen(EventLoop& loop,
                                                        const std::string& path,
                                                        Handlers handlers,
                                                        const Limits& limits);
    ~SocketServer();
    SocketServer(const SocketServer&) = delete;
    SocketServer& operator=(const SocketServer&) = delete;

    // Facts published before it come before the reply.
    void reply(ClientId client, const Json& id, Json result);
    void fail(ClientId client, const Json& id, const protocol::RpcError& error);
    // From now on this client gets events.
    void subscribe(ClientId client);
    void publish(std::string_view event, const Json& data, Weight weight);
    // Closes once everything was sent.
    void dismiss(ClientId client);
    std::size_t clients() const { return clients_.size(); }
    // Sends what waits in all queues, as far as the sockets take it.
    void flush();

private:
    struct Client;
    SocketServer(EventLoop& loop, UniqueFd socket, Handlers handlers, const Limits& limits);
    void acceptAll();
    void receive(ClientId id, const std::string& body);
    void sendEvents(Client& client, bool evenIfSlow);
    void enqueue(Client& client, const std::shared_ptr<const std::string>& text, Weight weight);
    void dropSamples(Client& client);
    void letGoIfDeaf(ClientId id);
    void remove(ClientId id);
    void schedule();
    void tick();

    EventLoop& loop_;
    UniqueFd socket_;
    Handlers handlers_;
    Limits limits_;
    std::string path_;
    std::map<ClientId, std::unique_ptr<Client>> clients_;
    ClientId lastClient_ = 0;
    EventLoop::TimerId timer_ = 0;
};

}  // namespace fl::service
