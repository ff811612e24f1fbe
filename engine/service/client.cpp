// SPDX-License-Identifier: Apache-2.0
#include "engine/service/client.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

#include <fmt/core.h>
#include <poll.h>
#include <sys/socket.h>

#include "engine/base/version.h"
#include "engine/protocol/names.h"
#include "engine/service/address.h"
#include "engine/service/clock.h"
#include "engine/service/error_map.h"

namespace fl::service {

namespace {

// How soon a cancelled token is noticed.
constexpr double kSliceSeconds = 0.05;

}  // namespace

Client::Client(UniqueFd socket, CancelToken cancel)
    : socket_(std::move(socket)),
      cancel_(std::move(cancel)) {}

Result<std::unique_ptr<Client>> Client::connect(const std::string& socketPath,
                                                const std::string& name,
                                                const CancelToken& cancel) {
    FL_TRY(UniqueFd socket, connectTo("unix:" + socketPath));
    std::unique_ptr<Client> client(new Client(std::move(socket), cancel));
    protocol::Hello hello;
    hello.version = version();
    hello.client = name;
    FL_TRY(const Json answer, client->call(protocol::method::kHello, hello));
    // An engine of another version refuses us; one that does not is not to be trusted either.
    if (const std::int64_t theirs = answer["protocol"].integer(-1);
        theirs != protocol::kProtocolVersion) {
        return Error{ErrorCode::Unsupported,
                     fmt::format("the engine speaks protocol {}, this program (version {}) speaks "
                                 "{}: use the same version of both",
                                 theirs, version(), protocol::kProtocolVersion)};
    }
    FL_TRY(client->snapshot_, protocol::decode<protocol::Snapshot>(answer));
    return client;
}

Status Client::write(std::string_view bytes) {
    while (!bytes.empty()) {
        const auto put = ::send(socket_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
        if (put < 0 && errno == EINTR)
            continue;
        if (put < 0)
            return Error{ErrorCode::Io, "the engine has gone"};
        bytes.remove_prefix(static_cast<std::size_t>(put));
    }
    return Done{};
}

Result<std::int64_t> Client::send(std::string_view method, const Json& params) {
    const std::int64_t id = ++lastId_;
    FL_DO(write(protocol::frameRequest(id, method, params)));
    return id;
}

std::optional<Result<Json>> Client::takeAnswer(std::int64_t id) {
    const auto found = std::find_if(answers_.begin(), answers_.end(), [id](const auto& answer) {
        // An engine that could not read the request's id answers without one.
        return answer.id == Json(id) || answer.id.isNull();
    });
    if (found == answers_.end())
        return std::nullopt;
    const protocol::RpcMessage answer = std::move(*found);
    answers_.erase(found);
    if (answer.kind == protocol::RpcMessage::Kind::Failure)
        return Result<Json>(fromRpc(answer.error));
    return Result<Json>(answer.result);
}

Result<Json> Client::call(std::string_view method, const Json& params) {
    FL_TRY(const std::int64_t id, send(method, params));
    for (;;) {
        if (auto answer = takeAnswer(id))
            return std::move(*answer);
        FL_TRY(const bool came, readSome(kSliceSeconds));
        if (!came)
            FL_DO(cancel_.check(std::string(method)));
    }
}

Result<std::optional<protocol::Event>> Client::nextEvent(double seconds) {
    const double until = steadyTime() + seconds;
    for (;;) {
        if (!events_.empty()) {
            std::optional<protocol::Event> first = std::move(events_.front());
            events_.pop_front();
            return first;
        }
        const double left = until - steadyTime();
        if (left < 0)
            return std::optional<protocol::Event>();
        FL_DO(cancel_.check("waiting for the engine"));
        FL_TRY(const bool came, readSome(std::min(left, kSliceSeconds)));
        if (!came && seconds == 0)
            return std::optional<protocol::Event>();
    }
}

Result<bool> Client::readSome(double seconds) {
    pollfd ready{socket_.get(), POLLIN, 0};
    if (::poll(&ready, 1, static_cast<int>(seconds * 1000)) <= 0)
        return false;
    std::array<char, 65536> bytes{};
    const auto got = ::recv(socket_.get(), bytes.data(), bytes.size(), 0);
    if (got < 0 && (errno == EINTR || errno == EAGAIN))
        return false;
    if (got <= 0)
        return Error{ErrorCode::Io, "the engine has gone"};
    reader_.append({bytes.data(), static_cast<std::size_t>(got)});
    for (;;) {
        FL_TRY(const auto body, reader_.next());
        if (!body)
            return true;
        FL_DO(take(*body));
    }
}

Status Client::take(const std::string& body) {
    FL_TRY(auto message, protocol::parseRpc(body));
    if (message.kind != protocol::RpcMessage::Kind::Notification) {
        answers_.push_back(std::move(message));
        return Done{};
    }
    FL_TRY(auto list, protocol::decode<protocol::EventList>(message.params));
    for (protocol::Event& event : list.list)
        events_.push_back(std::move(event));
    return Done{};
}

}  // namespace fl::service
