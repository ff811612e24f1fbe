// SPDX-License-Identifier: Apache-2.0
// Covers: engine/service/plan_cells.cpp engine/service/saved_plans.cpp
#include "engine/service/plan_desk.h"

#include <cstdlib>
#include <cstring>
#include <numeric>

#include <gtest/gtest.h>

#include "app/linked_plugins.h"
#include "engine/base/base64.h"
#include "engine/service/reports.h"
#include "engine/service/saved_plans.h"
#include "tests/support/temp_dir.h"
#include "tests/support/tiny_checkpoint.h"

namespace fl::service {
namespace {

protocol::JobSettings settings(const std::string& model, int tp, int pp) {
    protocol::JobSettings out;
    out.checkpoint = std::string(std::getenv("FIRSTLIGHT_TEST_DATA")) + "/models/" + model;
    out.cluster = "cpu:cards=4,memory=256MiB,threads=1";
    out.tp = tp;
    out.pp = pp;
    out.ep = out.dp = 1;
    return out;
}

PlanDesk::Drawn draw(PlanDesk& desk, const protocol::JobSettings& job) {
    auto drawn = desk.draw(job, nullptr);
    EXPECT_TRUE(drawn) << drawn.error().message;
    return *drawn;
}

template <class T>
std::vector<T> column(const std::string& text) {
    const auto bytes = decodeBase64(text);
    EXPECT_TRUE(bytes);
    std::vector<T> out(bytes->size() / sizeof(T));
    std::memcpy(out.data(), bytes->data(), bytes->size());
    return out;
}

TEST(PlanDesk, KeepsTheLastPlanAndDrawsAnotherWhereAnythingDiffers) {
    PlanDesk desk(app::linkedPlugins(), {});
    const auto first = draw(desk, settings("tiny-llama", 1, 2));
    EXPECT_EQ(draw(desk, settings("tiny-llama", 1, 2)).placement, first.placement);
    auto longer = settings("tiny-llama", 1, 2);
    longer.maxContext = 64;
    const auto other = desk.draw(longer, first.inspection);
    ASSERT_TRUE(other);
    EXPECT_EQ(other->inspection, first.inspection);
    EXPECT_EQ(other->placement->plan.options.maxContext, 64);
    EXPECT_FALSE(desk.draw(settings("no-such-model", 1, 1), nullptr));
}

TEST(PlanDesk, CompletesAWhatIfWithWhatIsInForce) {
    protocol::JobSettings inForce = settings("tiny-llama", 2, 2);
    inForce.stageLayers = {1, 3};
    inForce.maxContext = 128;
    inForce.order = "pp,tp,dp";
    protocol::JobSettings asked;
    asked.tp = 1;
    const auto same = completed(asked, inForce);
    EXPECT_EQ(same.tp, 1);
    EXPECT_EQ(same.pp, 2);
    EXPECT_EQ(same.stageLayers, inForce.stageLayers);
    EXPECT_EQ(same.maxContext, 128);
    EXPECT_EQ(same.order, "pp,tp,dp");
    asked.pp = 4;
    EXPECT_TRUE(completed(asked, inForce).stageLayers.empty());
}

TEST(PlanCells, AddUpToWhatTheRanksHold) {
    PlanDesk desk(app::linkedPlugins(), {});
    const auto drawn = draw(desk, settings("tiny-qwen3-moe", 2, 2));
    const auto info = *proposalReport(*drawn.inspection, *drawn.placement);
    for (const char* by : {"layer", "kind"}) {
        const auto cells = cellsReport(*drawn.inspection, drawn.placement->plan, by);
        ASSERT_TRUE(cells) << cells.error().message;
        const auto ranks = column<std::uint16_t>(cells->rank);
        const auto rows = column<std::uint16_t>(cells->row);
        const auto bytes = column<std::int64_t>(cells->bytes);
        ASSERT_EQ(static_cast<std::int64_t>(ranks.size()), cells->count);
        ASSERT_EQ(rows.size(), ranks.size());
        ASSERT_EQ(bytes.size(), ranks.size());
        std::vector<std::int64_t> sums(4);
        for (std::size_t i = 0; i < ranks.size(); ++i) {
            sums.at(ranks[i]) += bytes[i];
            EXPECT_LE(rows[i], cells->layers + 1);
        }
        for (std::size_t rank = 0; rank < 4; ++rank)
            EXPECT_EQ(sums[rank], info.ranks[rank].ledger.weights) << by << " " << rank;
        for (const std::uint8_t kind : column<std::uint8_t>(cells->kind))
            EXPECT_LT(kind, cells->kinds.size());
        for (const std::uint8_t type : column<std::uint8_t>(cells->dtype))
            EXPECT_LT(type, cells->dtypes.size());
    }
    EXPECT_FALSE(cellsReport(*drawn.inspection, drawn.placement->plan, "colour"));
}

TEST(PlanCells, OpenToTensorsExpertsAndFiles) {
    PlanDesk desk(app::linkedPlugins(), {});
    auto job = settings("tiny-qwen3-moe", 2, 1);
    job.ep = 2;
    const auto drawn = draw(desk, job);
    const plan::Plan& plan = drawn.placement->plan;
    const auto experts = cellReport(*drawn.inspection, plan, 1, 1, "routed_experts").slices;
    ASSERT_FALSE(experts.empty());
    for (const protocol::SliceInfo& slice : experts) {
        EXPECT_EQ(slice.kind, "routed_experts");
        EXPECT_EQ(slice.layer, 0);
        EXPECT_GT(slice.firstExpert, 0);
        EXPECT_FALSE(slice.files.empty());
        EXPECT_EQ(slice.file, slice.files.front());
        EXPECT_FALSE(slice.shape.empty());
    }
    EXPECT_GT(cellReport(*drawn.inspection, plan, 1, 1, "").slices.size(), experts.size());
    EXPECT_TRUE(cellReport(*drawn.inspection, plan, 1, 99, "").slices.empty());
}

TEST(SavedPlans, ComeBackUnderTheirNames) {
    const test::TempDir folder;
    const SavedPlans plans(folder.path() + "/plans");
    PlanDesk desk(app::linkedPlugins(), {});
    const auto job = settings("tiny-llama", 2, 2);
    const auto drawn = draw(desk, job);
    const auto info = *proposalReport(*drawn.inspection, *drawn.placement);
    EXPECT_TRUE(plans.list()->plans.empty());
    const auto saved = plans.save("night-1", info, job);
    ASSERT_TRUE(saved) << saved.error().message;
    EXPECT_EQ(saved->plan.name, "tp2·pp2");
    EXPECT_EQ(saved->settings.tp, 2);
    EXPECT_EQ(saved->plan.peakBytes,
              std::max_element(info.ranks.begin(), info.ranks.end(), [](auto& a, auto& b) {
                  return a.ledger.total < b.ledger.total;
              })->ledger.total);
    ASSERT_EQ(plans.list()->plans.size(), 1u);
    EXPECT_FALSE(plans.save("../night", info, job));
    EXPECT_NE(plans.forget("night-2").error().message.find("night-1"), std::string::npos);
    EXPECT_TRUE(plans.forget("night-1"));
    EXPECT_TRUE(plans.list()->plans.empty());
}

TEST(SavedPlans, LeaveOutWhatIsNoPlan) {
    const test::TempDir folder;
    for (const char* text : {"", "[]", "{\"mesh\": {}}", "{\"mesh\": {}, \"ranks\": [3], ",
                             "{\"mesh\": {}, \"ranks\": [3], \"settings\": {}}",
                             "{\"mesh\": {\"tp\": \"x\"}, \"ranks\": [], \"settings\": {}}"}) {
        const std::string path = test::writeTo(folder.path(), "bad.json", text);
        const auto read = readPlanFile(path);
        ASSERT_FALSE(read) << text;
        EXPECT_NE(read.error().message.find(path), std::string::npos) << read.error().message;
        EXPECT_TRUE(SavedPlans(folder.path()).list()->plans.empty());
    }
}

}  // namespace
}  // namespace fl::service
