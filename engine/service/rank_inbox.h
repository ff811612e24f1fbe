// SPDX-License-Identifier: Apache-2.0
// Messages of the control process on their way from the link's thread to the engine thread.
#pragma once

#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <string>

#include "engine/base/cancel_token.h"
#include "engine/base/json.h"

namespace fl::service {

class RankInbox {
public:
    struct Message {
        std::string method;
        Json params;
    };

    // Link thread. `shutdown` also cancels stopToken(), and `load.cancel` the load that runs.
    void put(const std::string& method, const Json& params);

    // Engine thread: the next message, waiting at most `seconds`.
    std::optional<Message> take(double seconds);

    // Cancelled once the rank has to leave.
    CancelToken stopToken() const { return stop_.token(); }
    // A token for the load that begins now; a `load.cancel` that came before it has no effect.
    CancelToken beginLoad();

private:
    std::mutex mutex_;
    std::condition_variable arrived_;
    std::deque<Message> messages_;
    CancelSource stop_;
    CancelSource load_;
};

}  // namespace fl::service
