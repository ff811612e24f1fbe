// SPDX-License-Identifier: Apache-2.0
#include "tests/support/local_messenger.h"

#include <cstring>
#include <deque>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <tuple>
#include <utility>

namespace fl::test {

namespace {

struct Hub {
    std::mutex mutex;
    std::map<std::tuple<int, int, comm::Channel>, std::deque<std::string>> mail;  // from, to
    std::map<std::vector<int>, std::shared_ptr<Hub>> parts;
};

class LocalMessenger final : public comm::Messenger {
public:
    LocalMessenger(std::shared_ptr<Hub> hub, int rank, int ranks)
        : hub_(std::move(hub)),
          rank_(rank),
          ranks_(ranks) {}

    int rank() const override { return rank_; }
    int ranks() const override { return ranks_; }

    Status send(const void* from, std::int64_t bytes, int peer, comm::Channel channel) override {
        const std::lock_guard lock(hub_->mutex);
        hub_->mail[{rank_, peer, channel}].emplace_back(static_cast<const char*>(from),
                                                        static_cast<std::size_t>(bytes));
        return Done{};
    }

    Status receive(void* to, std::int64_t bytes, int peer, comm::Channel channel) override {
        pending_.push_back({to, bytes, peer, channel});
        return Done{};
    }

    Result<bool> test() override {
        const std::lock_guard lock(hub_->mutex);
        while (!pending_.empty()) {
            const Pending& next = pending_.front();
            auto& box = hub_->mail[{next.peer, rank_, next.channel}];
            if (box.empty())
                return false;
            if (static_cast<std::int64_t>(box.front().size()) != next.bytes)
                return Error{ErrorCode::Corrupt, "message of another size"};
            std::memcpy(next.to, box.front().data(), box.front().size());
            box.pop_front();
            pending_.pop_front();
        }
        return true;
    }

    void abandon() override { pending_.clear(); }

    Result<std::int64_t> probe(int peer, comm::Channel channel) override {
        const std::lock_guard lock(hub_->mutex);
        auto& box = hub_->mail[{peer, rank_, channel}];
        return box.empty() ? std::int64_t{-1} : static_cast<std::int64_t>(box.front().size());
    }

    Result<std::unique_ptr<comm::Messenger>> subset(std::span<const int> members) override {
        const std::vector<int> key(members.begin(), members.end());
        int place = -1;
        for (std::size_t i = 0; i < key.size(); ++i) {
            if (key[i] == rank_)
                place = static_cast<int>(i);
        }
        const std::lock_guard lock(hub_->mutex);
        auto& part = hub_->parts[key];
        if (!part)
            part = std::make_shared<Hub>();
        return std::unique_ptr<comm::Messenger>(
            std::make_unique<LocalMessenger>(part, place, static_cast<int>(key.size())));
    }

private:
    struct Pending {
        void* to;
        std::int64_t bytes;
        int peer;
        comm::Channel channel;
    };
    std::shared_ptr<Hub> hub_;
    int rank_;
    int ranks_;
    std::deque<Pending> pending_;
};

}  // namespace

std::vector<std::unique_ptr<comm::Messenger>> localRanks(int ranks) {
    auto hub = std::make_shared<Hub>();
    std::vector<std::unique_ptr<comm::Messenger>> all;
    for (int rank = 0; rank < ranks; ++rank)
        all.push_back(std::make_unique<LocalMessenger>(hub, rank, ranks));
    return all;
}

void onRanks(int ranks, const std::function<void(std::unique_ptr<comm::Messenger>)>& body) {
    auto all = localRanks(ranks);
    std::vector<std::thread> threads;
    for (auto& messenger : all)
        threads.emplace_back(
            [&body, mine = std::move(messenger)]() mutable { body(std::move(mine)); });
    for (std::thread& thread : threads)
        thread.join();
}

}  // namespace fl::test
