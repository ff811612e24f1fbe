// SPDX-License-Identifier: Apache-2.0
// One answer that a worker thread waits for and the control thread gives.
#pragma once

#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>

#include "engine/base/cancel_token.h"
#include "engine/base/result.h"

namespace fl::service {

// Cheap to copy; all copies mean the same answer. The first answer counts.
template <class T>
class Completion {
public:
    void set(Result<T> answer) const {
        const std::lock_guard lock(state_->mutex);
        if (state_->answer)
            return;
        state_->answer = std::move(answer);
        state_->given.notify_all();
    }

    // Blocks until the answer or until `cancel` is cancelled, which is noticed within 20 ms.
    Result<T> wait(const CancelToken& cancel) const {
        std::unique_lock lock(state_->mutex);
        while (!state_->answer) {
            if (cancel.cancelled())
                return Error{ErrorCode::Cancelled, "cancelled"};
            state_->given.wait_for(lock, std::chrono::milliseconds(20));
        }
        return *state_->answer;
    }

private:
    struct State {
        std::mutex mutex;
        std::condition_variable given;
        std::optional<Result<T>> answer;
    };
    std::shared_ptr<State> state_ = std::make_shared<State>();
};

}  // namespace fl::service
