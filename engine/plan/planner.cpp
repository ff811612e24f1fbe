// SPDX-License-Identifier: Apache-2.0
// From numbers to plans: completes options, evaluates rules and ledger, and searches.
#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include <fmt/core.h>

#include "engine/base/text.h"
#include "engine/plan/ledger.h"
#include "engine/plan/predict.h"
#include "engine/plan/rules.h"
#include "engine/plan/stages.h"

namespace fl::plan {

using graph::Graph;
using topology::Cluster;
using topology::Device;

namespace {

constexpr std::int64_t kDefaultContext = 4096;
constexpr int kDefaultSequences = 8;
// A shorter one holds no prompt worth asking.
constexpr std::int64_t kLeastContext = 256;
constexpr int kFineStages = 16;

struct Place {
    int node = 0;
    int device = 0;
    const Device* info = nullptr;
};

// Devices in node order: rank r takes the r-th.
std::vector<Place> placesOf(const Cluster& cluster) {
    std::vector<Place> out;
    for (std::size_t n = 0; n < cluster.nodes.size(); ++n) {
        const auto& devices = cluster.nodes[n].devices;
        for (std::size_t d = 0; d < devices.size(); ++d)
            out.push_back({static_cast<int>(n), static_cast<int>(d), &devices[d]});
    }
    return out;
}

PlanOptions withDefaults(const Graph& graph, PlanOptions options) {
    if (options.maxContext == 0)
        options.maxContext = std::min(graph.contextLength, kDefaultContext);
    if (options.maxSequences == 0)
        options.maxSequences = kDefaultSequences;
    return options;
}

class Planner {
public:
    Planner(const Graph& graph,
            const std::vector<StoredWeight>& stored,
            const Cluster& cluster,
            PlanOptions options,
            const CancelToken& cancel)
        : graph_(graph),
          stored_(stored),
          cluster_(cluster),
          options_(std::move(options)),
          cancel_(cancel),
          facts_(gatherFacts(graph, stored, cluster)),
          places_(placesOf(cluster)),
          speeds_(speedsOf(cluster)) {
        for (std::size_t id = 0; id < graph.weights.size(); ++id)
            weightBytes_ += stored[id].bytesPerTensor * graph.weights[id].parts();
        for (const Place& place : places_)
            largestBudget_ = std::max(largestBudget_, budgetOf(*place.info));
        options_ = withDefaults(graph, std::move(options_));
        if (!options_.pp && !options_.stageLayers.empty())
            options_.pp = static_cast<int>(options_.stageLayers.size());
    }

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
        cut(plan);
        FL_DO(fill(plan));
        plan.findings = checkMemory(plan);
        return plan;
    }

    // The node of each rank.
    std::vector<int> nodesOf(const Mesh& mesh) const {
        std::vector<int> out;
        for (int rank = 0; rank < mesh.ranks(); ++rank)
            out.push_back(placeFor(mesh, rank).node);
        return out;
    }

    // Legal meshes by rank; a mesh whose first ranks do not fit is left out.
    std::vector<Plan> search(const std::vector<int>& replicas, std::size_t limit) const {
        std::vector<Plan> found;
        std::map<std::tuple<int, int, int, int>, Plan> sketches;
        for (const Mesh& mesh : candidates(replicas)) {
            if (cancel_.cancelled())
                return {};
            Plan plan = begin(mesh);
            if (tooSmall(mesh) || !checkShape(facts_, mesh, plan.options).empty())
                continue;
            // Replicas that share nothing cost what one costs.
            const int together = expertReplicas(mesh) == 1 ? 1 : mesh.dp;
            cut(plan);
            const auto [sketched, isNew] =
                sketches.try_emplace({mesh.tp, mesh.pp, mesh.ep, together}, plan);
            if (isNew && !sketch(sketched->second))
                sketched->second.ranks.clear();
            plan.ranks = sketched->second.ranks;
            plan.predicted = sketched->second.predicted;
            if (!plan.ranks.empty())
                found.push_back(std::move(plan));
        }
        std::stable_sort(found.begin(), found.end(), better);
        std::vector<Plan> out;
        for (Plan& plan : found) {
            if (out.size() == limit || cancel_.cancelled())
                break;
            if (fill(plan) && checkMemory(plan).empty())
                out.push_back(std::move(plan));
        }
        return out;
    }

    std::vector<int> replicaChoices() const {
        if (options_.dp)
            return {*options_.dp};
        std::vector<int> out;
        for (int dp = 1; dp <= facts_.devices; dp *= 2)
            out.push_back(dp);
        return out;
    }

private:
    static bool better(const Plan& a, const Plan& b) {
        const auto key = [](const Plan& plan) {
            std::int64_t room = 0;
            for (const RankPlan& rank : plan.ranks)
                room = rank.rank == 0 ? rank.ledger.free() : std::min(room, rank.ledger.free());
            return std::make_tuple(plan.predicted.stepSeconds, plan.mesh.ranks(), -room);
        };
        return key(a) < key(b);
    }

    static std::int64_t budgetOf(const Device& device) {
        return device.budgetBytes > 0 ? device.budgetBytes : device.memoryBytes;
    }

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

    // Not even the weights fit, spread without any copy: spares the closer look.
    bool tooSmall(const Mesh& mesh) const {
        const std::int64_t parts = std::int64_t{mesh.pp} * mesh.tp * expertReplicas(mesh);
        return weightBytes_ / parts > largestBudget_;
    }

    void cut(Plan& plan) const {
        plan.stages = makeStages(graph_, stored_, plan.mesh.pp, options_.stageLayers);
        plan.kvPagesPerReplica = pagesPerSequence(options_) * options_.maxSequences;
    }

    const Place& placeFor(const Mesh& mesh, int rank) const {
        const int place = placeOf(mesh, options_.order, coordinates(mesh, rank));
        return places_[static_cast<std::size_t>(place)];
    }

    RankPlan rankPlan(const Mesh& mesh, int rank, Ledger ledger) const {
        const Place& place = placeFor(mesh, rank);
        ledger.capacity = budgetOf(*place.info);
        return {rank, coordinates(mesh, rank), place.node, place.device, ledger};
    }

    const std::string& kindOf(const Mesh& mesh, int rank) const {
        return placeFor(mesh, rank).info->kind;
    }

    // All ranks. Replicas cost the same: they hold the same cuts of the same sizes.
    Status fill(Plan& plan) const {
        const Partition partition(graph_, stored_, plan.mesh);
        std::map<std::tuple<int, int, std::string>, RankCost> known;
        std::vector<RankCost> slowest(plan.stages.size());
        std::vector<FitQuestion> questions;
        plan.ranks.clear();
        for (int rank = 0; rank < plan.mesh.ranks(); ++rank) {
            const Coordinates where = coordinates(plan.mesh, rank);
            const auto [place, isNew] =
                known.try_emplace({where.pp, where.tp, kindOf(plan.mesh, rank)}, RankCost{});
            if (isNew) {
                FL_DO(cancel_.check("plan"));
                FL_TRY(place->second, rankCost(partition, plan, where, kindOf(plan.mesh, rank)));
            }
            RankCost& stage = slowest[static_cast<std::size_t>(where.pp)];
            if (place->second.weightBytesPerStep > stage.weightBytesPerStep)
                stage = place->second;
            plan.ranks.push_back(rankPlan(plan.mesh, rank, place->second.ledger));
            questions.push_back({rank, &place->second, plan.ranks.back().ledger.capacity});
        }
        plan.fit = fitOf(plan.options, questions, graph_.contextLength);
        plan.hosts = hostLedgers(plan, cluster_);
        predict(plan, slowest);
        return Done{};
    }

    // The first rank of each stage stands for all: it holds the largest parts.
    bool sketch(Plan& plan) const {
        const Partition partition(graph_, stored_, plan.mesh);
        std::vector<RankCost> stages;
        for (int pp = 0; pp < plan.mesh.pp; ++pp) {
            if (cancel_.cancelled())
                return false;
            const Coordinates where{0, pp, 0};
            const int rank = rankAt(plan.mesh, where);
            auto cost = rankCost(partition, plan, where, kindOf(plan.mesh, rank));
            if (!cost)
                return false;
            plan.ranks.push_back(rankPlan(plan.mesh, rank, cost->ledger));
            if (plan.ranks.back().ledger.free() < 0)
                return false;
            stages.push_back(*cost);
        }
        predict(plan, stages);
        return true;
    }

    void predict(Plan& plan, const std::vector<RankCost>& stages) const {
        plan.predicted = predictStep(stages, reachOf(plan.mesh, nodesOf(plan.mesh)), speeds_);
        plan.predicted.tokensPerSecond =
            plan.options.maxSequences * plan.mesh.dp / plan.predicted.stepSeconds;
    }

    std::vector<int> stageChoices() const {
        if (options_.pp)
            return {*options_.pp};
        std::vector<int> out;
        for (int pp = 1; pp <= std::min(graph_.layerCount, facts_.devices); ++pp) {
            if (pp <= kFineStages || facts_.devices % pp == 0)
                out.push_back(pp);
        }
        return out;
    }

    std::vector<Mesh> candidates(const std::vector<int>& replicas) const {
        std::vector<Mesh> out;
        const std::vector<int> tps =
            options_.tp ? std::vector{*options_.tp} : legalTp(facts_, facts_.devices);
        for (const int tp : tps) {
            for (const int pp : stageChoices()) {
                for (const int dp : replicas)
                    addExperts({dp, pp, tp, 1}, out);
            }
        }
        return out;
    }

    void addExperts(Mesh mesh, std::vector<Mesh>& out) const {
        if (mesh.tp < 1 || mesh.pp < 1 || mesh.dp < 1 || mesh.ranks() > facts_.devices)
            return;
        const std::vector<int> eps = options_.ep           ? std::vector{*options_.ep}
                                     : facts_.experts == 0 ? std::vector{1}
                                                           : legalEp(facts_, mesh);
        for (const int ep : eps) {
            mesh.ep = ep;
            out.push_back(mesh);
        }
    }

    const Graph& graph_;
    const std::vector<StoredWeight>& stored_;
    const Cluster& cluster_;
    PlanOptions options_;
    const CancelToken& cancel_;
    Facts facts_;
    std::vector<Place> places_;
    Speeds speeds_;
    std::int64_t weightBytes_ = 0;
    std::int64_t largestBudget_ = 0;
};

// Tells a plan that is over budget which mesh of the cluster would do.
void suggestMesh(Plan& plan, const Planner& free) {
    const std::vector<Plan> fitting = free.search({1}, 1);
    for (Finding& finding : plan.findings) {
        finding.remedy += fitting.empty() ? "; no cut of the model fits this cluster"
                                          : "; " + text(fitting.front().mesh) + " would fit";
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

// The best plan with these numbers, or what they violate.
static Result<Plan> planWith(const Graph& graph,
                             const std::vector<StoredWeight>& stored,
                             const Cluster& cluster,
                             const PlanOptions& options,
                             const CancelToken& cancel) {
    const Planner planner(graph, stored, cluster, options, cancel);
    if (!planner.allSet()) {
        std::vector<Plan> best = planner.search({options.dp.value_or(1)}, 1);
        if (!best.empty())
            return std::move(best.front());
    }
    FL_TRY(Plan plan, planner.evaluate(planner.asked()));
    if (!plan.ranks.empty() && hasErrors(plan.findings))
        suggestMesh(plan, Planner(graph, stored, cluster, freed(options), cancel));
    FL_DO(cancel.check("plan"));
    return plan;
}

// The same options with ever smaller caches, as far as nobody asked for their size.
static std::vector<PlanOptions> smallerCaches(const Graph& graph, const PlanOptions& options) {
    std::vector<PlanOptions> out;
    PlanOptions less = withDefaults(graph, options);
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

static Finding cacheShrunk(const PlanOptions& wished, const PlanOptions& chosen) {
    const auto text = [](const PlanOptions& options) {
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
    finding.expected = text(wished);
    finding.found = text(chosen);
    finding.remedy = "ask for --max-sequences and --max-context, or use more or larger devices";
    return finding;
}

static bool lacksMemory(const Plan& plan) {
    return std::any_of(plan.findings.begin(), plan.findings.end(),
                       [](const Finding& finding) { return finding.code == "plan-memory"; });
}

Result<Plan> makePlan(const Graph& graph,
                      const std::vector<StoredWeight>& stored,
                      const Cluster& cluster,
                      const PlanOptions& options,
                      const CancelToken& cancel) {
    FL_TRY(Plan plan, planWith(graph, stored, cluster, options, cancel));
    if (!lacksMemory(plan))
        return plan;
    for (const PlanOptions& less : smallerCaches(graph, options)) {
        FL_TRY(Plan small, planWith(graph, stored, cluster, less, cancel));
        if (hasErrors(small.findings))
            continue;
        small.findings.push_back(cacheShrunk(plan.options, small.options));
        return small;
    }
    return plan;
}

static Candidate candidateOf(const Plan& plan) {
    Candidate out{plan.mesh, plan.options.order, 0, 0, plan.predicted};
    for (const RankPlan& rank : plan.ranks) {
        out.peakBytes = std::max(out.peakBytes, rank.ledger.total());
        out.freeBytes =
            rank.rank == 0 ? rank.ledger.free() : std::min(out.freeBytes, rank.ledger.free());
    }
    return out;
}

SearchState searchPlans(const graph::Graph& graph,
                        const std::vector<StoredWeight>& stored,
                        const topology::Cluster& cluster,
                        const PlanOptions& options,
                        const SearchOptions& search) {
    const Planner planner(graph, stored, cluster, options, search.cancel);
    SearchState state;
    for (const Plan& plan : planner.search(planner.replicaChoices(), search.limit))
        state.best.push_back(candidateOf(plan));
    state.legal = state.tried = state.total = static_cast<std::int64_t>(state.best.size());
    state.done = true;
    state.cancelled = search.cancel.cancelled();
    if (search.onProgress)
        search.onProgress(state);
    return state;
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
            return epFits(facts, {std::max(1, value / tp), 1, tp, value});
        });
        if (spreads)
            legal.ep.push_back(value);
    }
    return legal;
}

}  // namespace fl::plan
