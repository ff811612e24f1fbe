// SPDX-License-Identifier: Apache-2.0
// From numbers to plans: completes options, evaluates rules and ledger, and searches.
#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include <fmt/core.h>

#include "engine/base/text.h"
#include "engine/plan/ledger.h"
#include "engine/plan/links.h"
#include "engine/plan/machines.h"
#include "engine/plan/notes.h"
#include "engine/plan/rules.h"
#include "engine/plan/search.h"
#include "engine/plan/stages.h"

namespace fl::plan {

using graph::Graph;
using topology::Cluster;

namespace {

constexpr std::int64_t kDefaultContext = 4096;
constexpr int kDefaultSequences = 8;
// A shorter one holds no prompt worth asking.
constexpr std::int64_t kLeastContext = 256;
// A search takes the largest layer's activations for a stage's: what it finds is looked at again.
constexpr std::size_t kSecondLooks = 8;
constexpr std::size_t kNearest = 3;

PlanOptions completed(const Graph& graph, PlanOptions options) {
    if (options.maxContext == 0)
        options.maxContext = std::min(graph.contextLength, kDefaultContext);
    if (options.maxSequences == 0)
        options.maxSequences = kDefaultSequences;
    if (!options.pp && !options.stageLayers.empty())
        options.pp = static_cast<int>(options.stageLayers.size());
    return options;
}

class Planner {
public:
    Planner(const Graph& graph,
            const std::vector<StoredWeight>& stored,
            const Cluster& cluster,
            const PlanOptions& options,
            const CancelToken& cancel)
        : graph_(graph),
          stored_(stored),
          options_(completed(graph, options)),
          cancel_(cancel),
          facts_(gatherFacts(graph, stored, cluster)),
          machines_(cluster),
          links_(cluster) {}

    // Numbers that are not set become 1.
    Mesh asked() const {
        return {options_.dp.value_or(1), options_.pp.value_or(1), options_.tp.value_or(1),
                options_.ep.value_or(1)};
    }
    bool allSet() const { return options_.dp && options_.pp && options_.tp && options_.ep; }
    const Facts& facts() const { return facts_; }

    Result<Plan> evaluate(const Mesh& mesh) const {
        Plan plan = begin(mesh);
        plan.findings = checkShape(facts_, mesh, plan.options);
        if (!plan.findings.empty())
            return plan;
        plan.stages = makeStages(graph_, stored_, mesh.pp, options_.stageLayers);
        plan.kvPagesPerReplica = pagesPerSequence(options_) * options_.maxSequences;
        FL_DO(fill(plan));
        plan.findings = checkMemory(plan);
        for (Finding& note : notesOn(graph_, stored_, machines_.cluster(), plan))
            plan.findings.push_back(std::move(note));
        return plan;
    }

    // The fastest legal mesh that agrees with the numbers that are set; one replica unless asked
    // for more.
    Result<std::optional<Plan>> fastest() const {
        PlanOptions options = options_;
        options.dp = options.dp.value_or(1);
        SearchOptions search;
        search.limit = kSecondLooks;
        PlanSearch meshes(graph_, stored_, machines_, links_, options, cancel_);
        for (const Candidate& candidate : meshes.run(search, false).best) {
            FL_TRY(Plan plan, evaluate(candidate.mesh));
            if (!hasErrors(plan.findings))
                return std::optional(std::move(plan));
        }
        FL_DO(cancel_.check("plan"));
        return std::optional<Plan>();
    }

    // With these numbers, or what they violate.
    Result<Plan> best() const {
        if (!allSet()) {
            FL_TRY(auto found, fastest());
            if (found)
                return *std::move(found);
        }
        return evaluate(asked());
    }

    std::vector<Candidate> nearest() const {
        PlanSearch meshes(graph_, stored_, machines_, links_, freed(options_), cancel_);
        return meshes.nearest(asked(), kNearest);
    }

    std::vector<Candidate> orders(const Mesh& mesh) const {
        return PlanSearch(graph_, stored_, machines_, links_, options_, cancel_).orders(mesh);
    }

    SearchState search(const SearchOptions& search) const {
        return PlanSearch(graph_, stored_, machines_, links_, options_, cancel_).run(search, true);
    }

private:
    Plan begin(const Mesh& mesh) const {
        Plan plan;
        plan.mesh = mesh;
        plan.options = options_;
        plan.options.dp = mesh.dp;
        plan.options.pp = mesh.pp;
        plan.options.tp = mesh.tp;
        plan.options.ep = mesh.ep;
        return plan;
    }

    // All ranks. Replicas cost the same: they hold the same cuts of the same sizes.
    Status fill(Plan& plan) const {
        const Partition partition(graph_, stored_, plan.mesh);
        std::map<std::tuple<int, int, std::string>, RankCost> known;
        std::vector<FitQuestion> questions;
        StageTimes times(plan.stages.size());
        for (int rank = 0; rank < plan.mesh.ranks(); ++rank) {
            const Coordinates where = coordinates(plan.mesh, rank);
            const Machines::Place& place = machines_.of(plan.mesh, options_.order, where);
            const std::string& kind = place.info->kind;
            const auto [cost, isNew] = known.try_emplace({where.pp, where.tp, kind}, RankCost{});
            if (isNew) {
                FL_DO(cancel_.check("plan"));
                FL_TRY(cost->second, rankCost(partition, plan, where, kind));
            }
            RankPlan made{rank, where, place.node, place.device, cost->second.ledger};
            made.ledger.capacity = place.budget;
            plan.ranks.push_back(std::move(made));
            questions.push_back({rank, &cost->second, place.budget});
            times.add(where.pp, cost->second, machines_.speed(place, plan.mesh));
        }
        plan.fit = fitOf(plan.options, questions, graph_.contextLength);
        plan.hosts = hostLedgers(plan, machines_.cluster());
        const auto reach = links_.reach(plan.mesh, options_.order);
        plan.predicted = predictStep(times.loads, times.speeds, reach, options_, plan.mesh.dp);
        for (const GroupReach& group : reach)
            plan.groupSeconds.push_back({group.group, times.communication(group.group, reach)});
        return Done{};
    }

    // The slowest rank of each stage.
    struct StageTimes {
        explicit StageTimes(std::size_t stages) : loads(stages), speeds(stages) {}
        void add(int stage, const RankCost& cost, const DeviceSpeed& speed) {
            const auto index = static_cast<std::size_t>(stage);
            const auto seconds = [](const StageLoad& load, const DeviceSpeed& rate) {
                return std::max((load.weightBytes + load.kvBytes) / rate.memoryBytesPerSecond,
                                load.flops / rate.flops);
            };
            StageLoad load = loadOf(cost);
            if (speeds[index].flops > 0 &&
                seconds(load, speed) <= seconds(loads[index], speeds[index]))
                return;
            loads[index] = std::move(load);
            speeds[index] = speed;
        }
        double communication(const std::string& kind, const std::vector<GroupReach>& reach) const {
            double sum = 0;
            for (const StageLoad& load : loads) {
                for (const Traffic& traffic : load.traffic)
                    sum += traffic.group == kind ? communicationSeconds(traffic, reach) : 0;
            }
            return sum;
        }

        std::vector<StageLoad> loads;
        std::vector<DeviceSpeed> speeds;
    };

    const Graph& graph_;
    const std::vector<StoredWeight>& stored_;
    PlanOptions options_;
    const CancelToken& cancel_;
    Facts facts_;
    Machines machines_;
    LinkTable links_;
};

// The same options with ever smaller caches, as far as nobody asked for their size.
std::vector<PlanOptions> smallerCaches(const Graph& graph, const PlanOptions& options) {
    std::vector<PlanOptions> out;
    PlanOptions less = completed(graph, options);
    less.pp = options.pp;
    while (options.maxSequences == 0 && less.maxSequences > 1) {
        less.maxSequences /= 2;
        out.push_back(less);
    }
    while (options.maxContext == 0 && less.maxContext / 2 >= kLeastContext) {
        less.maxContext /= 2;
        out.push_back(less);
    }
    return out;
}

Finding cacheShrunk(const PlanOptions& wished, const PlanOptions& chosen) {
    const auto words = [](const PlanOptions& options) {
        return fmt::format("{} {} of {} tokens", options.maxSequences,
                           options.maxSequences == 1 ? "sequence" : "sequences",
                           formatCount(options.maxContext));
    };
    Finding finding;
    finding.code = "plan-cache-shrunk";
    finding.severity = Severity::Info;
    finding.stage = "plan";
    finding.key = "kv";
    finding.message = "the cache was made smaller than usual so that the plan fits";
    finding.expected = words(wished);
    finding.found = words(chosen);
    finding.remedy = "ask for --max-sequences and --max-context, or use more or larger devices";
    return finding;
}

bool lacksMemory(const Plan& plan) {
    return std::any_of(plan.findings.begin(), plan.findings.end(),
                       [](const Finding& finding) { return finding.code == "plan-memory"; });
}

// Tells a plan that is over budget which mesh of the cluster would do.
void suggest(Plan& plan) {
    for (Finding& finding : plan.findings) {
        if (finding.severity != Severity::Error)
            continue;
        finding.remedy += plan.nearest.empty()
                              ? "; with this cache no cut of the model fits the cluster"
                              : "; " + text(plan.nearest.front().mesh) + " would fit";
    }
}

}  // namespace

PlanOptions freed(PlanOptions options) {
    options.dp.reset();
    options.pp.reset();
    options.tp.reset();
    options.ep.reset();
    options.stageLayers.clear();
    return options;
}

Result<Plan> makePlan(const Graph& graph,
                      const std::vector<StoredWeight>& stored,
                      const Cluster& cluster,
                      const PlanOptions& options,
                      const CancelToken& cancel) {
    const Planner planner(graph, stored, cluster, options, cancel);
    FL_TRY(Plan plan, planner.best());
    if (lacksMemory(plan)) {
        for (const PlanOptions& less : smallerCaches(graph, options)) {
            FL_TRY(Plan small, Planner(graph, stored, cluster, less, cancel).best());
            if (hasErrors(small.findings))
                continue;
            small.findings.push_back(cacheShrunk(plan.options, small.options));
            return small;
        }
    }
    if (hasErrors(plan.findings))
        plan.nearest = planner.nearest();
    FL_DO(cancel.check("plan"));
    if (!plan.ranks.empty())
        suggest(plan);
    return plan;
}

SearchState searchPlans(const Graph& graph,
                        const std::vector<StoredWeight>& stored,
                        const Cluster& cluster,
                        const PlanOptions& options,
                        const SearchOptions& search) {
    return Planner(graph, stored, cluster, options, search.cancel).search(search);
}

std::vector<Candidate> rankOrders(const Graph& graph,
                                  const std::vector<StoredWeight>& stored,
                                  const Cluster& cluster,
                                  const Plan& plan) {
    if (plan.stages.empty())
        return {};
    const CancelToken never;
    return Planner(graph, stored, cluster, plan.options, never).orders(plan.mesh);
}

LegalValues legalValues(const Graph& graph,
                        const std::vector<StoredWeight>& stored,
                        const Cluster& cluster,
                        const PlanOptions& options) {
    const CancelToken never;
    const Planner planner(graph, stored, cluster, options, never);
    const Facts& facts = planner.facts();
    const Mesh mesh = planner.asked();
    const auto upTo = [](int most) {
        std::vector<int> out;
        for (int value = 1; value <= most; ++value)
            out.push_back(value);
        return out;
    };
    const auto share = [&](int used) { return facts.devices / std::max(1, used); };
    LegalValues legal;
    legal.tp = legalTp(facts, share(mesh.dp * mesh.pp));
    legal.pp = upTo(std::min(graph.layerCount, share(mesh.dp * mesh.tp)));
    legal.dp = upTo(share(mesh.pp * mesh.tp));
    if (mesh.ep > 1)
        std::erase_if(legal.dp, [&](int dp) { return !epFits(facts, {dp, 1, mesh.tp, mesh.ep}); });
    legal.ep = legalEp(facts, mesh);
    return legal;
}

LegalValues possibleValues(const Graph& graph,
                           const std::vector<StoredWeight>& stored,
                           const Cluster& cluster) {
    const Facts facts = gatherFacts(graph, stored, cluster);
    LegalValues legal;
    legal.tp = legalTp(facts, facts.devices);
    for (int value = 1; value <= facts.devices; ++value) {
        legal.dp.push_back(value);
        if (value <= graph.layerCount)
            legal.pp.push_back(value);
        const bool spreads = std::any_of(legal.tp.begin(), legal.tp.end(), [&](int tp) {
            return std::max(1, value / tp) * tp <= facts.devices &&
                   epFits(facts, {std::max(1, value / tp), 1, tp, value});
        });
        if (spreads)
            legal.ep.push_back(value);
    }
    return legal;
}

}  // namespace fl::plan
