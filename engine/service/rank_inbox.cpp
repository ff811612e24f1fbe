// SPDX-License-Identifier: Apache-2.0
#include "engine/service/rank_inbox.h"

#include <chrono>
#include <utility>

#include "engine/protocol/names.h"

namespace fl::service {

void RankInbox::put(const std::string& method, const Json& params) {
    const std::lock_guard lock(mutex_);
    if (method == protocol::link::kShutdown) {
        stop_.cancel();
        load_.cancel();
    }
    if (method == protocol::link::kLoadCancel)
        load_.cancel();
    messages_.push_back({method, params});
    arrived_.notify_one();
}

std::optional<RankInbox::Message> RankInbox::take(double seconds) {
    std::unique_lock lock(mutex_);
    const std::chrono::duration<double> patience(seconds);
    if (seconds > 0)
        arrived_.wait_for(lock, patience, [this] { return !messages_.empty(); });
    if (messages_.empty())
        return std::nullopt;
    Message message = std::move(messages_.front());
    messages_.pop_front();
    return message;
}

CancelToken RankInbox::beginLoad() {
    const std::lock_guard lock(mutex_);
    load_ = CancelSource();
    if (stop_.token().cancelled())
        load_.cancel();
    return load_.token();
}

}  // namespace fl::service
