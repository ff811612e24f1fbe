// SPDX-License-Identifier: Apache-2.0
// The programs as a user has them, with real ranks under mpirun on the tiny model.
// Covers: app/ctl.cpp app/engined.cpp app/control_program.cpp app/rank_program.cpp
// Covers: app/ctl/engine.cpp app/ctl/chat.cpp app/ctl/validate.cpp app/ctl/jobs.cpp
// Covers: app/ctl/bench.cpp engine/service/validation.cpp
#include <csignal>
#include <filesystem>
#include <fstream>
#include <thread>

#include <gtest/gtest.h>
#include <unistd.h>

#include "engine/base/text.h"
#include "engine/checkpoint/checkpoint.h"
#include "engine/checkpoint/tensor_reader.h"
#include "engine/service/client.h"
#include "engine/service/job_place.h"
#include "tests/app/program.h"
#include "tests/app/terminal.h"
#include "tests/support/temp_dir.h"
#include "tests/support/tiny_checkpoint.h"

namespace fl::app {
namespace {

namespace fs = std::filesystem;

class EngineTest : public testing::Test {
protected:
    EngineTest() {
        ::setenv("XDG_RUNTIME_DIR", folder_.path().c_str(), 1);
        ::setenv("XDG_STATE_HOME", (folder_ / "state").c_str(), 1);
    }
    // Everything that ran in this test is over: nothing may be left of it.
    ~EngineTest() override {
        std::error_code problem;
        for (const auto& entry : fs::directory_iterator(folder_ / "firstlight", problem))
            ADD_FAILURE() << "left behind: " << entry.path();
    }

    static protocol::Snapshot snapshot(const std::string& job) {
        const auto client =
            service::Client::connect(*service::jobSocket(job), "test", CancelToken());
        EXPECT_TRUE(client) << client.error().message;
        return client ? (*client)->snapshot() : protocol::Snapshot();
    }
    static Ran ctl(const std::string& arguments) { return run("firstlightctl", arguments); }
    static std::string model(const std::string& name, const std::string& cut) {
        return tinyModel(name) + " --cluster cpu:cards=4,memory=256MiB,threads=1 " + cut + " ";
    }
    // A copy of the small model that ends for no token and has room for very many.
    std::string longTalker() const {
        const fs::path copy = folder_ / "talker";
        fs::copy(tinyModel("tiny-llama"), copy, fs::copy_options::recursive);
        fs::remove(copy / "generation_config.json");
        Json config = *Json::parse(*readFile((copy / "config.json").string(), 1 << 16));
        config.set("eos_token_id", Json());
        config.set("max_position_embeddings", 131072);
        std::ofstream(copy / "config.json") << config.dump();
        return copy.string();
    }
    static std::string golden(const std::string& name) {
        return "--reference " + tinyModel(name) + "/golden ";
    }

    test::TempDir folder_;
};

TEST_F(EngineTest, AnswersOnce) {
    const Ran ran = ctl("chat " + model("tiny-llama", "--tp 2") + "-m hello --max-tokens 5 --json");
    ASSERT_EQ(ran.code, 0) << ran.err << ran.out;
    const Json answer = ran.json();
    for (const char* key : {"prompt", "input_ids", "images", "text", "ids", "finish", "logprobs",
                            "timing", "plan", "findings", "verdict"})
        EXPECT_NE(answer.find(key), nullptr) << key;
    EXPECT_NE(answer["prompt"].string().find("hello"), std::string::npos);
    EXPECT_LE(answer["ids"].size(), 5u);
    EXPECT_GT(answer["timing"]["ttft_s"].number(), 0);
    EXPECT_EQ(answer["plan"]["tp"], Json(2));
}

TEST_F(EngineTest, GivesTheSameAnswerOnOneRankAndOnMany) {
    const std::string prompt = "--ids 5,9,17,33 --max-tokens 12 --json";
    const Json one = ctl("chat " + model("tiny-qwen3-moe", "--tp 1 --pp 1") + prompt).json();
    const Json many =
        ctl("chat " + model("tiny-qwen3-moe", "--tp 2 --pp 2 --ep 2") + prompt).json();
    EXPECT_GT(one["ids"].size(), 0u);
    EXPECT_EQ(one["ids"], many["ids"]);
}

TEST_F(EngineTest, RefusesAnEmptyPromptBeforeItLoadsAnything) {
    const Ran ran = ctl("chat " + model("tiny-llama", "--tp 1") + "-m '' --json");
    EXPECT_EQ(ran.code, 3);
    EXPECT_NE(ran.out.find("the prompt is empty"), std::string::npos) << ran.out;
}

TEST_F(EngineTest, RefusesAPromptBeyondTheContext) {
    const Ran ran =
        ctl("chat " + model("tiny-llama", "--tp 1 --max-context 16") + "-m 'a long prompt' --json");
    EXPECT_EQ(ran.code, 3);
    EXPECT_NE(ran.out.find("max_context"), std::string::npos) << ran.out;
}

TEST_F(EngineTest, PrintsFindingsOfAPlanThatBreaksRules) {
    const Ran ran = ctl("chat " + model("tiny-llama", "--tp 3") + "-m hello --json");
    EXPECT_EQ(ran.code, 1) << ran.out << ran.err;
    EXPECT_GT(ran.json()["findings"].size(), 0u);
}

TEST_F(EngineTest, ValidatesEveryRung) {
    for (const char* cut : {"--tp 1 --pp 1", "--tp 2 --pp 2", "--dp 2 --tp 2"}) {
        const Ran ran = ctl("validate " + model("tiny-llama", cut) + golden("tiny-llama") +
                            "--compute f32 --json");
        ASSERT_EQ(ran.code, 0) << cut << ran.err << ran.out;
        const Json result = ran.json();
        EXPECT_GE(result["cases"].size(), 3u);
        for (const Json& one : result["cases"].items()) {
            EXPECT_EQ(one["verdict"].string(), "pass");
            EXPECT_GE(one["rungs"].size(), 10u);
            EXPECT_EQ(one["first_divergence"].size(), 0u);
        }
    }
}

// A copy of the tiny model's first case with one layer's values doubled.
void writeWrongReference(const std::string& folder) {
    const auto right =
        checkpoint::openCheckpoint(tinyModel("tiny-llama") + "/golden/ids1.safetensors");
    ASSERT_TRUE(right) << right.error().message;
    std::vector<test::TinyTensor> arrays;
    for (const checkpoint::TensorInfo& tensor : right->inventory.tensors()) {
        auto values = *checkpoint::readFloats(*right, tensor);
        for (float& value : values)
            value *= tensor.name == "layer.1" ? 2.0F : 1.0F;
        arrays.push_back(
            test::tinyTensor(std::string(tensor.name), tensor.dtype, tensor.shape, values));
    }
    test::writeTo(folder, "ids1.safetensors", test::safetensorsBytes(arrays));
    test::writeTo(folder, "cases.json", R"([{"name": "ids1", "kind": "ids", "tokens": 3}])");
}

TEST_F(EngineTest, NamesTheFirstRungThatDiffersAndItsRank) {
    writeWrongReference(folder_.path());
    const Ran ran = ctl("validate " + model("tiny-llama", "--tp 1 --pp 3") + "--reference " +
                        folder_.path() + " --json");
    EXPECT_EQ(ran.code, 1) << ran.err;
    const Json result = ran.json();
    const Json& first = result["cases"].items()[0]["first_divergence"].items()[0];
    EXPECT_EQ(first["rung"].string(), "layer.1");
    EXPECT_EQ(first["rank"], Json(1));
    EXPECT_TRUE(first["slice"].string().starts_with("layers 1–1")) << first.dump();
    ASSERT_EQ(result["findings"].size(), 1u);
    EXPECT_EQ(result["findings"].items()[0]["code"].string(), "reference-differs");
}

TEST_F(EngineTest, SaysWhatAReferenceLacks) {
    const Ran ran = ctl("validate " + model("tiny-llama", "--tp 1 --pp 1") + "--reference " +
                        folder_.path() + " --json");
    EXPECT_EQ(ran.code, 3);
    EXPECT_NE(ran.out.find("cases.json"), std::string::npos) << ran.out;
}

TEST_F(EngineTest, KeepsAnEngineRunningBetweenCommands) {
    const Ran launched =
        ctl("launch " + model("tiny-llama", "--tp 2 --pp 1") + "--name day0 --json");
    ASSERT_EQ(launched.code, 0) << launched.err << launched.out;
    EXPECT_EQ(launched.json()["job"].string(), "day0");
    EXPECT_EQ(launched.json()["ranks"].size(), 2u);

    const Ran second = ctl("launch " + model("tiny-llama", "--tp 1") + "--name day0");
    EXPECT_EQ(second.code, 3);
    EXPECT_NE(second.err.find("running already, pid"), std::string::npos) << second.err;

    const Json status = ctl("status --json").json();
    ASSERT_EQ(status["jobs"].size(), 1u);
    EXPECT_EQ(status["jobs"].items()[0]["state"].string(), "load passed");
    EXPECT_EQ(ctl("attach day0 --json").json()["state"].string(), "load passed");
    EXPECT_EQ(ctl("chat day0 --ids 4,5 --max-tokens 3 --json").code, 0);
    EXPECT_EQ(ctl("validate day0 " + golden("tiny-llama") + "--cases ids0 --json").code, 0);

    const std::string hello =
        R"({"jsonrpc":"2.0","id":1,"method":"hello","params":{"protocol":2}})";
    const Ran proxied = run(
        "firstlightctl",
        "proxy day0 < " +
            test::writeTo(folder_.path(), "hello",
                          "Content-Length: " + std::to_string(hello.size()) + "\r\n\r\n" + hello));
    EXPECT_EQ(proxied.code, 0);

    EXPECT_EQ(ctl("stop day0").code, 0);
    EXPECT_EQ(ctl("status --json").json()["jobs"].size(), 0u);
    EXPECT_EQ(ctl("stop day0").code, 3);
    EXPECT_EQ(ctl("attach dya0").code, 3);
}

TEST_F(EngineTest, TalksOnATerminalUntilCtrlC) {
    ASSERT_EQ(ctl("launch " + model("tiny-llama", "--tp 1 --pp 1") + "--name day0").code, 0);
    {
        Terminal talk("firstlightctl", {"chat", "day0", "--max-tokens", "3"});
        for (const char* line : {"hi\n", "\n", "and again\n"}) {
            EXPECT_TRUE(talk.waitFor("> ")) << talk.shown();
            talk.type(line);
        }
        EXPECT_TRUE(talk.waitFor("tok/s")) << talk.shown();
        EXPECT_TRUE(talk.waitFor("> "));
        talk.type("\x03");
        EXPECT_EQ(talk.code(), 130) << talk.shown();
    }
    Terminal raw("firstlightctl", {"chat", "day0", "--raw", "--max-tokens", "3"});
    EXPECT_TRUE(raw.waitFor("> "));
    raw.type("no template\n");
    EXPECT_TRUE(raw.waitFor("tok/s")) << raw.shown();
    EXPECT_TRUE(raw.waitFor("> "));
    raw.type("\x04");
    EXPECT_EQ(raw.code(), 0) << raw.shown();

    const auto state = snapshot("day0");
    ASSERT_EQ(state.chats.size(), 3U);  // an empty line says nothing
    EXPECT_EQ(state.chats[1].messages.size(), 3U);
    EXPECT_EQ(state.chats[2].raw, "no template");
    EXPECT_EQ(ctl("stop day0").code, 0);
}

TEST_F(EngineTest, TakesBackTheQuestionThatCtrlCInterrupts) {
    const std::string launch =
        "launch " + longTalker() + " --cluster cpu:cards=1,memory=256MiB,threads=1 --name day0";
    ASSERT_EQ(ctl(launch + " --max-context 100000 --max-sequences 1").code, 0);
    Terminal one("firstlightctl", {"chat", "day0", "--ids", "4,5", "--max-tokens", "90000"});
    while (snapshot("day0").answers.empty())
        std::this_thread::yield();
    one.type("\x03");
    EXPECT_EQ(one.code(), 130) << one.shown();
    while (snapshot("day0").answers.front().finish.empty())
        std::this_thread::yield();
    EXPECT_EQ(snapshot("day0").answers.front().finish, "cancelled");
    EXPECT_EQ(ctl("stop day0").code, 0);
}

TEST_F(EngineTest, FollowsAnEngineToItsEnd) {
    ASSERT_EQ(ctl("launch " + model("tiny-llama", "--tp 2 --pp 1") + "--name day0").code, 0);
    const Json status = ctl("status day0 --json").json();
    const Json& topology = status["topology"];
    ASSERT_EQ(topology["nodes"].size(), 1U) << status.dump();
    EXPECT_EQ(topology["nodes"].items()[0]["devices"].items()[1]["rank"], Json(1));
    EXPECT_GT(topology["nodes"].items()[0]["memory_bytes"].integer(), 0);
    EXPECT_EQ(topology["groups"].items()[0]["state"].string(), "formed");
    EXPECT_TRUE(status["metrics"].isArray());

    Terminal attached("firstlightctl", {"attach", "day0"});
    EXPECT_TRUE(attached.waitFor("load passed")) << attached.shown();
    EXPECT_EQ(ctl("stop day0").code, 0);
    EXPECT_EQ(attached.code(), 0) << attached.shown();
    EXPECT_NE(attached.shown().find("the engine has gone"), std::string::npos);
    EXPECT_EQ(ctl("status day0 --json").code, 3);
    const Ran proxied = ctl("proxy day0 </dev/null");
    EXPECT_EQ(proxied.code, 3);
    EXPECT_NE(proxied.err.find("no engine runs for a job 'day0'"), std::string::npos);
}

TEST_F(EngineTest, LeavesNothingWhenALaunchFails) {
    const Ran ran = ctl("launch " + model("tiny-llama", "--tp 3") + "--name bad --json");
    EXPECT_EQ(ran.code, 1) << ran.out;
}

TEST_F(EngineTest, EndsCleanlyOnCtrlC) {
    const pid_t child = ::fork();
    if (child == 0) {
        const std::string program = programDir() + "/firstlightctl";
        const std::string checkpoint = tinyModel("tiny-llama");
        ::execl(program.c_str(), program.c_str(), "chat", checkpoint.c_str(), "--cluster",
                "cpu:cards=1,memory=256MiB,threads=1", "--ids", "4,5", "--max-tokens", "100000",
                "--max-context", "2000", "--quiet", nullptr);
        ::_exit(127);
    }
    // Its engine is up as soon as the lock is there.
    const std::string lock = folder_ / ("firstlight/ctl-" + std::to_string(child) + ".lock");
    while (!fs::exists(lock) && ::kill(child, 0) == 0)
        std::this_thread::yield();
    ::kill(child, SIGINT);
    int status = 0;
    ::waitpid(child, &status, 0);
    ASSERT_TRUE(WIFEXITED(status));
    EXPECT_EQ(WEXITSTATUS(status), 130);
}

TEST_F(EngineTest, ServesTheMachinesFigures) {
    const Ran ran = ctl("bench machine --threads 1 --json");
    ASSERT_EQ(ran.code, 0) << ran.err;
    EXPECT_GT(ran.json()["machine"]["read_bytes_per_s"].number(), 0);
    const Ran decode = ctl("bench decode " + model("tiny-llama", "--tp 1 --pp 1") +
                           "--threads 1 --tokens 8 --runs 1 --json");
    ASSERT_EQ(decode.code, 0) << decode.err << decode.out;
    EXPECT_GT(decode.json()["result"]["ratio"].number(), 0);
}

TEST_F(EngineTest, RefusesWrongUse) {
    EXPECT_EQ(run("firstlightd", "").code, 2);
    EXPECT_EQ(run("firstlightd", "--job a/b").code, 3);
    const Ran rank = run("firstlightd", "--rank");
    EXPECT_EQ(rank.code, 3);
    EXPECT_NE(rank.err.find("FIRSTLIGHT_TICKET"), std::string::npos) << rank.err;
    EXPECT_EQ(run("firstlightd", "--version").code, 0);
}

}  // namespace
}  // namespace fl::app
