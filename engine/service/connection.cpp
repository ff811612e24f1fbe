// SPDX-License-Identifier: Apache-2.0
#include "engine/service/connection.h"

#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>

namespace fl::service {

namespace {

// One greedy peer must not keep the loop from the others.
constexpr std::size_t kReadBytes = std::size_t{64} << 10;

}  // namespace

Connection::Connection(EventLoop& loop, UniqueFd socket, Handlers handlers)
    : loop_(loop),
      socket_(std::move(socket)),
      handlers_(std::move(handlers)) {
    ::fcntl(socket_.get(), F_SETFL, ::fcntl(socket_.get(), F_GETFL) | O_NONBLOCK);
    loop_.watch(socket_.get(), POLLIN, [this](short events) { ready(events); });
}

Connection::~Connection() {
    if (socket_)
        loop_.forget(socket_.get());
}

void Connection::ready(short events) {
    const std::weak_ptr<bool> alive = alive_;
    if ((events & POLLOUT) != 0) {
        writeSome();
        if (handlers_.sent)
            handlers_.sent();
    }
    if (alive.expired() || !socket_)
        return;
    if ((events & (POLLIN | POLLHUP | POLLERR)) != 0)
        readSome();
}

void Connection::readSome() {
    std::array<char, kReadBytes> bytes{};
    const auto got = ::recv(socket_.get(), bytes.data(), bytes.size(), 0);
    if (got < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    if (got < 0)
        return fail(std::strerror(errno));  // NOLINT(concurrency-mt-unsafe): a constant text
    if (got == 0)
        return fail(reader_.buffered() > 0 ? "closed in the middle of a message" : "");
    reader_.append({bytes.data(), static_cast<std::size_t>(got)});
    const std::weak_ptr<bool> alive = alive_;
    while (socket_) {
        auto body = reader_.next();
        if (!body)
            return fail(body.error().message);
        if (!*body)
            return;
        handlers_.message(std::move(**body));
        if (alive.expired())
            return;
    }
}

void Connection::send(std::string_view framed) {
    if (!socket_)
        return;
    out_.append(framed);
    writeSome();
}

void Connection::writeSome() {
    while (sent_ < out_.size()) {
        const auto put =
            ::send(socket_.get(), out_.data() + sent_, out_.size() - sent_, MSG_NOSIGNAL);
        if (put < 0 && errno == EINTR)
            continue;
        if (put < 0)
            break;  // full, or broken: then the loop reports a hang-up, and reading names it
        sent_ += static_cast<std::size_t>(put);
    }
    if (sent_ == out_.size()) {
        out_.clear();
        sent_ = 0;
    } else if (sent_ > out_.size() / 2) {
        out_.erase(0, sent_);
        sent_ = 0;
    }
    const bool more = !out_.empty();
    loop_.change(socket_.get(), static_cast<short>(POLLIN | (more ? POLLOUT : 0)));
    if (closing_ && !more)
        ::shutdown(socket_.get(), SHUT_RDWR);
}

void Connection::closeWhenSent() {
    closing_ = true;
    if (socket_)
        writeSome();
}

void Connection::fail(const std::string& reason) {
    loop_.forget(socket_.get());
    socket_.reset();
    const auto closed = handlers_.closed;  // a copy: the call may destroy this object
    closed(reason);
}

namespace {

ucred peer(int socket) {
    ucred facts{-1, static_cast<uid_t>(-1), static_cast<gid_t>(-1)};
    socklen_t size = sizeof facts;
    ::getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &facts, &size);
    return facts;
}

}  // namespace

long peerUid(int socket) {
    const auto uid = peer(socket).uid;
    return uid == static_cast<uid_t>(-1) ? -1 : static_cast<long>(uid);
}

long peerPid(int socket) {
    return peer(socket).pid;
}

}  // namespace fl::service
