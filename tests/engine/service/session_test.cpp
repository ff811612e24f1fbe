// SPDX-License-Identifier: Apache-2.0
// A whole control process with ranks that have no model, and clients of several kinds.
// Covers: engine/service/session_methods.cpp
// Covers: engine/service/recipe_report.cpp engine/service/value_report.cpp
// Covers: engine/service/client.cpp engine/service/rank_team.cpp engine/service/chats.cpp
// Covers: engine/service/error_map.cpp engine/service/language.cpp
#include "engine/service/session.h"

#include <csignal>
#include <thread>

#include <fmt/core.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>

#include "engine/base/paths.h"
#include "engine/base/text.h"
#include "engine/protocol/metric_messages.h"
#include "engine/protocol/names.h"
#include "tests/engine/service/session_fixture.h"

namespace fl::service {
namespace {

// A recipe of the user's own that is llama's; returns its text.
std::string writeRecipe(const std::string& file) {
    const auto text = readFile(resourcesDir() + "/models/llama.lua");
    EXPECT_TRUE(text && writeFile(file, *text));
    return text ? *text : std::string();
}

TEST_F(SessionTest, BringsAModelUpStageByStage) {
    begin();
    const auto client = connect();
    ASSERT_TRUE(client->call(method::kJobOpen, openRequest("load")));
    for (const char* stage : {"inspect", "plan", "launch", "load"}) {
        const Json data = waitForStage(*client, stage, "passed");
        EXPECT_FALSE(data["summary"].string().empty()) << stage;
        EXPECT_GE(data["seconds"].number(), 0) << stage;
    }
    const auto count = [this](std::string_view name) {
        return std::count(seen_.begin(), seen_.end(), name);
    };
    EXPECT_EQ(count(event::kJobChanged), 1);
    EXPECT_EQ(count(event::kCensusChanged), 1);
    EXPECT_EQ(count(event::kPlanChanged), 1);
    EXPECT_GE(count(event::kRankChanged), 10);
}

TEST_F(SessionTest, InspectsAgainWhenTheRecipeIsSaved) {
    begin();
    const std::string recipe = std::string(::getenv("XDG_RUNTIME_DIR")) + "/own.lua";
    const std::string good = writeRecipe(recipe);
    const auto client = connect();
    auto request = openRequest("inspect");
    request.settings.recipe = recipe;
    ASSERT_TRUE(client->call(method::kJobOpen, request));
    waitForStage(*client, "inspect", "passed");
    ASSERT_TRUE(writeFile(recipe, "return { name = 'own', build = 1 }"));
    waitForStage(*client, "inspect", "failed");
    ASSERT_TRUE(writeFile(recipe, good));
    waitForStage(*client, "inspect", "passed");
}

TEST_F(SessionTest, ARecipeSavedBesideRanksIsReadByTheNextRunAlone) {
    begin();
    const std::string recipe = std::string(::getenv("XDG_RUNTIME_DIR")) + "/own.lua";
    const std::string good = writeRecipe(recipe);
    const auto client = connect();
    auto request = openRequest("load");
    request.settings.recipe = recipe;
    ASSERT_TRUE(client->call(method::kJobOpen, request));
    waitForStage(*client, "load", "passed");
    ASSERT_TRUE(writeFile(recipe, good + "-- saved again\n"));
    ASSERT_TRUE(client->call(method::kSnapshot, Json::object()));  // the save has been seen
    request.until = "plan";
    ASSERT_TRUE(client->call(method::kJobOpen, request));
    waitForStage(*client, "plan", "passed");
    // Is answered behind the end of that run, and of what would follow it.
    ASSERT_TRUE(client->call(method::kPlanPropose, protocol::PlanRequest{request.settings}));
    const auto state =
        protocol::decode<protocol::Snapshot>(*client->call(method::kSnapshot, Json::object()));
    ASSERT_TRUE(state);
    for (const protocol::StageState& each : state->stages) {
        if (each.stage == "inspect" || each.stage == "plan") {
            EXPECT_EQ(each.state, "passed") << each.stage;
        }
    }
}

TEST_F(SessionTest, StopsWhereItIsTold) {
    begin();
    const auto client = connect();
    bringUp(*client, "plan");
    const auto state =
        protocol::decode<protocol::Snapshot>(*client->call(method::kSnapshot, Json::object()));
    ASSERT_TRUE(state);
    EXPECT_TRUE(state->hasPlan);
    EXPECT_TRUE(state->ranks.empty());
    // One stage more, and what it needs is there already.
    ASSERT_TRUE(client->call(method::kStageRun, protocol::StageRequest{"launch"}));
    waitForStage(*client, "launch", "passed");
}

TEST_F(SessionTest, GivesALateClientWhatTheOthersKnow) {
    begin();
    const auto early = connect();
    bringUp(*early);
    ASSERT_TRUE(early->call(method::kChatSend, chat("one", {5, 6, 7})));
    waitForDone(*early, "one");
    const auto late = connect();
    const Json known = *early->call(method::kSnapshot, Json::object());
    EXPECT_EQ(protocol::encode(late->snapshot()), known);
    EXPECT_EQ(late->snapshot().answers.size(), 1u);
    EXPECT_EQ(late->snapshot().ranks.size(), 2u);
    EXPECT_TRUE(late->snapshot().hasCensus);
}

TEST_F(SessionTest, AnswersTwoClientsAndTellsEachOfTheOther) {
    begin();
    const auto one = connect();
    bringUp(*one);
    const auto two = connect();
    ASSERT_TRUE(two->call(method::kChatSend, chat("b", {9, 8, 7})));
    ASSERT_TRUE(one->call(method::kChatSend, chat("a", {3, 4})));
    const Json a = waitForDone(*two, "a");
    EXPECT_EQ(a["ids"].size(), 2u);
    EXPECT_EQ(a["finish"].string(), "stop");
    const Json b = waitForDone(*one, "b");
    EXPECT_EQ(b["ids"].size(), 3u);
    EXPECT_GT(b["timing"]["ttft_s"].number(), 0);
}

TEST_F(SessionTest, CountsWhatHappened) {
    begin();
    const auto client = connect();
    bringUp(*client);
    ASSERT_TRUE(client->call(method::kChatSend, chat("a", {3, 4})));
    waitForDone(*client, "a");
    const auto metrics = client->call(method::kMetrics, Json::object());
    ASSERT_TRUE(metrics) << metrics.error().message;
    double requests = 0;
    for (const Json& one : (*metrics)["metrics"].items()) {
        EXPECT_FALSE(one["unit"].string().empty()) << one.dump();
        if (one["name"].string() == "requests_total")
            requests = one["value"].number();
    }
    EXPECT_EQ(requests, 1);
}

TEST_F(SessionTest, RendersTheTemplateAndReportsThePrompt) {
    begin();
    const auto client = connect();
    bringUp(*client);
    protocol::ChatRequest request;
    request.request = "hello";
    request.messages = {{"user", "hi"}};
    const auto started = client->call(method::kChatSend, request);
    ASSERT_TRUE(started) << started.error().message;
    EXPECT_NE((*started)["prompt"].string().find("hi"), std::string::npos);
    EXPECT_GT((*started)["input_ids"].size(), 2u);
    waitForDone(*client, "hello");
    waitForStage(*client, "probe", "passed");
}

TEST_F(SessionTest, RefusesPromptsThatCannotWork) {
    begin();
    const auto client = connect();
    EXPECT_NE(messageOf(client->call(method::kChatSend, chat("x", {1}))).find("no model is loaded"),
              std::string::npos);
    auto open = openRequest("load");
    open.settings.maxContext = 32;
    ASSERT_TRUE(client->call(method::kJobOpen, open));
    waitForStage(*client, "load", "passed");
    EXPECT_NE(messageOf(client->call(method::kChatSend, chat("x", {}))).find("prompt is empty"),
              std::string::npos);
    const std::vector<int> longer(40, 3);
    const std::string refusal = messageOf(client->call(method::kChatSend, chat("x", longer)));
    EXPECT_NE(refusal.find("40 tokens"), std::string::npos) << refusal;
    EXPECT_NE(refusal.find("32"), std::string::npos) << refusal;
    EXPECT_NE(messageOf(client->call(method::kChatSend, chat("", {1}))).find("needs a name"),
              std::string::npos);
}

TEST_F(SessionTest, ShowsEveryViolatedRuleAndGoesNoFurther) {
    begin();
    const auto client = connect();
    ASSERT_TRUE(client->call(method::kJobOpen, openRequest("load", 3)));
    const Json plan = waitForStage(*client, "plan", "failed");
    EXPECT_FALSE(plan["summary"].string().empty());
    const auto state =
        protocol::decode<protocol::Snapshot>(*client->call(method::kSnapshot, Json::object()));
    EXPECT_TRUE(hasErrors(state->findings));
    EXPECT_FALSE(state->plan.legalTp.empty());
    EXPECT_TRUE(state->ranks.empty());
}

TEST_F(SessionTest, SaysWhatIsNoCheckpoint) {
    begin();
    const auto client = connect();
    auto open = openRequest("load");
    open.settings.checkpoint = scratch_.path();
    ASSERT_TRUE(client->call(method::kJobOpen, open));
    waitForStage(*client, "inspect", "failed");
    const auto state =
        protocol::decode<protocol::Snapshot>(*client->call(method::kSnapshot, Json::object()));
    ASSERT_EQ(state->findings.size(), 1u) << text(state->findings.back());
    EXPECT_EQ(state->findings[0].stage, "inspect");
    // And another job can be opened behind it.
    bringUp(*client);
}

TEST_F(SessionTest, SurvivesALostRankAndStartsAgain) {
    ::setenv("FAKE_RANK", "1:kill:token", 1);
    begin();
    const auto client = connect();
    bringUp(*client);
    ASSERT_TRUE(client->call(method::kChatSend, chat("a", {3, 4})));
    waitForDone(*client, "a");
    const auto state =
        protocol::decode<protocol::Snapshot>(*client->call(method::kSnapshot, Json::object()));
    ASSERT_EQ(::kill(static_cast<pid_t>(state->ranks[1].pid), SIGKILL), 0);
    const Json lost = waitFor(*client, event::kRankLost, [](const Json&) { return true; });
    EXPECT_EQ(lost["rank"], Json(1));
    EXPECT_EQ(lost["cause"].string(), "signal 9 (SIGKILL)");
    EXPECT_FALSE(lost["last_line"].string().empty());
    waitForStage(*client, "load", "failed");
    ::unsetenv("FAKE_RANK");
    ASSERT_TRUE(client->call(method::kStageRun, protocol::StageRequest{"load"}));
    waitForStage(*client, "load", "passed");
    ASSERT_TRUE(client->call(method::kChatSend, chat("b", {3, 4})));
    EXPECT_EQ(waitForDone(*client, "b")["finish"].string(), "stop");
}

TEST_F(SessionTest, KeepsThePartOfAnAnswerThatCame) {
    ::setenv("FAKE_RANK", "0:kill:token", 1);
    begin();
    const auto client = connect();
    bringUp(*client);
    ASSERT_TRUE(client->call(method::kChatSend, chat("a", {3, 4, 5, 6})));
    const Json done = waitForDone(*client, "a");
    EXPECT_EQ(done["finish"].string(), "error");
    // What had left the rank before it died; the fourth token never did.
    EXPECT_LE(done["ids"].size(), 2u);
    EXPECT_NE(done["error"].string().find("rank 0"), std::string::npos);
}

TEST_F(SessionTest, FailsTheStageInWhichARankFails) {
    ::setenv("FAKE_RANK", "1:fail:loaded", 1);
    begin();
    const auto client = connect();
    ASSERT_TRUE(client->call(method::kJobOpen, openRequest("load")));
    const Json load = waitForStage(*client, "load", "failed");
    EXPECT_EQ(load["summary"].string(), "the card refused");
    EXPECT_EQ(std::count(seen_.begin(), seen_.end(), event::kFindingAdded), 1);
}

TEST_F(SessionTest, SaysWhichRankDidNotComeUpInTime) {
    ::setenv("FAKE_RANK", "1:hang:groups", 1);
    options_.budgets.launchSeconds = 0.5;
    begin();
    const auto client = connect();
    ASSERT_TRUE(client->call(method::kJobOpen, openRequest("load")));
    const Json launch = waitForStage(*client, "launch", "failed");
    EXPECT_NE(launch["summary"].string().find("rank 1 got to 'device' only"), std::string::npos)
        << launch.dump();
}

TEST_F(SessionTest, SaysThatThereIsNoMpi) {
    options_.ranks.launcher = "mpirun-that-is-not-there";
    begin();
    const auto client = connect();
    ASSERT_TRUE(client->call(method::kJobOpen, openRequest("load")));
    const Json finding = waitFor(*client, event::kFindingAdded, [](const Json&) { return true; });
    EXPECT_EQ(finding["code"].string(), "mpi-missing");
    waitForStage(*client, "launch", "failed");
}

TEST_F(SessionTest, CancelsALaunchAndALoad) {
    for (const char* where : {"groups", "loaded"}) {
        const std::string stage = std::string(where) == "groups" ? "launch" : "load";
        ::setenv("FAKE_RANK", (std::string("1:hang:") + where).c_str(), 1);
        begin();
        const auto client = connect();
        ASSERT_TRUE(client->call(method::kJobOpen, openRequest("load")));
        waitFor(*client, event::kRankChanged, [&](const Json& data) {
            return data["rank"] == Json(1) &&
                   data["phase"].string() == (stage == "launch" ? "device" : "loading");
        });
        ASSERT_TRUE(client->call(method::kStageCancel, protocol::StageRequest{stage}));
        waitForStage(*client, stage, "cancelled");
        end();
        EXPECT_TRUE(scratch_.leftovers().empty());
    }
}

TEST_F(SessionTest, StopsTheRanksAndStays) {
    begin();
    const auto client = connect();
    bringUp(*client);
    ASSERT_TRUE(client->call(method::kJobStop, Json::object()));
    waitForStage(*client, "load", "idle");
    waitFor(*client, event::kRankChanged, [](const Json& data) {
        return data["rank"] == Json(1) && data["phase"].string() == "stopped";
    });
    EXPECT_EQ(seen_.end(), std::find(seen_.begin(), seen_.end(), event::kRankLost));
    bringUp(*client);
}

TEST_F(SessionTest, LeavesNothingBehind) {
    begin();
    const auto client = connect();
    bringUp(*client);
    ASSERT_TRUE(client->call(method::kShutdown, Json::object()));
    thread_.join();
    end();
    EXPECT_TRUE(scratch_.leftovers().empty());
}

TEST_F(SessionTest, MarksWhatLiesBehindAStageThatRanAgain) {
    begin();
    const auto client = connect();
    bringUp(*client);
    ASSERT_TRUE(client->call(method::kStageRun, protocol::StageRequest{"plan"}));
    waitForStage(*client, "load", "stale");
    waitForStage(*client, "plan", "passed");
}

TEST_F(SessionTest, RefusesAClientOfAnotherProtocol) {
    begin();
    const auto socket = connectTo("unix:" + *jobSocket("test"));
    ASSERT_TRUE(socket);
    const std::string hello = protocol::frameRequest(
        1, method::kHello, *Json::parse(R"({"protocol":99,"version":"9.9","what":"else"})"));
    ASSERT_EQ(::write(socket->get(), hello.data(), hello.size()),
              static_cast<ssize_t>(hello.size()));
    std::string said;
    char byte = 0;
    while (::read(socket->get(), &byte, 1) == 1)  // until the engine hangs up
        said += byte;
    EXPECT_NE(said.find(fmt::format("speaks protocol {}", protocol::kProtocolVersion)),
              std::string::npos)
        << said;
    EXPECT_NE(said.find("9.9"), std::string::npos) << said;
}

TEST_F(SessionTest, WantsToBeGreetedFirst) {
    begin();
    const auto socket = connectTo("unix:" + *jobSocket("test"));
    const std::string request = protocol::frameRequest(1, method::kSnapshot, Json::object());
    ASSERT_EQ(::write(socket->get(), request.data(), request.size()),
              static_cast<ssize_t>(request.size()));
    std::array<char, 512> answer{};
    ASSERT_GT(::read(socket->get(), answer.data(), answer.size() - 1), 0);
    EXPECT_NE(std::string(answer.data()).find("must be hello"), std::string::npos);
}

TEST_F(SessionTest, NamesTheNearestMethodAndTheLegalStages) {
    begin();
    const auto client = connect();
    EXPECT_EQ(messageOf(client->call("chat.sent", Json::object())),
              "no method 'chat.sent' (nearest: chat.send, chat.render, chat.cancel)");
    auto open = openRequest("lod");
    EXPECT_NE(messageOf(client->call(method::kJobOpen, open)).find("inspect, plan, launch, load"),
              std::string::npos);
    Json wrong = Json::object();
    wrong.set("stag", "load");
    EXPECT_NE(messageOf(client->call(method::kStageRun, wrong)).find("'stag' (nearest: stage)"),
              std::string::npos);
}

TEST_F(SessionTest, DoesNotMindGarbage) {
    begin();
    const auto socket = connectTo("unix:" + *jobSocket("test"));
    ASSERT_EQ(::write(socket->get(), "GET / HTTP/1.1\r\n\r\n", 18), 18);
    char byte = 0;
    EXPECT_EQ(::read(socket->get(), &byte, 1), 0);
    EXPECT_TRUE(connect()->call(method::kSnapshot, Json::object()));
}

TEST_F(SessionTest, LeavesWithItsLastClientWhereToldTo) {
    options_.leaveWithLastClient = true;
    begin();
    auto client = connect();
    bringUp(*client);
    client.reset();
    thread_.join();
    end();
    EXPECT_TRUE(scratch_.leftovers().empty());
}

}  // namespace
}  // namespace fl::service
