// SPDX-License-Identifier: Apache-2.0
// Plans beside the one in force: proposed, searched for, kept and committed over the socket.
// Covers: engine/service/session_plans.cpp
#include <chrono>
#include <filesystem>

#include <fmt/core.h>
#include <gmock/gmock.h>

#include "engine/base/paths.h"
#include "engine/base/text.h"
#include "tests/engine/service/session_fixture.h"
#include "tests/support/tiny_checkpoint.h"

namespace fl::service {
namespace {

TEST_F(SessionTest, PlansWithoutTouchingWhatRuns) {
    begin();
    const auto client = connect();
    bringUp(*client);
    protocol::PlanRequest what;
    what.settings = openRequest("plan", 1).settings;
    const auto plan = client->call(method::kPlanMake, what);
    ASSERT_TRUE(plan) << plan.error().message;
    EXPECT_EQ((*plan)["mesh"]["tp"], Json(1));
    const auto slices = client->call(method::kPlanSlices, protocol::SlicesRequest{1});
    ASSERT_TRUE(slices);
    EXPECT_GT((*slices)["slices"].size(), 0u);
    EXPECT_FALSE(client->call(method::kPlanSlices, protocol::SlicesRequest{2}));
    protocol::TensorsRequest search;
    search.search = "layers.0";
    search.limit = 3;
    const auto tensors = client->call(method::kTensors, search);
    ASSERT_TRUE(tensors);
    EXPECT_EQ((*tensors)["tensors"].size(), 3u);
    EXPECT_GT((*tensors)["total"].integer(), 3);
    protocol::HistogramRequest values;
    values.tensor = (*tensors)["tensors"].items()[0]["name"].string();
    values.bins = 5;
    const auto histogram = client->call(method::kHistogram, values);
    ASSERT_TRUE(histogram) << histogram.error().message;
    EXPECT_EQ((*histogram)["counts"].size(), 5u);
    EXPECT_GT((*histogram)["values"].integer(), 0);
    values.bins = 0;
    EXPECT_FALSE(client->call(method::kHistogram, values));
    const auto columns = client->call(method::kColumns, protocol::ColumnsRequest{1, 2});
    ASSERT_TRUE(columns) << columns.error().message;
    EXPECT_EQ((*columns)["count"], Json(2));
    EXPECT_GT((*columns)["total"].integer(), (*tensors)["total"].integer());
    const protocol::DraftRequest fresh{"mine",
                                       std::string(::getenv("XDG_RUNTIME_DIR")) + "/mine.lua"};
    const auto draft = client->call(method::kRecipeDraft, fresh);
    ASSERT_TRUE(draft) << draft.error().message;
    EXPECT_EQ((*draft)["recipe"], Json("mine"));
    EXPECT_EQ((*draft)["file"], Json(fresh.file));
    EXPECT_EQ(readFile(fresh.file).has_value(), true);
    EXPECT_NE(messageOf(client->call(method::kRecipeDraft, fresh)).find("is there already"),
              std::string::npos);
    EXPECT_TRUE(client->call(method::kChatSend, chat("still", {4})));
}

TEST_F(SessionTest, ProposesAndShowsCellsWithoutTouchingWhatIsInForce) {
    begin();
    const auto client = connect();
    bringUp(*client, "plan");
    protocol::PlanRequest what;
    what.settings.cluster = openRequest("plan").settings.cluster;
    what.settings.tp = 1;
    what.settings.maxContext = 64;
    const auto proposal = client->call(method::kPlanPropose, what);
    ASSERT_TRUE(proposal) << proposal.error().message;
    EXPECT_EQ((*proposal)["mesh"]["tp"], Json(1));
    EXPECT_EQ((*proposal)["max_context"], Json(64));
    EXPECT_GT((*proposal)["fit"]["sequences"].integer(), 8);
    what.settings.tp = 3;
    const auto illegal = client->call(method::kPlanPropose, what);
    ASSERT_TRUE(illegal);
    EXPECT_EQ((*illegal)["verdict"], Json("errors"));
    EXPECT_GT((*illegal)["violations"].size(), 0u);
    protocol::CellsRequest cells{true, what.settings, "kind"};
    EXPECT_NE(messageOf(client->call(method::kPlanCells, cells)).find("TP 3"), std::string::npos);
    cells.settings.tp = 1;
    EXPECT_EQ((*client->call(method::kPlanCells, cells))["ranks"], Json(1));
    EXPECT_EQ((*client->call(method::kPlanCells, protocol::CellsRequest()))["ranks"], Json(2));
    protocol::CellRequest cell;
    cell.rank = 1;
    cell.row = 1;
    EXPECT_GT((*client->call(method::kPlanCell, cell))["slices"].size(), 0u);
    cell.rank = 2;
    EXPECT_FALSE(client->call(method::kPlanCell, cell));
}

// A folder whose one tensor has 8 GiB of holes: no room on disk, seconds to read.
std::string endlessModel() {
    const std::string folder = std::string(std::getenv("XDG_RUNTIME_DIR")) + "/endless";
    std::filesystem::create_directories(folder);
    constexpr std::int64_t kBytes = std::int64_t{8} << 30;
    const std::string header =
        fmt::format(R"({{"endless":{{"dtype":"BF16","shape":[{}],"data_offsets":[0,{}]}}}})",
                    kBytes / 2, kBytes);
    const std::string file = folder + "/model.safetensors";
    EXPECT_TRUE(writeFile(file, test::safetensorsFile(header, "")));
    std::filesystem::resize_file(file, 8 + header.size() + kBytes);
    EXPECT_TRUE(writeFile(folder + "/config.json", R"({"model_type":"llama"})"));
    return folder;
}

TEST_F(SessionTest, CallsACountOfValuesOff) {
    begin();
    const auto client = connect();
    auto request = openRequest("inspect");
    request.settings.checkpoint = endlessModel();
    ASSERT_TRUE(client->call(method::kJobOpen, request));
    waitForStage(*client, "inspect", "failed");
    const Json count = protocol::encode(protocol::HistogramRequest{"endless"});
    const auto answered = [&client](std::int64_t number) {
        auto answer = client->takeAnswer(number);
        for (; !answer; answer = client->takeAnswer(number))
            EXPECT_TRUE(client->nextEvent(0.01));
        return messageOf(*answer);
    };
    const auto first = client->send(method::kHistogram, count);
    const auto second = client->send(method::kHistogram, count);
    ASSERT_TRUE(first && second);
    EXPECT_THAT(answered(*first), testing::EndsWith("cancelled")) << "by the second one";
    const auto start = std::chrono::steady_clock::now();
    ASSERT_TRUE(client->call(method::kHistogramCancel, Json::object()));
    EXPECT_THAT(answered(*second), testing::EndsWith("cancelled"));
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    EXPECT_LT(seconds.count(), 1) << "should take 0.2 s at most on a quiet machine";
}

TEST_F(SessionTest, CommitsALegalProposalAndRefusesOthers) {
    begin();
    const auto client = connect();
    bringUp(*client, "plan");
    protocol::PlanRequest what;
    what.settings.cluster = openRequest("plan").settings.cluster;
    what.settings.tp = 3;
    EXPECT_NE(messageOf(client->call(method::kPlanCommit, what)).find("TP 3"), std::string::npos);
    what.settings.tp = 1;
    ASSERT_TRUE(client->call(method::kPlanCommit, what));
    waitFor(*client, event::kPlanChanged,
            [](const Json& data) { return data["mesh"]["tp"] == Json(1); });
    EXPECT_EQ((*client->call(method::kSnapshot, Json::object()))["settings"]["tp"], Json(1));
    EXPECT_EQ((*client->call(method::kPlanCells, protocol::CellsRequest()))["ranks"], Json(1));
}

TEST_F(SessionTest, SearchesAndKeepsPlansByName) {
    begin();
    const auto client = connect();
    bringUp(*client, "plan");
    protocol::SearchRequest search;
    search.search = "a";
    search.settings.cluster = openRequest("plan").settings.cluster;
    const auto found = client->call(method::kPlanSearch, search);
    ASSERT_TRUE(found) << found.error().message;
    EXPECT_EQ((*found)["done"], Json(true));
    EXPECT_GE((*found)["best"].size(), 2u);
    const Json told =
        waitFor(*client, event::kPlanSearching, [](const Json& data) { return data.isObject(); });
    EXPECT_EQ(told["search"], Json("a"));
    EXPECT_TRUE(client->call(method::kPlanSearchCancel, protocol::SearchCancel{"gone"}));
    EXPECT_TRUE(client->call(method::kPlanSave, protocol::SavePlanRequest{"one", {}}));
    EXPECT_EQ((*client->call(method::kPlanSaved, Json::object()))["plans"].size(), 1u);
    EXPECT_TRUE(client->call(method::kPlanForget, protocol::ForgetPlanRequest{"one"}));
    EXPECT_FALSE(client->call(method::kPlanForget, protocol::ForgetPlanRequest{"one"}));
}

}  // namespace
}  // namespace fl::service
