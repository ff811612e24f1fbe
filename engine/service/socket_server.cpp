// SPDX-License-Identifier: Apache-2.0
#include "engine/service/socket_server.h"

#include <algorithm>
#include <deque>
#include <utility>
#include <vector>

#include <fmt/core.h>
#include <poll.h>
#include <sys/socket.h>

#include "engine/base/log.h"
#include "engine/protocol/names.h"
#include "engine/service/address.h"

namespace fl::service {

namespace {

// One notification of events; a long queue goes out in several, so that a window can draw between.
constexpr std::size_t kBatchBytes = std::size_t{64} << 10;

struct Waiting {
    std::shared_ptr<const std::string> text;  // of one event, shared by all clients
    Weight weight;
};

std::string eventText(std::string_view event, const Json& data) {
    return fmt::format("{{\"event\":\"{}\",\"data\":{}}}", event, data.dump());
}

}  // namespace

struct SocketServer::Client {
    std::unique_ptr<Connection> connection;
    bool subscribed = false;
    std::deque<Waiting> waiting;
    std::size_t waitingBytes = 0;
    std::size_t waitingSamples = 0;
    std::int64_t dropped = 0;  // samples, not yet told
};

Result<std::unique_ptr<SocketServer>> SocketServer::listen(EventLoop& loop,
                                                           const std::string& path,
                                                           Handlers handlers,
                                                           const Limits& limits) {
    FL_TRY(UniqueFd socket, listenOn("unix:" + path));
    std::unique_ptr<SocketServer> server(
        new SocketServer(loop, std::move(socket), std::move(handlers), limits));
    server->path_ = path;
    return server;
}

SocketServer::SocketServer(EventLoop& loop,
                           UniqueFd socket,
                           Handlers handlers,
                           const Limits& limits)
    : loop_(loop),
      socket_(std::move(socket)),
      handlers_(std::move(handlers)),
      limits_(limits) {
    loop_.watch(socket_.get(), POLLIN, [this](short) { acceptAll(); });
}

SocketServer::~SocketServer() {
    loop_.forget(socket_.get());
    loop_.cancel(timer_);
    ::unlink(path_.c_str());
}

void SocketServer::acceptAll() {
    for (;;) {
        UniqueFd socket(::accept4(socket_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
        if (!socket)
            return;
        // The folder keeps others out already; this holds if somebody opened it up.
        if (const long uid = peerUid(socket.get()); uid != static_cast<long>(::geteuid())) {
            log::warning("service", "a process of user {} knocked and was refused", uid);
            continue;
        }
        const ClientId id = ++lastClient_;
        auto client = std::make_unique<Client>();
        client->connection = std::make_unique<Connection>(
            loop_, std::move(socket),
            Connection::Handlers{[this, id](const std::string& body) { receive(id, body); },
                                 [this, id](const std::string& reason) {
                                     if (!reason.empty())
                                         log::warning("service", "client {}: {}", id, reason);
                                     remove(id);
                                 }});
        clients_[id] = std::move(client);
    }
}

void SocketServer::receive(ClientId id, const std::string& body) {
    const auto message = protocol::parseRpc(body);
    if (!message) {
        const int code = message.error().code == ErrorCode::Corrupt ? protocol::kParseError
                                                                    : protocol::kInvalidRequest;
        return fail(id, Json(), {code, message.error().message, {}});
    }
    if (message->kind == protocol::RpcMessage::Kind::Request)
        handlers_.request(id, *message);
    else
        fail(id, Json(), {protocol::kInvalidRequest, "only requests are understood here", {}});
}

void SocketServer::remove(ClientId id) {
    const auto found = clients_.find(id);
    if (found == clients_.end())
        return;
    const auto gone = std::move(found->second);
    clients_.erase(found);
    handlers_.left(id);
}

void SocketServer::reply(ClientId client, const Json& id, Json result) {
    const auto found = clients_.find(client);
    if (found == clients_.end())
        return;
    sendEvents(*found->second, true);
    found->second->connection->send(protocol::frameReply(id, std::move(result)));
    letGoIfDeaf(client);
}

void SocketServer::fail(ClientId client, const Json& id, const protocol::RpcError& error) {
    const auto found = clients_.find(client);
    if (found == clients_.end())
        return;
    sendEvents(*found->second, true);
    found->second->connection->send(protocol::frameFailure(id, error));
    letGoIfDeaf(client);
}

void SocketServer::letGoIfDeaf(ClientId id) {
    const Client& client = *clients_[id];
    if (client.waitingBytes + client.connection->unsent() <= limits_.waitingBytes)
        return;
    log::warning("service", "client {} does not read what it is sent and is let go", id);
    remove(id);
}

void SocketServer::subscribe(ClientId client) {
    if (const auto found = clients_.find(client); found != clients_.end())
        found->second->subscribed = true;
}

void SocketServer::dismiss(ClientId client) {
    if (const auto found = clients_.find(client); found != clients_.end())
        found->second->connection->closeWhenSent();
}

void SocketServer::publish(std::string_view event, const Json& data, Weight weight) {
    std::shared_ptr<const std::string> text;
    std::vector<ClientId> touched;
    for (const auto& [id, client] : clients_) {
        if (!client->subscribed)
            continue;
        if (!text)
            text = std::make_shared<const std::string>(eventText(event, data));
        enqueue(*client, text, weight);
        touched.push_back(id);
    }
    for (const ClientId id : touched)
        letGoIfDeaf(id);
    if (text)
        schedule();
}

void SocketServer::enqueue(Client& client,
                           const std::shared_ptr<const std::string>& text,
                           Weight weight) {
    client.waiting.push_back({text, weight});
    client.waitingBytes += text->size();
    client.waitingSamples += weight == Weight::Sample ? 1 : 0;
    if (client.waitingSamples > limits_.waitingSamples)
        dropSamples(client);
}

// All that wait, not the oldest alone: what a slow client has missed it does not need half of, and
// the queue is walked once per thousands of samples.
void SocketServer::dropSamples(Client& client) {
    std::erase_if(client.waiting, [&client](const Waiting& one) {
        if (one.weight != Weight::Sample)
            return false;
        client.waitingBytes -= one.text->size();
        return true;
    });
    client.dropped += static_cast<std::int64_t>(client.waitingSamples);
    client.waitingSamples = 0;
}

void SocketServer::sendEvents(Client& client, bool evenIfSlow) {
    while (!client.waiting.empty() || client.dropped > 0) {
        if (!evenIfSlow && client.connection->unsent() > limits_.unsentBytes)
            return;
        std::string list;
        if (client.dropped > 0) {
            Json data = Json::object();
            data.append("count", std::exchange(client.dropped, 0));
            list = eventText(protocol::event::kSamplesDropped, data);
        }
        while (!client.waiting.empty() && list.size() < kBatchBytes) {
            const Waiting& next = client.waiting.front();
            list += (list.empty() ? "" : ",") + *next.text;
            client.waitingBytes -= next.text->size();
            client.waitingSamples -= next.weight == Weight::Sample ? 1 : 0;
            client.waiting.pop_front();
        }
        client.connection->send(protocol::frame(
            fmt::format("{{\"jsonrpc\":\"2.0\",\"method\":\"{}\",\"params\":{{\"list\":[{}]}}}}",
                        protocol::event::kEvents, list)));
    }
}

void SocketServer::schedule() {
    if (timer_ == 0)
        timer_ = loop_.after(limits_.batchSeconds, [this] { tick(); });
}

void SocketServer::tick() {
    timer_ = 0;
    bool more = false;
    for (const auto& [id, client] : clients_) {
        sendEvents(*client, false);
        more = more || !client->waiting.empty();
    }
    if (more)
        schedule();
}

void SocketServer::flush() {
    for (const auto& [id, client] : clients_)
        sendEvents(*client, true);
}

}  // namespace fl::service
