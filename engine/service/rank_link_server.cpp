// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include <fmt/core.h>
#include <poll.h>
#include <sys/socket.h>

#include "engine/protocol/rpc.h"
#include "engine/service/address.h"
#include "engine/service/key_proof.h"
#include "engine/service/rank_link.h"

namespace fl::service {

namespace {

// A peer that does not prove the key within this time is shown the door.
constexpr double kGreetingSeconds = 10;

}  // namespace

struct RankLinkServer::Peer {
    std::unique_ptr<Connection> connection;
    std::string nonce;
    EventLoop::TimerId patience = 0;
    bool greeted = false;
    protocol::RankHello hello;
};

Result<std::unique_ptr<RankLinkServer>> RankLinkServer::listen(
    EventLoop& loop,
    const std::vector<std::string>& addresses,
    const std::string& key,
    Handlers handlers) {
    std::unique_ptr<RankLinkServer> server(new RankLinkServer(loop, key, std::move(handlers)));
    for (const std::string& address : addresses)
        FL_DO(server->open(address));
    return server;
}

RankLinkServer::RankLinkServer(EventLoop& loop, std::string key, Handlers handlers)
    : loop_(loop),
      key_(std::move(key)),
      handlers_(std::move(handlers)) {}

Status RankLinkServer::open(const std::string& address) {
    FL_TRY(UniqueFd socket, listenOn(address));
    FL_TRY(std::string bound, boundAddress(socket, address));
    sockets_.push_back(std::make_unique<UniqueFd>(std::move(socket)));
    addresses_.push_back(std::move(bound));
    const UniqueFd& listening = *sockets_.back();
    loop_.watch(listening.get(), POLLIN, [this, &listening](short) { acceptAll(listening); });
    return Done{};
}

RankLinkServer::~RankLinkServer() {
    for (const auto& socket : sockets_)
        loop_.forget(socket->get());
    for (const auto& peer : peers_)
        loop_.cancel(peer->patience);
    for (const std::string& address : addresses_) {
        if (address.starts_with("unix:"))
            ::unlink(address.c_str() + std::string_view("unix:").size());
    }
}

void RankLinkServer::acceptAll(const UniqueFd& listening) {
    for (;;) {
        UniqueFd socket(::accept4(listening.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
        if (!socket)
            return;
        prepareForHeartbeats(socket);
        auto nonce = randomKey();
        if (!nonce)
            return handlers_.refused(nonce.error().message);
        peers_.push_back(std::make_unique<Peer>());
        Peer& peer = *peers_.back();
        peer.nonce = *nonce;
        peer.connection = std::make_unique<Connection>(
            loop_, std::move(socket),
            Connection::Handlers{
                [this, &peer](const std::string& body) { receive(peer, body); },
                [this, &peer](const std::string& reason) { remove(peer, reason); }});
        peer.patience = loop_.after(
            kGreetingSeconds, [this, &peer] { remove(peer, "it did not prove the key in time"); });
        peer.connection->send(protocol::frameNotification(
            protocol::link::kChallenge, protocol::encode(protocol::LinkChallenge{peer.nonce})));
    }
}

void RankLinkServer::receive(Peer& peer, const std::string& body) {
    auto message = protocol::parseRpc(body);
    if (!message)
        return remove(peer, message.error().message);
    if (!peer.greeted) {
        if (const Status status = greet(peer, message->method, message->params); !status)
            remove(peer, status.error().message);
        return;
    }
    if (!peer.hello.watcher)
        return handlers_.message(peer.hello.rank, message->method, message->params);
    if (auto exit = protocol::decode<protocol::RankExit>(message->params))
        handlers_.exited(*exit);
}

Status RankLinkServer::greet(Peer& peer, const std::string& method, const Json& params) {
    if (method != protocol::link::kHello)
        return Error{ErrorCode::InvalidArgument, "it began with " + method};
    FL_TRY(const auto hello, protocol::decode<protocol::RankHello>(params));
    if (hello.proof.empty() || hello.proof != keyProof(key_, "rank", peer.nonce, hello.nonce))
        return Error{ErrorCode::InvalidArgument, "it does not know the key of this job"};
    const bool twice = std::any_of(peers_.begin(), peers_.end(), [&hello](const auto& other) {
        return other->greeted && !hello.watcher && !other->hello.watcher &&
               other->hello.rank == hello.rank;
    });
    if (twice)
        return Error{ErrorCode::InvalidArgument,
                     fmt::format("rank {} is here already", hello.rank)};
    peer.hello = hello;
    peer.greeted = true;
    loop_.cancel(peer.patience);
    protocol::LinkWelcome welcome{keyProof(key_, "control", peer.nonce, hello.nonce), {}};
    if (!hello.watcher)
        welcome.job = job_;
    peer.connection->send(
        protocol::frameNotification(protocol::link::kWelcome, protocol::encode(welcome)));
    if (!hello.watcher)
        handlers_.joined(hello);
    return Done{};
}

void RankLinkServer::remove(Peer& peer, const std::string& reason) {
    const auto found = std::find_if(peers_.begin(), peers_.end(),
                                    [&peer](const auto& other) { return other.get() == &peer; });
    if (found == peers_.end())
        return;
    loop_.cancel(peer.patience);
    const auto gone = std::move(*found);
    peers_.erase(found);
    if (!gone->greeted)
        handlers_.refused(reason.empty() ? "it left without a word" : reason);
    else if (!gone->hello.watcher)
        handlers_.left(gone->hello.rank, reason);
}

void RankLinkServer::send(int rank, std::string_view method, const Json& params) {
    for (const auto& peer : peers_) {
        if (peer->greeted && !peer->hello.watcher && peer->hello.rank == rank)
            peer->connection->send(protocol::frameNotification(method, params));
    }
}

void RankLinkServer::broadcast(std::string_view method, const Json& params) {
    for (const auto& peer : peers_) {
        if (peer->greeted && !peer->hello.watcher)
            peer->connection->send(protocol::frameNotification(method, params));
    }
}

}  // namespace fl::service
