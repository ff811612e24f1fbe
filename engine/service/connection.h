// SPDX-License-Identifier: Apache-2.0
// One peer of the event loop: framed messages in, bytes out, never blocking. Clients and ranks are
// both reached through it.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "engine/base/unique_fd.h"
#include "engine/protocol/framing.h"
#include "engine/service/event_loop.h"

namespace fl::service {

class Connection {
public:
    struct Handlers {
        std::function<void(std::string body)> message;
        // Once, when the peer closed or broke the framing; `reason` is empty for a plain close. The
        // last call: the connection may be destroyed in it.
        std::function<void(const std::string& reason)> closed;
        // The socket took some of what had been kept for it.
        std::function<void()> sent{};
    };

    // Takes a connected stream socket and makes it non-blocking. Handlers are called on the loop's
    // thread, where all of this class lives.
    Connection(EventLoop& loop, UniqueFd socket, Handlers handlers);
    ~Connection();
    Connection(const Connection&) = delete;
    Connection& operator=(const Connection&) = delete;

    // Sends as much as the socket takes now and keeps the rest.
    void send(std::string_view framed);
    std::size_t unsent() const { return out_.size() - sent_; }
    // Closes as soon as everything was sent; `closed` is called then.
    void closeWhenSent();

private:
    void ready(short events);
    void readSome();
    void writeSome();
    void fail(const std::string& reason);

    EventLoop& loop_;
    UniqueFd socket_;
    Handlers handlers_;
    protocol::FrameReader reader_;
    std::string out_;
    std::size_t sent_ = 0;
    bool closing_ = false;
    std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

// Uid of the process at the other end of a Unix socket; −1 if the system does not say.
long peerUid(int socket);
// Pid of it, or −1.
long peerPid(int socket);

}  // namespace fl::service
