// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include <fmt/core.h>
#include <unistd.h>

#include "engine/protocol/rpc.h"
#include "engine/service/address.h"
#include "engine/service/clock.h"
#include "engine/service/key_proof.h"
#include "engine/service/rank_link.h"

namespace fl::service {

namespace {

constexpr double kGreetingSeconds = 10;
constexpr double kFlushSeconds = 1;
// Samples and log lines are dropped above it.
constexpr std::size_t kMaxLagBytes = std::size_t{8} << 20;

std::string hostName() {
    std::array<char, 256> name{};
    return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "";
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
    Handler handler;
    HeartbeatSource heartbeat;
    EventLoop loop;
    std::unique_ptr<Connection> connection;
    std::string challenge;
    std::atomic<bool> closed{false};
    std::atomic<std::size_t> lagBytes{0};

    std::mutex mutex;
    std::condition_variable greeted;
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
        loop.stop();
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
        settle(Done{});
        if (heartbeat)
            loop.every(kHeartbeatSeconds, [this] { beat(); });
    }

    void beat() {
        if (!connection)
            return;
        protocol::RankHeartbeat sign = heartbeat();
        sign.rank = hello.rank;
        sign.time = unixTime();
        connection->send(
            protocol::frameNotification(protocol::link::kHeartbeat, protocol::encode(sign)));
        lagBytes = connection->unsent();
    }

    void run(UniqueFd socket) {
        connection = std::make_unique<Connection>(
            loop, std::move(socket),
            Connection::Handlers{[this](const std::string& body) { receive(body); },
                                 [this](const std::string& reason) { end(reason); }});
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

Result<std::unique_ptr<RankLinkClient>> RankLinkClient::connect(const protocol::RankJob& job,
                                                                int rank,
                                                                Handler handler,
                                                                HeartbeatSource heartbeat) {
    protocol::RankHello hello;
    hello.rank = rank;
    return open(job, std::move(hello), std::move(handler), std::move(heartbeat));
}

Result<std::unique_ptr<RankLinkClient>> RankLinkClient::connectWatcher(const protocol::RankJob& job,
                                                                       int rank) {
    protocol::RankHello hello;
    hello.rank = rank;
    hello.watcher = true;
    return open(job, std::move(hello), nullptr, nullptr);
}

Result<std::unique_ptr<RankLinkClient>> RankLinkClient::open(const protocol::RankJob& job,
                                                             protocol::RankHello hello,
                                                             Handler handler,
                                                             HeartbeatSource heartbeat) {
    FL_TRY(UniqueFd socket, connectTo(job.linkAddress));
    FL_TRY(hello.nonce, randomKey());
    hello.pid = ::getpid();
    hello.host = hostName();
    auto state = std::make_unique<State>();
    state->hello = std::move(hello);
    state->key = job.key;
    state->handler = std::move(handler);
    state->heartbeat = std::move(heartbeat);
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
    if (state.closed || (state.lagBytes > kMaxLagBytes && isSample(method)))
        return;
    std::string framed = protocol::frameNotification(method, params);
    state.lagBytes += framed.size();
    state.loop.post([&state, bytes = std::move(framed)] {
        if (!state.connection)
            return;
        state.connection->send(bytes);
        state.lagBytes = state.connection->unsent();
    });
}

bool RankLinkClient::closed() const {
    return state_->closed;
}

}  // namespace fl::service
