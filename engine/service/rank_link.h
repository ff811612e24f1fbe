// SPDX-License-Identifier: Apache-2.0
// The connection between each rank and the control process, both ends. Messages are those of
// protocol/link_messages.h; nothing is taken from a peer before both have proved the job's key.
//
// A dead rank is an end-of-file here within milliseconds; a stopped one is a missing heartbeat.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/json.h"
#include "engine/base/result.h"
#include "engine/protocol/codec.h"
#include "engine/protocol/link_messages.h"
#include "engine/protocol/names.h"
#include "engine/service/connection.h"
#include "engine/service/event_loop.h"

namespace fl::service {

constexpr double kHeartbeatSeconds = 0.25;

// The control process's end. Lives and calls back on the loop's thread.
class RankLinkServer {
public:
    struct Handlers {
        std::function<void(const protocol::RankHello& hello)> joined;
        // Any message of a rank that joined, heartbeats included.
        std::function<void(int rank, const std::string& method, const Json& params)> message;
        // The rank's connection ended, whatever the reason.
        std::function<void(int rank, const std::string& reason)> left;
        // A watcher saw the process of a rank end; comes before, with or after `left`.
        std::function<void(const protocol::RankExit& exit)> exited;
        // Somebody knocked who is none of ours.
        std::function<void(const std::string& reason)> refused;
    };

    static Result<std::unique_ptr<RankLinkServer>> listen(EventLoop& loop,
                                                          const std::vector<std::string>& addresses,
                                                          const std::string& key,
                                                          Handlers handlers);
    ~RankLinkServer();
    RankLinkServer(const RankLinkServer&) = delete;
    RankLinkServer& operator=(const RankLinkServer&) = delete;

    // With the ports chosen, in the order of listen().
    const std::vector<std::string>& addresses() const { return addresses_; }
    // What ranks get with their welcome.
    void setJob(const protocol::RankJob& job) { job_ = job; }
    // Dropped silently if the rank has gone: its end is reported by `left`.
    void send(int rank, std::string_view method, const Json& params);
    void broadcast(std::string_view method, const Json& params);

private:
    struct Peer;
    RankLinkServer(EventLoop& loop, std::string key, Handlers handlers);
    Status open(const std::string& address);
    void acceptAll(const UniqueFd& listening);
    void receive(Peer& peer, const std::string& body);
    Status greet(Peer& peer, const std::string& method, const Json& params);
    void remove(Peer& peer, const std::string& reason);

    EventLoop& loop_;
    std::string key_;
    Handlers handlers_;
    protocol::RankJob job_;
    std::vector<std::unique_ptr<UniqueFd>> sockets_;
    std::vector<std::string> addresses_;
    std::vector<std::unique_ptr<Peer>> peers_;
};

// The rank's end: a thread of its own keeps the link alive whatever the engine thread does.
class RankLinkClient {
public:
    // Called on the link's thread with messages of the control process. When the link closes for
    // any reason it gets one `shutdown`: no rank outlives its control process.
    using Handler = std::function<void(const std::string& method, const Json& params)>;
    // Called on the link's thread four times a second; the link fills in rank and time.
    using HeartbeatSource = std::function<protocol::RankHeartbeat()>;
    // Called on the link's thread twenty times a second, to send what lies in rings.
    using Drain = std::function<void()>;

    // Connects to where the ticket says, the Unix socket on the control process's own host, else
    // the first address that answers, and proves the ticket's key. An error names every address
    // tried.
    static Result<std::unique_ptr<RankLinkClient>> connect(const protocol::RankTicket& ticket,
                                                           int rank,
                                                           Handler handler,
                                                           HeartbeatSource heartbeat,
                                                           Drain drain = nullptr);
    // As above for a rank's parent: no heartbeats, and only `rank.exit` is welcome.
    static Result<std::unique_ptr<RankLinkClient>> connectWatcher(
        const protocol::RankTicket& ticket, int rank);
    // Sends what is queued (for at most a second) and closes.
    ~RankLinkClient();
    RankLinkClient(const RankLinkClient&) = delete;
    RankLinkClient& operator=(const RankLinkClient&) = delete;

    // From any thread; never blocks. Samples and log lines are dropped while the control process
    // lags behind by more than a few megabytes; all else is kept.
    void send(std::string_view method, const Json& params);
    template <class T>
    void send(std::string_view method, const T& message) {
        send(method, protocol::encode(message));
    }

    // For who sends much: waits while more than a few megabytes are unsent; false once the link is
    // closed. Not on the link's thread.
    bool awaitRoom();
    // The control process runs on this host.
    bool local() const;
    bool closed() const;
    std::int64_t droppedSamples() const;
    // What this rank is to do. Not for watchers.
    const protocol::RankJob& job() const;

private:
    struct State;
    static Result<std::unique_ptr<RankLinkClient>> open(const protocol::RankTicket& ticket,
                                                        protocol::RankHello hello,
                                                        Handler handler,
                                                        HeartbeatSource heartbeat,
                                                        Drain drain);
    explicit RankLinkClient(std::unique_ptr<State> state);
    std::unique_ptr<State> state_;
};

}  // namespace fl::service
