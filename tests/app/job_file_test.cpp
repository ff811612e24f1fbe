// SPDX-License-Identifier: Apache-2.0
#include "app/job_file.h"

#include <gtest/gtest.h>

#include "engine/protocol/codec.h"
#include "tests/support/temp_dir.h"
#include "tests/support/tiny_checkpoint.h"

namespace fl::app {
namespace {

TEST(JobFile, ComesBackAsItWent) {
    test::TempDir folder;
    protocol::JobSettings settings;
    settings.job = "one";
    settings.checkpoint = "/models/a";
    settings.tp = 3;
    settings.stageLayers = {10, 20};
    settings.compute = "bf16";
    const std::string path = test::writeTo(folder.path(), "job.json", writeJobFile(settings));
    const auto read = readJobFile(path);
    ASSERT_TRUE(read) << read.error().message;
    EXPECT_EQ(protocol::encode(*read), protocol::encode(settings));
}

TEST(JobFile, LooksForTheCheckpointBesideIt) {
    test::TempDir folder;
    const std::string path =
        test::writeTo(folder.path(), "job.json", R"({"checkpoint": "models/a"})");
    EXPECT_EQ(readJobFile(path)->checkpoint, folder / "models/a");
}

TEST(JobFile, NamesAnUnknownKeyAndTheFile) {
    test::TempDir folder;
    const std::string path = test::writeTo(folder.path(), "job.json", R"({"tpp": 3})");
    const auto read = readJobFile(path);
    ASSERT_FALSE(read);
    EXPECT_TRUE(read.error().message.starts_with(path + ": unknown key 'tpp'"))
        << read.error().message;
}

TEST(JobFile, RefusesAPlanThatIsNone) {
    test::TempDir folder;
    protocol::JobSettings settings;
    const std::string path = test::writeTo(folder.path(), "plan.json", "{}");
    EXPECT_FALSE(takePlanFile(path, settings));
}

TEST(JobFile, MakesNamesOutOfPaths) {
    EXPECT_EQ(jobNameFor("/models/SmolLM2-135M/"), "SmolLM2-135M");
    EXPECT_EQ(jobNameFor("a model.gguf"), "a-model.gguf");
    EXPECT_EQ(jobNameFor("/models/.hidden"), "job.hidden");
    EXPECT_EQ(jobNameFor(std::string(100, 'x')).size(), 40u);
}

}  // namespace
}  // namespace fl::app
