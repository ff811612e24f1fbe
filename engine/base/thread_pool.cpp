// SPDX-License-Identifier: Apache-2.0
#include "engine/base/thread_pool.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace fl {

struct ThreadPool::State {
    std::mutex mutex;
    std::condition_variable wake;
    std::deque<std::function<void()>> tasks;
    bool stopping = false;
    std::vector<std::jthread> workers;

    void stop() {
        {
            const std::lock_guard lock(mutex);
            stopping = true;
        }
        wake.notify_all();
        workers.clear();  // joins
    }

    void work() {
        for (;;) {
            std::function<void()> task;
            {
                std::unique_lock lock(mutex);
                wake.wait(lock, [this] { return stopping || !tasks.empty(); });
                if (tasks.empty())
                    return;
                task = std::move(tasks.front());
                tasks.pop_front();
            }
            task();
        }
    }
};

ThreadPool::ThreadPool(int threads) : state_(std::make_unique<State>()) {
    try {
        for (int i = 0; i < std::max(1, threads); ++i)
            state_->workers.emplace_back([state = state_.get()] { state->work(); });
    } catch (const std::system_error&) {
        state_->stop();  // those that did start would be waited for in vain
        throw;
    }
}

ThreadPool::~ThreadPool() {
    state_->stop();
}

int ThreadPool::threads() const {
    return static_cast<int>(state_->workers.size());
}

void ThreadPool::submit(std::function<void()> task) {
    {
        const std::lock_guard lock(state_->mutex);
        state_->tasks.push_back(std::move(task));
    }
    state_->wake.notify_one();
}

void ThreadPool::parallelFor(std::int64_t count, const std::function<void(std::int64_t)>& body) {
    // Shared, because a worker may look at the counter after the caller has returned.
    struct Loop {
        std::atomic<std::int64_t> next{0};
        std::atomic<std::int64_t> done{0};
    };
    const auto loop = std::make_shared<Loop>();
    const auto run = [loop, count, &body] {
        for (std::int64_t i = loop->next++; i < count; i = loop->next++) {
            body(i);
            if (++loop->done == count)
                loop->done.notify_all();
        }
    };
    const std::int64_t extra = std::min<std::int64_t>(threads(), count - 1);
    for (std::int64_t i = 0; i < extra; ++i)
        submit(run);
    run();
    for (std::int64_t done = loop->done; done < count; done = loop->done)
        loop->done.wait(done);
}

}  // namespace fl
