// SPDX-License-Identifier: Apache-2.0
#include "engine/protocol/rpc.h"

#include <gtest/gtest.h>

#include "engine/protocol/framing.h"

namespace fl::protocol {
namespace {

RpcMessage roundTrip(const std::string& framed) {
    FrameReader reader;
    reader.append(framed);
    const auto body = reader.next();
    auto message = parseRpc(**body);
    EXPECT_TRUE(message);
    return *message;
}

TEST(Rpc, ReadsWhatItWrites) {
    Json params = Json::object();
    params.set("stage", "load");
    const RpcMessage request = roundTrip(frameRequest(7, "stage.run", params));
    EXPECT_EQ(request.kind, RpcMessage::Kind::Request);
    EXPECT_EQ(request.id, Json(7));
    EXPECT_EQ(request.method, "stage.run");
    EXPECT_EQ(request.params, params);

    EXPECT_EQ(roundTrip(frameNotification("events", params)).kind, RpcMessage::Kind::Notification);
    EXPECT_EQ(roundTrip(frameReply(Json("x"), Json(3))).result, Json(3));

    const RpcMessage failure = roundTrip(frameFailure(Json(7), {kInvalidParams, "why", Json(1)}));
    EXPECT_EQ(failure.kind, RpcMessage::Kind::Failure);
    EXPECT_EQ(failure.error.code, kInvalidParams);
    EXPECT_EQ(failure.error.message, "why");
    EXPECT_EQ(failure.error.data, Json(1));
}

TEST(Rpc, RefusesWhatIsNoMessage) {
    EXPECT_EQ(parseRpc("{").error().code, ErrorCode::Corrupt);
    for (const char* text :
         {"[]", "{}", R"({"jsonrpc":"1.0","method":"a"})", R"({"jsonrpc":"2.0","method":3})",
          R"({"jsonrpc":"2.0","id":1})", R"({"jsonrpc":"2.0","id":[],"method":"a"})",
          R"({"jsonrpc":"2.0","method":"a","params":[1]})"})
        EXPECT_EQ(parseRpc(text).error().code, ErrorCode::InvalidArgument) << text;
}

}  // namespace
}  // namespace fl::protocol
