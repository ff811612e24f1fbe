// SPDX-License-Identifier: Apache-2.0
// A blocking client of the protocol, for the command line and for tests. One thread at a time.
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "engine/base/cancel_token.h"
#include "engine/base/json.h"
#include "engine/base/result.h"
#include "engine/base/unique_fd.h"
#include "engine/protocol/codec.h"
#include "engine/protocol/framing.h"
#include "engine/protocol/messages.h"
#include "engine/protocol/rpc.h"

namespace fl::service {

class Client {
public:
    // Connects and says hello. The error of an engine of another version names both.
    static Result<std::unique_ptr<Client>> connect(const std::string& socketPath,
                                                   const std::string& name,
                                                   const CancelToken& cancel);

    // What the engine knew when we came.
    const protocol::Snapshot& snapshot() const { return snapshot_; }

    // Sends a request and waits for its answer; events that come meanwhile are kept for
    // nextEvent(). Cancelled as soon as the token is.
    Result<Json> call(std::string_view method, const Json& params);
    template <class T>
    Result<Json> call(std::string_view method, const T& params) {
        return call(method, protocol::encode(params));
    }
    // Sends without waiting; the answer comes from takeAnswer().
    Result<std::int64_t> send(std::string_view method, const Json& params);
    // The answer to a request sent, if it has come.
    std::optional<Result<Json>> takeAnswer(std::int64_t id);

    // The next event, waiting up to `seconds` for it; nothing if none came.
    Result<std::optional<protocol::Event>> nextEvent(double seconds);

private:
    Client(UniqueFd socket, CancelToken cancel);
    Status write(std::string_view bytes);
    // Waits up to `seconds` and reads what is there. False: nothing came.
    Result<bool> readSome(double seconds);
    Status take(const std::string& body);

    UniqueFd socket_;
    CancelToken cancel_;
    protocol::FrameReader reader_;
    protocol::Snapshot snapshot_;
    std::int64_t lastId_ = 0;
    std::deque<protocol::RpcMessage> answers_;
    std::deque<protocol::Event> events_;
};

}  // namespace fl::service
