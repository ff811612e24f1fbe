// SPDX-License-Identifier: Apache-2.0
// Covers: engine/runtime/executor_collectives.cpp
//
// Ranks as threads of one program: every mixture of TP, PP, EP and DP gives the golden numbers of
// the reference checkpoints, and the same greedy ids.
#include "engine/service/rank_engine.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <mutex>
#include <set>

#include <gtest/gtest.h>

#include "engine/checkpoint/checkpoint.h"
#include "engine/plan/stages.h"
#include "engine/scheduler/scheduler.h"
#include "tests/support/cpu_card.h"
#include "tests/support/golden_case.h"
#include "tests/support/local_messenger.h"
#include "tests/support/reference.h"

namespace fl::service {

namespace {

namespace fs = std::filesystem;

constexpr double kTolerance = 1e-4;  // of compute f32

struct Case {
    const char* model;
    plan::Mesh mesh;  // dp, pp, tp, ep
};

std::string nameOf(const Case& one) {
    std::string name = std::string(one.model) + "_dp" + std::to_string(one.mesh.dp) + "_pp" +
                       std::to_string(one.mesh.pp) + "_tp" + std::to_string(one.mesh.tp) + "_ep" +
                       std::to_string(one.mesh.ep);
    std::replace(name.begin(), name.end(), '-', '_');
    return name;
}

void PrintTo(const Case& one, std::ostream* to) {
    *to << nameOf(one);
}

plan::Plan planFor(const recipe::Model& model, const plan::Mesh& mesh) {
    plan::Plan plan;
    plan.mesh = mesh;
    plan.options.maxContext = 512;
    plan.options.maxSequences = 4;
    plan.options.maxBatchTokens = 256;
    plan.kvPagesPerReplica = 100;
    plan.stages = plan::makeStages(model.graph, model.stored, mesh.pp, {});
    return plan;
}

// One rank of the team, on its own thread.
class Member {
public:
    Member(const checkpoint::Checkpoint& checkpoint,
           const recipe::Model& model,
           const plan::Plan& plan,
           std::unique_ptr<comm::Messenger> messenger)
        : plan_(plan),
          world_(std::move(messenger), {}) {
        std::map<std::string, comm::Group*> kinds;
        for (const plan::Group& group : plan::groups(plan.mesh)) {
            if (std::ranges::find(group.ranks, world_.rank()) == group.ranks.end())
                continue;
            auto made =
                comm::Group::create({group.kind, group.name, group.ranks, world_.rank()},
                                    world_.messenger(), {}, card_.device, card_.stream, journal_);
            EXPECT_TRUE(made) << made.error().message;
            kinds[group.kind] = made->get();
            groups_.push_back(*std::move(made));
        }
        auto engine = RankEngine::load(
            {checkpoint, model, plan, world_.rank(), card_.device, card_.stream, kinds, world_},
            {});
        EXPECT_TRUE(engine) << engine.error().message;
        if (engine)
            engine_ = *std::move(engine);
    }

    bool up() const { return engine_ != nullptr; }
    bool leads() const { return world_.rank() == 0; }

    std::vector<runtime::CapturedValue> capture(const std::vector<std::int32_t>& ids, int replica) {
        runtime::Step step;
        step.replicas.resize(static_cast<std::size_t>(plan_.mesh.dp));
        step.replicas[static_cast<std::size_t>(replica)] = test::wholePrompt(ids, 16);
        auto captured = engine_->capture(step);
        EXPECT_TRUE(captured) << captured.error().message;
        return captured ? *captured : std::vector<runtime::CapturedValue>{};
    }

    // Rank 0 composes; the others follow until an empty text.
    std::map<std::string, std::vector<std::int32_t>> serve(
        const std::vector<scheduler::Request>& requests) {
        std::map<std::string, std::vector<std::int32_t>> answers;
        if (!leads()) {
            while (true) {
                const auto text = world_.receiveText(0, world_.rules());
                if (!text || text->empty())
                    return answers;
                EXPECT_TRUE(engine_->run(*runtime::decodeStep(*text)));
            }
        }
        scheduler::Scheduler scheduler(limits());
        for (const auto& request : requests)
            scheduler.submit(request);
        while (auto step = scheduler.compose()) {
            EXPECT_TRUE(world_.broadcastText(runtime::encode(*step)));
            auto samples = engine_->run(*step);
            EXPECT_TRUE(samples) << samples.error().message;
            EXPECT_TRUE(samples && scheduler.complete(*samples));
            for (const auto& output : scheduler.takeOutputs()) {
                EXPECT_EQ(output.error, "");
                for (const auto& token : output.tokens)
                    answers[output.request].push_back(token.id);
            }
        }
        EXPECT_TRUE(world_.broadcastText(""));
        return answers;
    }

private:
    scheduler::Limits limits() const {
        scheduler::Limits limits;
        limits.replicas = plan_.mesh.dp;
        limits.pages = plan_.kvPagesPerReplica;
        limits.maxSequences = plan_.options.maxSequences;
        limits.maxBatchTokens = 37;
        limits.maxContext = plan_.options.maxContext;
        limits.vocabulary = 512;
        return limits;
    }

    const plan::Plan& plan_;
    comm::HostCollectives world_;
    comm::CollectiveJournal journal_;
    test::CpuCard card_ = test::openCpuCard("cards=1,memory=1GiB,threads=1");
    std::vector<std::unique_ptr<comm::Group>> groups_;
    std::unique_ptr<RankEngine> engine_;
};

using Rungs = std::map<std::string, std::vector<float>>;

void compareRungs(const Rungs& found, const test::GoldenCase& golden, const std::string& name) {
    double worst = 0;
    for (const auto& [rung, expected] : golden.rungs) {
        const auto value = found.find(rung);
        ASSERT_TRUE(value != found.end()) << name << ": no rung " << rung;
        const double error = test::rmsError(value->second, expected);
        EXPECT_LE(error, kTolerance) << name << " " << rung;
        worst = std::max(worst, error);
    }
    std::printf("%s: %zu rungs, worst error %.2e\n", name.c_str(), golden.rungs.size(), worst);
}

class RankTeam : public testing::TestWithParam<Case> {};

}  // namespace

TEST_P(RankTeam, GivesTheGoldenNumbersAndIds) {
    const std::string folder = test::referenceDir() + "/reference/" + GetParam().model;
    if (test::referenceDir().empty() || !fs::is_directory(folder))
        GTEST_SKIP() << "no reference folder";
    const auto checkpoint = checkpoint::openCheckpoint(folder);
    ASSERT_TRUE(checkpoint);
    const auto model = recipe::buildModel(*checkpoint, "");
    ASSERT_TRUE(model);
    const plan::Plan plan = planFor(*model, GetParam().mesh);

    std::map<std::string, test::GoldenCase> cases;
    std::vector<scheduler::Request> requests;
    for (const std::string name : {"one", "short", "prompt", "long"}) {
        cases[name] = test::readGolden(folder + "/golden/" + name + ".safetensors");
        scheduler::Request request;
        request.name = name;
        request.ids = cases[name].ids;
        request.maxTokens = static_cast<std::int64_t>(cases[name].greedy.size());
        requests.push_back(request);
    }
    std::mutex mutex;
    std::map<std::string, Rungs> rungs;  // by case and replica
    std::map<std::string, std::vector<std::int32_t>> answers;
    test::onRanks(plan.mesh.ranks(), [&](std::unique_ptr<comm::Messenger> messenger) {
        Member member(*checkpoint, *model, plan, std::move(messenger));
        ASSERT_TRUE(member.up());
        for (const auto& [name, golden] : cases) {
            for (int replica = 0; replica < plan.mesh.dp; ++replica) {
                for (auto& value : member.capture(golden.ids, replica)) {
                    const std::lock_guard lock(mutex);
                    rungs[name + "@" + std::to_string(replica)][value.name] =
                        std::move(value.values);
                }
            }
        }
        const auto mine = member.serve(requests);
        if (member.leads())
            answers = mine;
    });

    for (const auto& [name, golden] : cases) {
        for (int replica = 0; replica < plan.mesh.dp; ++replica) {
            const std::string key = name + "@" + std::to_string(replica);
            compareRungs(rungs[key], golden, key);
        }
        EXPECT_EQ(answers[name], golden.greedy) << name;
    }
}

INSTANTIATE_TEST_SUITE_P(Meshes,
                         RankTeam,
                         testing::Values(Case{"llama-a", {1, 1, 1, 1}},
                                         Case{"llama-a", {1, 1, 2, 1}},
                                         Case{"llama-a", {1, 1, 4, 1}},
                                         Case{"llama-a", {1, 2, 1, 1}},
                                         Case{"llama-a", {1, 4, 1, 1}},
                                         Case{"llama-a", {1, 2, 2, 1}},
                                         Case{"llama-a", {2, 1, 2, 1}},
                                         Case{"llama-a", {2, 2, 2, 1}},
                                         Case{"llama-b", {1, 2, 3, 1}},
                                         Case{"qwen2-a", {1, 2, 2, 1}},
                                         Case{"qwen2-b", {1, 1, 7, 1}},
                                         Case{"qwen3-a", {1, 1, 4, 1}},
                                         Case{"qwen3-b", {1, 3, 1, 1}},
                                         Case{"qwen3-b", {1, 1, 7, 1}},
                                         Case{"qwen3_moe-a", {1, 1, 2, 1}},
                                         Case{"qwen3_moe-a", {1, 1, 2, 2}},
                                         Case{"qwen3_moe-a", {1, 1, 4, 1}},
                                         Case{"qwen3_moe-a", {1, 1, 4, 2}},
                                         Case{"qwen3_moe-a", {1, 1, 4, 4}},
                                         Case{"qwen3_moe-a", {1, 2, 2, 2}},
                                         Case{"qwen3_moe-a", {2, 1, 1, 2}},
                                         Case{"qwen3_moe-a", {2, 1, 2, 2}},
                                         Case{"qwen3_moe-a", {2, 1, 2, 4}},
                                         Case{"qwen3_moe-b", {1, 2, 2, 2}},
                                         Case{"qwen3_moe-b", {2, 1, 2, 4}},
                                         Case{"qwen3_moe-b", {1, 1, 4, 2}}),
                         [](const auto& one) { return nameOf(one.param); });

}  // namespace fl::service
