// SPDX-License-Identifier: Apache-2.0
#include "engine/service/rank_finding.h"

#include <gtest/gtest.h>

namespace fl::service {
namespace {

TEST(RankFinding, NamesWhatAnErrorMeansForTheUser) {
    const Finding memory = rankFinding({ErrorCode::OutOfMemory, "kv: CPU card 0: …"}, "load");
    EXPECT_EQ(memory.code, "device-out-of-memory");
    EXPECT_EQ(memory.stage, "load");
    EXPECT_EQ(memory.message, "kv: CPU card 0: …");
    EXPECT_NE(memory.remedy, "");
    EXPECT_EQ(rankFinding({ErrorCode::Timeout, "x"}, "probe").code, "collective-timeout");
    EXPECT_EQ(rankFinding({ErrorCode::Corrupt, "x"}, "load").code, "weights-unreadable");
    EXPECT_EQ(rankFinding({ErrorCode::Corrupt, "tensor a.b: short"}, "load").tensor, "a.b");
    EXPECT_EQ(rankFinding({ErrorCode::Corrupt, "x: short"}, "load").tensor, "");
    EXPECT_EQ(rankFinding({ErrorCode::Corrupt, "x"}, "launch").code, "rank-failed");
    EXPECT_EQ(rankFinding({ErrorCode::Io, "x"}, "load").code, "rank-failed");
}

}  // namespace
}  // namespace fl::service
