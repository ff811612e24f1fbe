// SPDX-License-Identifier: Apache-2.0
// The world of one rank: there is nobody to talk to.
#include "engine/comm/messenger.h"

namespace fl::comm {

namespace {

class SingleRank final : public Messenger {
public:
    int rank() const override { return 0; }
    int ranks() const override { return 1; }
    Status send(const void*, std::int64_t, int, Channel) override { return nobody(); }
    Status receive(void*, std::int64_t, int, Channel) override { return nobody(); }
    Result<bool> test() override { return true; }
    void abandon() override {}
    Result<std::int64_t> probe(int, Channel) override { return std::int64_t{-1}; }
    Result<std::unique_ptr<Messenger>> subset(std::span<const int>) override {
        return singleRank();
    }

private:
    static Status nobody() {
        return Error{ErrorCode::InvalidArgument, "a world of one rank has no peer to talk to"};
    }
};

}  // namespace

std::unique_ptr<Messenger> singleRank() {
    return std::make_unique<SingleRank>();
}

}  // namespace fl::comm
