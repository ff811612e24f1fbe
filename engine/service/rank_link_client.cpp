// SPDX-License-Identifier: Apache-2.0
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include <fmt/core.h>
#include <unistd.h>

#include "engine/base/text.h"
#include "engine/protocol/rpc.h"
#include "engine/service/address.h"
#include "engine/service/clock.h"
#include "engine/service/host_name.h"
#include "engine/service/key_proof.h"
#include "engine/service/rank_link.h"

namespace fl::service {

namespace {

constexpr double kConnectSeconds = 5;
constexpr double kGreetingSeconds = 10;
constexpr double kFlushSeconds = 1;
constexpr double kDrainSeconds = 0.05;
// Samples and log lines are dropped above it.
constexpr std::size_t kMaxLagBytes = std::size_t{8} << 20;

Result<UniqueFd> connectByTicket(const protocol::RankTicket& ticket) {
    if (ticket.host == ownHost())
        return connectTo(ticket.local);
    std::vector<std::string> problems;
    for (const std::string& address : ticket.addresses) {
        auto socket = connectTo(address, kConnectSeconds);
        if (socket)
            return socket;
        problems.push_back(socket.error().message);
    }
    return Error{ErrorCode::Io, problems.empty() ? "the control process on " + ticket.host +
                                                       " listens for its own host only"
                                                 : join(problems, "; ")};
}

bool isSample(std::string_view method) {
    using namespace protocol::link;  // NOLINT(google-build-using-namespace): five names of it
    return method == kMemory || method == kStep || method == kLoad || method == kLog ||
           method == kHeartbeat;
}

}  // namespace

// What the link's thread works on. Everything but the members under `mutex` belongs to that thread.
struct RankLinkClient::State {
    protocol::RankHello hello;
    std::string key;
    protocol::RankJob job;  // before the greeting is settled
    Handler handler;
    HeartbeatSource heartbeat;
    Drain drain;
    bool local = false;
    EventLoop loop;
    std::unique_ptr<Connection> connection;
    std::string challenge;
    std::atomic<bool> closed{false};
    std::atomic<std::size_t> lagBytes{0};
    std::atomic<std::int64_t> dropped{0};

    std::mutex mutex;
    std::condition_variable greeted;
    std::condition_variable room;
    std::optional<Status> greeting;

    std::thread thread;

    void settle(Status status) {
        const std::lock_guard lock(mutex);
        if (greeting)
            return;
        greeting = std::move(status);
        greeted.notify_all();
    }

    void end(const std::string& reason) {
        connection.reset();
        settle(Error{ErrorCode::Io, "the control process closed the link: " + reason});
        if (!closed.exchange(true) && handler)
            handler(std::string(protocol::link::kShutdown), Json());
        tellRoom(0);
        loop.stop();
    }

    void tellRoom(std::size_t lag) {
        const std::lock_guard lock(mutex);
        lagBytes = lag;
        room.notify_all();
    }

    void receive(const std::string& body) {
        auto message = protocol::parseRpc(body);
        if (!message)
            return end(message.error().message);
        if (message->method == protocol::link::kChallenge)
            return answer(message->params);
        if (message->method == protocol::link::kWelcome)
            return checkWelcome(message->params);
        if (greeting && handler)
            handler(message->method, message->params);
    }

    void answer(const Json& params) {
        challenge = params["nonce"].string();
        hello.proof = keyProof(key, "rank", challenge, hello.nonce);
        connection->send(
            protocol::frameNotification(protocol::link::kHello, protocol::encode(hello)));
    }

    void checkWelcome(const Json& params) {
        const std::string expected = keyProof(key, "control", challenge, hello.nonce);
        if (expected.empty() || params["proof"].string() != expected)
            return end("the control process does not know the key of this job");
        auto welcome = protocol::decode<protocol::LinkWelcome>(params);
        if (!welcome)
            return end("the control process gave no job: " + welcome.error().message);
        job = std::move(welcome->job);
        settle(Done{});
        if (heartbeat)
            loop.every(kHeartbeatSeconds, [this] { beat(); });
        if (drain)
            loop.every(kDrainSeconds, [this] { drain(); });
    }

    void beat() {
        if (!connection)
            return;
        protocol::RankHeartbeat sign = heartbeat();
        sign.rank = hello.rank;
        sign.time = unixTime();
        connection->send(
            protocol::frameNotification(protocol::link::kHeartbeat, protocol::encode(sign)));
        tellRoom(connection->unsent());
    }

    void run(UniqueFd socket) {
        connection = std::make_unique<Connection>(
            loop, std::move(socket),
            Connection::Handlers{[this](const std::string& body) { receive(body); },
                                 [this](const std::string& reason) { end(reason); },
                                 [this] { tellRoom(connection->unsent()); }});
        loop.run();
    }
};

RankLinkClient::RankLinkClient(std::unique_ptr<State> state) : state_(std::move(state)) {}

RankLinkClient::~RankLinkClient() {
    State& state = *state_;
    state.loop.post([&state] {
        state.closed = true;  // leaving on purpose is no news for the handler
        if (!state.connection)
            return;
        state.connection->closeWhenSent();
        state.loop.after(kFlushSeconds, [&state] { state.loop.stop(); });
    });
    if (state.thread.joinable())
        state.thread.join();
}

Result<std::unique_ptr<RankLinkClient>> RankLinkClient::connect(const protocol::RankTicket& ticket,
                                                                int rank,
                                                                Handler handler,
                                                                HeartbeatSource heartbeat,
                                                                Drain drain) {
    protocol::RankHello hello;
    hello.rank = rank;
    return open(ticket, std::move(hello), std::move(handler), std::move(heartbeat),
                std::move(drain));
}

Result<std::unique_ptr<RankLinkClient>> RankLinkClient::connectWatcher(
    const protocol::RankTicket& ticket, int rank) {
    protocol::RankHello hello;
    hello.rank = rank;
    hello.watcher = true;
    return open(ticket, std::move(hello), nullptr, nullptr, nullptr);
}

Result<std::unique_ptr<RankLinkClient>> RankLinkClient::open(const protocol::RankTicket& ticket,
                                                             protocol::RankHello hello,
                                                             Handler handler,
                                                             HeartbeatSource heartbeat,
                                                             Drain drain) {
    FL_TRY(UniqueFd socket, connectByTicket(ticket));
    FL_TRY(hello.nonce, randomKey());
    hello.pid = ::getpid();
    hello.host = ownHost();
    auto state = std::make_unique<State>();
    state->hello = std::move(hello);
    state->key = ticket.key;
    state->local = ticket.host == ownHost();
    state->handler = std::move(handler);
    state->heartbeat = std::move(heartbeat);
    state->drain = std::move(drain);
    State& shared = *state;
    std::unique_ptr<RankLinkClient> client(new RankLinkClient(std::move(state)));
    shared.thread = std::thread([&shared, fd = socket.release()] { shared.run(UniqueFd(fd)); });
    std::unique_lock lock(shared.mutex);
    const bool answered =
        shared.greeted.wait_for(lock, std::chrono::duration<double>(kGreetingSeconds),
                                [&shared] { return shared.greeting.has_value(); });
    if (!answered)
        return Error{ErrorCode::Timeout, "the control process did not answer in 10 s"};
    if (!*shared.greeting)
        return shared.greeting->error();
    return client;
}

void RankLinkClient::send(std::string_view method, const Json& params) {
    State& state = *state_;
    if (state.closed)
        return;
    if (state.lagBytes > kMaxLagBytes && isSample(method)) {
        ++state.dropped;
        return;
    }
    std::string framed = protocol::frameNotification(method, params);
    state.lagBytes += framed.size();
    state.loop.post([&state, bytes = std::move(framed)] {
        if (!state.connection)
            return;
        state.connection->send(bytes);
        state.tellRoom(state.connection->unsent());
    });
}

bool RankLinkClient::awaitRoom() {
    State& state = *state_;
    std::unique_lock lock(state.mutex);
    state.room.wait(lock, [&state] { return state.closed || state.lagBytes <= kMaxLagBytes; });
    return !state.closed;
}

bool RankLinkClient::local() const {
    return state_->local;
}

bool RankLinkClient::closed() const {
    return state_->closed;
}

std::int64_t RankLinkClient::droppedSamples() const {
    return state_->dropped;
}

const protocol::RankJob& RankLinkClient::job() const {
    return state_->job;
}

}  // namespace fl::service
