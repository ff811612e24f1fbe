// SPDX-License-Identifier: Apache-2.0
#include "engine/service/control_address.h"

#include <algorithm>
#include <array>
#include <memory>

#include <arpa/inet.h>
#include <fmt/core.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include "engine/base/unique_fd.h"

namespace fl::service {

namespace {

// "10.0.0.1", "[fe::1]", or "" for what only this machine can reach: itself, and links without a
// router.
std::string reachable(const sockaddr* address) {
    std::array<char, INET6_ADDRSTRLEN> text{};
    if (address->sa_family == AF_INET) {
        const auto* four = reinterpret_cast<const sockaddr_in*>(address);
        ::inet_ntop(AF_INET, &four->sin_addr, text.data(), text.size());
        const std::string out = text.data();
        return out.starts_with("127.") || out == "0.0.0.0" ? "" : out;
    }
    if (address->sa_family != AF_INET6)
        return "";
    const auto* six = reinterpret_cast<const sockaddr_in6*>(address);
    if (IN6_IS_ADDR_LOOPBACK(&six->sin6_addr) || IN6_IS_ADDR_LINKLOCAL(&six->sin6_addr) ||
        IN6_IS_ADDR_UNSPECIFIED(&six->sin6_addr))
        return "";
    ::inet_ntop(AF_INET6, &six->sin6_addr, text.data(), text.size());
    return fmt::format("[{}]", text.data());
}

// Connecting a datagram socket sends nothing; it only asks the routing table.
std::string routedTo(const addrinfo& target) {
    const UniqueFd socket(::socket(target.ai_family, SOCK_DGRAM | SOCK_CLOEXEC, 0));
    sockaddr_storage own{};
    socklen_t size = sizeof own;
    if (!socket || ::connect(socket.get(), target.ai_addr, target.ai_addrlen) != 0 ||
        ::getsockname(socket.get(), reinterpret_cast<sockaddr*>(&own), &size) != 0)
        return "";
    return reachable(reinterpret_cast<const sockaddr*>(&own));
}

std::string routedTo(const std::string& host) {
    addrinfo hints{};
    hints.ai_socktype = SOCK_DGRAM;
    addrinfo* list = nullptr;
    if (::getaddrinfo(host.c_str(), "9", &hints, &list) != 0)
        return "";
    const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> owner(list, &::freeaddrinfo);
    for (const addrinfo* one = list; one != nullptr; one = one->ai_next) {
        if (std::string found = routedTo(*one); !found.empty())
            return found;
    }
    return "";
}

std::vector<std::string> ofEveryNetwork() {
    std::vector<std::string> out;
    ifaddrs* list = nullptr;
    if (::getifaddrs(&list) != 0)
        return out;
    const std::unique_ptr<ifaddrs, decltype(&::freeifaddrs)> owner(list, &::freeifaddrs);
    for (const ifaddrs* one = list; one != nullptr; one = one->ifa_next) {
        if (one->ifa_addr != nullptr && (one->ifa_flags & IFF_UP) != 0)
            out.push_back(reachable(one->ifa_addr));
    }
    return out;
}

bool hasPort(const std::string& address) {
    const auto colon = address.rfind(':');
    return colon != std::string::npos && address.find(']', colon) == std::string::npos;
}

}  // namespace

Result<std::vector<std::string>> controlAddresses(const std::vector<std::string>& hosts,
                                                  const std::string& wanted) {
    if (!wanted.empty())
        return std::vector{fmt::format("tcp:{}{}", wanted, hasPort(wanted) ? "" : ":0")};
    std::vector<std::string> found;
    for (const std::string& host : hosts)
        found.push_back(routedTo(host));
    if (std::find(found.begin(), found.end(), "") != found.end() || found.empty()) {
        const auto all = ofEveryNetwork();
        found.insert(found.end(), all.begin(), all.end());
    }
    std::vector<std::string> out;
    for (const std::string& address : found) {
        std::string full = fmt::format("tcp:{}:0", address);
        if (!address.empty() && std::find(out.begin(), out.end(), full) == out.end())
            out.push_back(std::move(full));
    }
    if (out.empty()) {
        return Error{ErrorCode::Io,
                     "this machine has no address that other nodes could reach: connect it to "
                     "their network, or name one as control_address in the cluster file"};
    }
    return out;
}

}  // namespace fl::service
