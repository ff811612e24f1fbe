// SPDX-License-Identifier: Apache-2.0
#include "engine/protocol/rpc.h"

#include "engine/protocol/framing.h"

namespace fl::protocol {

namespace {

Json envelope() {
    Json message = Json::object();
    message.append("jsonrpc", "2.0");
    return message;
}

Error invalid(const std::string& reason) {
    return {ErrorCode::InvalidArgument, "not a JSON-RPC 2.0 message: " + reason};
}

Result<RpcMessage> parseCall(const Json& json, RpcMessage message) {
    message.method = json["method"].string();
    if (message.method.empty())
        return invalid("method is no string");
    message.kind = json.find("id") ? RpcMessage::Kind::Request : RpcMessage::Kind::Notification;
    message.params = json["params"];
    if (!message.params.isNull() && !message.params.isObject())
        return invalid("params are no object");
    return message;
}

Result<RpcMessage> parseAnswer(const Json& json, RpcMessage message) {
    if (const Json* error = json.find("error")) {
        message.kind = RpcMessage::Kind::Failure;
        message.error.code = static_cast<int>((*error)["code"].integer(kInternalError));
        message.error.message = (*error)["message"].string();
        message.error.data = (*error)["data"];
        return message;
    }
    const Json* result = json.find("result");
    if (!result)
        return invalid("it has neither method nor result nor error");
    message.kind = RpcMessage::Kind::Reply;
    message.result = *result;
    return message;
}

}  // namespace

std::string frameRequest(std::int64_t id, std::string_view method, Json params) {
    Json message = envelope();
    message.append("id", id);
    message.append("method", method);
    message.append("params", std::move(params));
    return frame(message.dump());
}

std::string frameNotification(std::string_view method, Json params) {
    Json message = envelope();
    message.append("method", method);
    message.append("params", std::move(params));
    return frame(message.dump());
}

std::string frameReply(const Json& id, Json result) {
    Json message = envelope();
    message.append("id", id);
    message.append("result", std::move(result));
    return frame(message.dump());
}

std::string frameFailure(const Json& id, const RpcError& error) {
    Json inner = Json::object();
    inner.append("code", error.code);
    inner.append("message", error.message);
    if (!error.data.isNull())
        inner.append("data", error.data);
    Json message = envelope();
    message.append("id", id);
    message.append("error", std::move(inner));
    return frame(message.dump());
}

Result<RpcMessage> parseRpc(std::string_view body) {
    FL_TRY(const Json json, Json::parse(body));
    if (!json.isObject() || json["jsonrpc"].string() != "2.0")
        return invalid("jsonrpc is not \"2.0\"");
    RpcMessage message;
    message.id = json["id"];
    if (!message.id.isNull() && !message.id.isInteger() && !message.id.isString())
        return invalid("id is neither an integer nor a string");
    return json.find("method") ? parseCall(json, std::move(message))
                               : parseAnswer(json, std::move(message));
}

}  // namespace fl::protocol
