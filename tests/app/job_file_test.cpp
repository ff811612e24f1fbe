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

// What takePlanFile says of a plan with this text.
std::string refusalOf(std::string_view text, protocol::JobSettings& settings) {
    test::TempDir folder;
    const std::string path = test::writeTo(folder.path(), "plan.json", text);
    const Status taken = takePlanFile(path, settings);
    if (taken)
        return "";
    EXPECT_TRUE(taken.error().message.starts_with(path + ": ")) << taken.error().message;
    return taken.error().message.substr(path.size() + 2);
}

TEST(JobFile, TakesWhatAPlanDecided) {
    protocol::JobSettings settings;
    EXPECT_EQ(refusalOf(R"({"mesh": {"dp": 2, "pp": 2, "ep": 1, "tp": 3}, "stage_layers": [14, 16],
                            "order": "pp,tp,dp", "max_context": 512, "max_sequences": 4,
                            "compute": "bf16", "kv": "f32", "findings": [], "ranks": []})",
                        settings),
              "");
    EXPECT_EQ(settings.tp * settings.pp * settings.dp, 12);
    EXPECT_EQ(settings.stageLayers, (std::vector<int>{14, 16}));
    EXPECT_EQ(settings.order, "pp,tp,dp");
    EXPECT_EQ(settings.maxContext, 512);
    EXPECT_EQ(settings.maxSequences, 4);
    EXPECT_EQ(settings.compute, "bf16");
    EXPECT_EQ(settings.kv, "f32");
}

TEST(JobFile, RefusesAPlanThatIsNone) {
    protocol::JobSettings settings;
    EXPECT_TRUE(refusalOf("{}", settings).starts_with("not a plan"));
    EXPECT_TRUE(
        refusalOf(R"({"mesh": {"dp": 1, "pp": 0, "ep": 1, "tp": 1}, "stage_layers": []})", settings)
            .starts_with("mesh: "));
    EXPECT_TRUE(
        refusalOf(R"({"mesh": {"dp": 1, "pp": 1, "ep": 1, "tp": 2}, "stage_layers": []})", settings)
            .starts_with("this plan violates rules"));
    EXPECT_EQ(refusalOf(R"({"mesh": {"dp": 1, "pp": 2000000000, "ep": 1, "tp": 2},
                            "stage_layers": [3]})",
                        settings),
              "stage_layers has 1 stages, mesh.pp is 2000000000");
    EXPECT_NE(
        refusalOf(R"({"mesh": {"pp": "two"}, "stage_layers": [3]})", settings).find("mesh.pp"),
        std::string::npos);
    EXPECT_EQ(protocol::encode(settings), protocol::encode(protocol::JobSettings()));
}

TEST(JobFile, MakesNamesOutOfPaths) {
    EXPECT_EQ(jobNameFor("/models/SmolLM2-135M/"), "SmolLM2-135M");
    EXPECT_EQ(jobNameFor("a model.gguf"), "a-model.gguf");
    EXPECT_EQ(jobNameFor("/models/.hidden"), "job.hidden");
    EXPECT_EQ(jobNameFor(std::string(100, 'x')).size(), 40u);
}

}  // namespace
}  // namespace fl::app
