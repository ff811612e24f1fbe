// SPDX-License-Identifier: Apache-2.0
#include "engine/service/node_checkpoint.h"

#include <filesystem>

#include <gtest/gtest.h>

#include "engine/service/host_name.h"
#include "tests/support/temp_dir.h"
#include "tests/support/tiny_llama.h"

namespace fl::service {
namespace {

class NodeCheckpointTest : public testing::Test {
protected:
    NodeCheckpointTest() {
        test::writeTinyLlama(folder_.path());
        job_.settings.checkpoint = folder_.path();
        job_.checkpoint = checkpointText(*inspectCheckpoint(job_.settings));
    }
    Finding only() {
        const auto found = inspectOnNode(job_);
        EXPECT_EQ(found.problems.size(), 1U);
        return found.problems.empty() ? Finding() : found.problems.front();
    }

    test::TempDir folder_;
    protocol::RankJob job_;
};

TEST_F(NodeCheckpointTest, IsTheOneThatWasInspected) {
    const auto found = inspectOnNode(job_);
    EXPECT_TRUE(found.problems.empty());
    EXPECT_GT(found.inspection.checkpoint->inventory.size(), 0U);
}

TEST_F(NodeCheckpointTest, NamesNodeAndPathWhereItIsAbsent) {
    job_.settings.checkpoint = folder_ / "elsewhere";
    const Finding finding = only();
    EXPECT_EQ(finding.code, "checkpoint-absent");
    EXPECT_NE(finding.message.find(ownHost()), std::string::npos) << finding.message;
    EXPECT_EQ(finding.file, job_.settings.checkpoint);
    EXPECT_FALSE(finding.remedy.empty());
}

TEST_F(NodeCheckpointTest, SaysWhatDiffers) {
    job_.checkpoint = "1 tensors, 2 bytes in 1 files";
    const Finding finding = only();
    EXPECT_EQ(finding.code, "checkpoint-differs");
    EXPECT_EQ(finding.expected, job_.checkpoint);
    EXPECT_NE(finding.found.find(" bytes in "), std::string::npos) << finding.found;
}

TEST_F(NodeCheckpointTest, SaysWhatIsBroken) {
    std::filesystem::remove(folder_ / "config.json");
    const Finding finding = only();
    EXPECT_EQ(finding.code, "checkpoint-differs");
    EXPECT_NE(finding.found.find("config.json"), std::string::npos) << finding.found;
}

}  // namespace
}  // namespace fl::service
