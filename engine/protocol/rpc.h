// SPDX-License-Identifier: Apache-2.0
// JSON-RPC 2.0 messages (specification of 2013-01-04, without batches), one level above framing.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/json.h"
#include "engine/base/result.h"

namespace fl::protocol {

// The specification's own error codes; Firstlight's are in service/error_map.h.
constexpr int kParseError = -32700;
constexpr int kInvalidRequest = -32600;
constexpr int kMethodNotFound = -32601;
constexpr int kInvalidParams = -32602;
constexpr int kInternalError = -32603;

struct RpcError {
    int code = kInternalError;
    std::string message;
    Json data;
};

struct RpcMessage {
    enum class Kind : std::uint8_t { Request, Notification, Reply, Failure };
    Kind kind = Kind::Notification;
    Json id;             // integer or string; null in notifications and failures without a request
    std::string method;  // of requests and notifications
    Json params;
    Json result;     // of replies
    RpcError error;  // of failures
};

// All give the framed bytes.
std::string frameRequest(std::int64_t id, std::string_view method, Json params);
std::string frameNotification(std::string_view method, Json params);
std::string frameReply(const Json& id, Json result);
std::string frameFailure(const Json& id, const RpcError& error);

// One message out of the body of a frame. The error's code is Corrupt for text that is no JSON and
// InvalidArgument for JSON that is no message.
Result<RpcMessage> parseRpc(std::string_view body);

// One fact inside an `events` notification.
struct Event {
    std::string event;
    Json data;
    template <class S, class F>
    static void fields(S& s, F&& f) {
        f("event", s.event);
        f("data", s.data);
    }
};

// Parameters of the notification `events`.
struct EventList {
    std::vector<Event> list;
    template <class S, class F>
    static void fields(S& s, F&& f) {
        f("list", s.list);
    }
};

}  // namespace fl::protocol
