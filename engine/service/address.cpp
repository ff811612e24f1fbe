// SPDX-License-Identifier: Apache-2.0
#include "engine/service/address.h"

#include <array>
#include <cerrno>
#include <cstring>
#include <memory>
#include <string_view>

#include <arpa/inet.h>
#include <fcntl.h>
#include <fmt/core.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

namespace fl::service {

namespace {

constexpr std::string_view kUnix = "unix:";
constexpr std::string_view kTcp = "tcp:";
constexpr int kBacklog = 1024;  // as many ranks may knock at once

Error systemError(const std::string& what) {
    return {ErrorCode::Io, what + ": " + std::strerror(errno)};  // NOLINT(concurrency-mt-unsafe)
}

Result<sockaddr_un> unixAddress(std::string_view path) {
    sockaddr_un out{};
    out.sun_family = AF_UNIX;
    if (path.empty() || path.size() >= sizeof out.sun_path) {
        return Error{ErrorCode::InvalidArgument,
                     fmt::format("socket path {} has {} bytes, the system takes {}: set "
                                 "XDG_RUNTIME_DIR to a shorter folder",
                                 path, path.size(), sizeof out.sun_path - 1)};
    }
    path.copy(out.sun_path, path.size());
    return out;
}

struct HostPort {
    std::string host;
    std::string port;
};

Result<HostPort> hostPort(std::string_view address) {
    const auto colon = address.rfind(':');
    if (colon == std::string_view::npos)
        return Error{ErrorCode::InvalidArgument, fmt::format("tcp:{} lacks a port", address)};
    std::string_view host = address.substr(0, colon);
    if (host.starts_with('[') && host.ends_with(']'))
        host = host.substr(1, host.size() - 2);
    return HostPort{std::string(host), std::string(address.substr(colon + 1))};
}

using AddressList = std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)>;

Result<AddressList> resolve(const HostPort& where, int flags) {
    addrinfo hints{};
    hints.ai_family = AF_UNSPEC;
    hints.ai_socktype = SOCK_STREAM;
    hints.ai_flags = flags;
    addrinfo* list = nullptr;
    const char* host = where.host.empty() ? nullptr : where.host.c_str();
    if (const int problem = ::getaddrinfo(host, where.port.c_str(), &hints, &list); problem != 0) {
        return Error{ErrorCode::NotFound,
                     fmt::format("host {}: {}", where.host, ::gai_strerror(problem))};
    }
    return AddressList(list, &::freeaddrinfo);
}

UniqueFd newSocket(int family, int flags = 0) {
    return UniqueFd(::socket(family, SOCK_STREAM | SOCK_CLOEXEC | flags, 0));
}

Result<UniqueFd> listenUnix(std::string_view path) {
    FL_TRY(const sockaddr_un where, unixAddress(path));
    UniqueFd socket = newSocket(AF_UNIX, SOCK_NONBLOCK);
    ::unlink(where.sun_path);
    // The mode must be right before anybody can connect: listen() comes last.
    if (!socket || ::bind(socket.get(), reinterpret_cast<const sockaddr*>(&where), sizeof where) ||
        ::chmod(where.sun_path, 0600) != 0 || ::listen(socket.get(), kBacklog) != 0)
        return systemError(fmt::format("cannot listen on {}", path));
    return socket;
}

Result<UniqueFd> listenTcp(std::string_view address) {
    FL_TRY(const HostPort where, hostPort(address));
    FL_TRY(const auto list, resolve(where, AI_PASSIVE));
    UniqueFd socket = newSocket(list->ai_family, SOCK_NONBLOCK);
    const int one = 1;
    ::setsockopt(socket.get(), SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
    if (!socket || ::bind(socket.get(), list->ai_addr, list->ai_addrlen) != 0 ||
        ::listen(socket.get(), kBacklog) != 0)
        return systemError(fmt::format("cannot listen on tcp:{}", address));
    return socket;
}

Result<UniqueFd> connectUnix(std::string_view path) {
    FL_TRY(const sockaddr_un where, unixAddress(path));
    UniqueFd socket = newSocket(AF_UNIX);
    if (!socket ||
        ::connect(socket.get(), reinterpret_cast<const sockaddr*>(&where), sizeof where) != 0)
        return systemError(fmt::format("cannot connect to {}", path));
    return socket;
}

// The system would wait for minutes.
Status finishConnect(const UniqueFd& socket, std::string_view address, double seconds) {
    pollfd writable{socket.get(), POLLOUT, 0};
    if (::poll(&writable, 1, static_cast<int>(seconds * 1000)) == 0) {
        return Error{
            ErrorCode::Timeout,
            fmt::format("cannot connect to tcp:{}: no answer in {:.0f} s", address, seconds)};
    }
    int problem = 0;
    socklen_t size = sizeof problem;
    ::getsockopt(socket.get(), SOL_SOCKET, SO_ERROR, &problem, &size);
    errno = problem;
    return problem == 0 ? Status(Done{})
                        : systemError(fmt::format("cannot connect to tcp:{}", address));
}

Result<UniqueFd> connectTcp(std::string_view address, double seconds) {
    FL_TRY(const HostPort where, hostPort(address));
    FL_TRY(const auto list, resolve(where, 0));
    UniqueFd socket = newSocket(list->ai_family, SOCK_NONBLOCK);
    if (!socket ||
        (::connect(socket.get(), list->ai_addr, list->ai_addrlen) != 0 && errno != EINPROGRESS))
        return systemError(fmt::format("cannot connect to tcp:{}", address));
    FL_DO(finishConnect(socket, address, seconds));
    ::fcntl(socket.get(), F_SETFL, ::fcntl(socket.get(), F_GETFL) & ~O_NONBLOCK);
    prepareForHeartbeats(socket);
    return socket;
}

Error unknownKind(const std::string& address) {
    return {ErrorCode::InvalidArgument,
            "address '" + address + "' is neither unix:/path nor tcp:host:port"};
}

}  // namespace

Result<UniqueFd> listenOn(const std::string& address) {
    const std::string_view view = address;
    if (view.starts_with(kUnix))
        return listenUnix(view.substr(kUnix.size()));
    if (view.starts_with(kTcp))
        return listenTcp(view.substr(kTcp.size()));
    return unknownKind(address);
}

void prepareForHeartbeats(const UniqueFd& socket) {
    const int one = 1;
    const unsigned milliseconds = 10'000;
    ::setsockopt(socket.get(), IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    ::setsockopt(socket.get(), IPPROTO_TCP, TCP_USER_TIMEOUT, &milliseconds, sizeof milliseconds);
}

Result<UniqueFd> connectTo(const std::string& address, double seconds) {
    const std::string_view view = address;
    if (view.starts_with(kUnix))
        return connectUnix(view.substr(kUnix.size()));
    if (view.starts_with(kTcp))
        return connectTcp(view.substr(kTcp.size()), seconds);
    return unknownKind(address);
}

Result<std::string> boundAddress(const UniqueFd& socket, const std::string& address) {
    if (!address.starts_with(kTcp))
        return address;
    sockaddr_storage bound{};
    socklen_t size = sizeof bound;
    if (::getsockname(socket.get(), reinterpret_cast<sockaddr*>(&bound), &size) != 0)
        return systemError("cannot ask for the port of " + address);
    const auto port = bound.ss_family == AF_INET6
                          ? reinterpret_cast<const sockaddr_in6*>(&bound)->sin6_port
                          : reinterpret_cast<const sockaddr_in*>(&bound)->sin_port;
    return fmt::format("{}:{}", address.substr(0, address.rfind(':')), ntohs(port));
}

}  // namespace fl::service
