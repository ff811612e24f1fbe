// SPDX-License-Identifier: Apache-2.0
// A request to stop that long calls look at between pieces of work.
#pragma once

#include <atomic>
#include <memory>
#include <string>

#include "engine/base/result.h"

namespace fl {

// Cheap to copy, safe from every thread. A default-made token is never cancelled.
class CancelToken {
public:
    CancelToken() = default;

    bool cancelled() const { return flag_ && flag_->load(std::memory_order_relaxed); }
    // Error{Cancelled, "<what> cancelled"} once cancelled: FL_DO(token.check("load"));
    Status check(const std::string& what) const;

private:
    friend class CancelSource;
    explicit CancelToken(std::shared_ptr<const std::atomic<bool>> flag) : flag_(std::move(flag)) {}
    std::shared_ptr<const std::atomic<bool>> flag_;
};

class CancelSource {
public:
    void cancel() { flag_->store(true, std::memory_order_relaxed); }
    CancelToken token() const { return CancelToken(flag_); }

private:
    std::shared_ptr<std::atomic<bool>> flag_ = std::make_shared<std::atomic<bool>>(false);
};

}  // namespace fl
