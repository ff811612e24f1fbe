// SPDX-License-Identifier: Apache-2.0
#include "engine/comm/preflight.h"

#include <gtest/gtest.h>

#include "tests/support/cpu_card.h"
#include "tests/support/local_messenger.h"

namespace fl::comm {

namespace {

const fl_plugin& cpuPlugin() {
    return *plugins::cpu::pluginEntry(FL_ABI_VERSION);
}

Result<PreflightTimes> tryGroup(Messenger& world, const fl_plugin& plugin) {
    auto card = test::openCpuCard("cards=1", plugin);
    CollectiveJournal journal;
    std::vector<int> ranks;
    for (int rank = 0; rank < world.ranks(); ++rank)
        ranks.push_back(rank);
    FL_TRY(auto group, Group::create({"tp", "tp0", ranks, world.rank()}, world, {}, card.device,
                                     card.stream, journal));
    return preflight(*group, card.device, card.stream);
}

// A backend whose sums are wrong by one, as a broken link would make them.
fl_status wrongAllReduce(fl_group*, fl_stream*, float* data, std::int64_t count) {
    for (std::int64_t i = 0; i < count; ++i)
        data[i] = 4;
    return FL_OK;
}

}  // namespace

TEST(Preflight, MeasuresAGroupThatWorks) {
    test::onRanks(3, [](std::unique_ptr<Messenger> world) {
        const auto times = tryGroup(*world, cpuPlugin());
        ASSERT_TRUE(times) << times.error().message;
        EXPECT_GT(times->allReduceSeconds, 0);
        EXPECT_EQ(times->allReduceBytes, 16384);
        EXPECT_GT(times->ringBytesPerSecond, 0);
    });
}

TEST(Preflight, FindsASumThatIsWrong) {
    test::onRanks(2, [](std::unique_ptr<Messenger> world) {
        fl_collective_api collectives = *cpuPlugin().collectives;
        collectives.all_reduce = wrongAllReduce;
        fl_plugin broken = cpuPlugin();
        broken.collectives = &collectives;
        const auto times = tryGroup(*world, broken);
        ASSERT_FALSE(times);
        EXPECT_EQ(times.error().code, ErrorCode::Corrupt);
        EXPECT_NE(times.error().message.find("all_reduce of group tp0"), std::string::npos);
    });
}

}  // namespace fl::comm
