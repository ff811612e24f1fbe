// SPDX-License-Identifier: Apache-2.0
#include "engine/plan/search.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>

#include "engine/plan/stages.h"

namespace fl::plan {

namespace {

constexpr double kProgressSeconds = 0.2;
constexpr std::size_t kProgressPlans = 12;
// Looking at every rank for each of six orders pays as long as there are not many.
constexpr int kRanksForOrders = 256;
// Meshes looked at for the nearest ones.
constexpr int kNearestTries = 2000;

double now() {
    const auto time = std::chrono::steady_clock::now().time_since_epoch();
    return std::chrono::duration<double>(time).count();
}

std::vector<int> upTo(int most) {
    std::vector<int> out;
    for (int value = 1; value <= most; ++value)
        out.push_back(value);
    return out;
}

double apart(int one, int other) {
    return std::abs(std::log2(static_cast<double>(one) / other));
}

}  // namespace

PlanSearch::PlanSearch(const graph::Graph& graph,
                       const std::vector<StoredWeight>& stored,
                       const Machines& machines,
                       const LinkTable& links,
                       const PlanOptions& options,
                       const CancelToken& cancel)
    : graph_(graph),
      stored_(stored),
      machines_(machines),
      links_(links),
      options_(options),
      cancel_(cancel),
      facts_(gatherFacts(graph, stored, machines.cluster())),
      kinds_(layerKinds(graph, stored)) {
    for (std::size_t id = 0; id < graph.weights.size(); ++id)
        weightBytes_ += (stored[id].bytesPerTensor + stored[id].scaleBytesPerTensor) *
                        graph.weights[id].parts();
}

std::vector<int> PlanSearch::tensorChoices() {
    return options_.tp ? std::vector{*options_.tp} : legalTp(facts_, machines_.count());
}

std::vector<int> PlanSearch::stageChoices() const {
    return options_.pp ? std::vector{*options_.pp}
                       : upTo(std::min(graph_.layerCount, machines_.count()));
}

bool PlanSearch::expertsFit(int tp, int ep) {
    const auto [place, isNew] = expertsFit_.try_emplace({tp, ep}, false);
    if (isNew)
        place->second = epFits(facts_, {std::max(1, ep / tp), 1, tp, ep});
    return place->second;
}

std::vector<int> PlanSearch::expertChoices(int tp) {
    std::vector<int> out;
    for (const int ep : options_.ep           ? std::vector{*options_.ep}
                        : facts_.experts == 0 ? std::vector{1}
                                              : upTo(machines_.count())) {
        const bool divides = ep > 0 && (facts_.experts == 0 || facts_.experts % ep == 0);
        if (divides && (tp % ep == 0 || ep % tp == 0) && expertsFit(tp, ep))
            out.push_back(ep);
    }
    return out;
}

// Experts that travel need whole expert groups of replicas.
std::vector<int> PlanSearch::replicaChoices(const Shape& shape) const {
    const int together = std::max(1, shape.ep / shape.tp);
    const int most = machines_.count() / (shape.tp * shape.pp);
    std::vector<int> out;
    for (const int dp : options_.dp ? std::vector{*options_.dp} : upTo(most)) {
        if (dp > 0 && dp <= most && dp % together == 0)
            out.push_back(dp);
    }
    return out;
}

std::vector<PlanSearch::Shape> PlanSearch::shapes() {
    std::vector<Shape> out;
    for (const int tp : tensorChoices()) {
        if (tp < 1 || tp > machines_.count() || !tpFits(facts_, tp))
            continue;
        for (const int ep : expertChoices(tp)) {
            for (const int pp : stageChoices()) {
                if (pp >= 1 && pp <= graph_.layerCount && pp <= machines_.count() / tp)
                    out.push_back({tp, ep, pp});
            }
        }
    }
    return out;
}

const LayerCosts* PlanSearch::costs(int tp, int ep) {
    const auto [place, isNew] = costs_.try_emplace({tp, ep}, std::nullopt);
    if (isNew) {
        auto made = LayerCosts::make(graph_, stored_, kinds_, {std::max(1, ep / tp), 1, tp, ep},
                                     options_, machines_.at(0).info->kind);
        if (made)
            place->second = *std::move(made);
    }
    return place->second ? &*place->second : nullptr;
}

const std::vector<Stage>& PlanSearch::stages(int pp) {
    const auto [place, isNew] = stages_.try_emplace(pp);
    if (isNew)
        place->second = makeStages(graph_, stored_, pp, options_.stageLayers);
    return place->second;
}

// Nothing where not even the weights fit, spread without any copy: spares the closer look.
std::optional<PlanSearch::Cut> PlanSearch::cut(const Shape& shape) {
    const std::int64_t parts = std::int64_t{shape.pp} * shape.tp * std::max(1, shape.ep / shape.tp);
    if (weightBytes_ / parts > machines_.largestBudget())
        return std::nullopt;
    const LayerCosts* costs = this->costs(shape.tp, shape.ep);
    if (costs == nullptr)
        return std::nullopt;
    Cut out;
    for (const Stage& stage : stages(shape.pp)) {
        StageCost cost = costs->stage(stage);
        out.peak = std::max(out.peak, cost.bytes);
        if (cost.bytes > machines_.largestBudget())
            return std::nullopt;
        out.bytes.push_back(cost.bytes);
        out.loads.push_back(std::move(cost.load));
    }
    return out;
}

std::int64_t PlanSearch::freeBytes(const Cut& cut, const Mesh& mesh, const RankOrder& order) const {
    if (machines_.alike())
        return machines_.largestBudget() - cut.peak;
    std::int64_t free = std::numeric_limits<std::int64_t>::max();
    for (int rank = 0; rank < mesh.ranks(); ++rank) {
        const Coordinates where = coordinates(mesh, rank);
        free = std::min(free, machines_.of(mesh, order, where).budget -
                                  cut.bytes[static_cast<std::size_t>(where.pp)]);
    }
    return free;
}

// The slowest device of each stage.
std::vector<DeviceSpeed> PlanSearch::speeds(const Mesh& mesh, const RankOrder& order) const {
    const auto count = static_cast<std::size_t>(mesh.pp);
    if (machines_.alike())
        return std::vector(count, machines_.speed(machines_.at(0), mesh));
    std::vector<DeviceSpeed> out(count);
    for (int rank = 0; rank < mesh.ranks(); ++rank) {
        const Coordinates where = coordinates(mesh, rank);
        const DeviceSpeed speed = machines_.speed(machines_.of(mesh, order, where), mesh);
        DeviceSpeed& slowest = out[static_cast<std::size_t>(where.pp)];
        const bool first = slowest.flops == 0;
        slowest.memoryBytesPerSecond =
            first ? speed.memoryBytesPerSecond
                  : std::min(slowest.memoryBytesPerSecond, speed.memoryBytesPerSecond);
        slowest.flops = first ? speed.flops : std::min(slowest.flops, speed.flops);
    }
    return out;
}

const std::vector<GroupReach>& PlanSearch::reach(const Mesh& mesh, const RankOrder& order) {
    const auto [place, isNew] =
        reach_.try_emplace({mesh.tp, mesh.pp, mesh.dp, expertReplicas(mesh), order});
    if (isNew)
        place->second = links_.reach(mesh, order);
    return place->second;
}

Predicted PlanSearch::predict(const Cut& cut, const Mesh& mesh, const RankOrder& order) {
    return predictStep(cut.loads, speeds(mesh, order), reach(mesh, order), options_, mesh.dp);
}

// With the fastest order of those where it fits.
std::optional<PlanSearch::Entry> PlanSearch::judge(const Cut& cut, const Mesh& mesh, bool orders) {
    const bool many = !machines_.alike() && mesh.ranks() > kRanksForOrders;
    std::optional<Entry> out;
    for (const RankOrder& order :
         orders && !many ? distinctOrders(mesh) : std::vector{options_.order}) {
        const std::int64_t free = freeBytes(cut, mesh, order);
        if (free < 0)
            continue;
        const double seconds = predict(cut, mesh, order).stepSeconds;
        if (!out || seconds < out->seconds)
            out = Entry{mesh, order, seconds, cut.peak, free};
    }
    return out;
}

Candidate PlanSearch::candidate(const Entry& entry) {
    const auto cut = this->cut({entry.mesh.tp, entry.mesh.ep, entry.mesh.pp});
    return {entry.mesh, entry.order, entry.peak, entry.free,
            predict(*cut, entry.mesh, entry.order)};
}

std::vector<Candidate> PlanSearch::best(std::vector<Entry>& found, std::size_t limit) {
    const auto better = [](const Entry& a, const Entry& b) {
        const auto key = [](const Entry& entry) {
            return std::make_tuple(entry.seconds, entry.mesh.ranks(), -entry.free);
        };
        return key(a) < key(b);
    };
    const std::size_t count = std::min(limit, found.size());
    const auto middle = found.begin() + static_cast<std::ptrdiff_t>(count);
    std::partial_sort(found.begin(), middle, found.end(), better);
    std::vector<Candidate> out;
    for (std::size_t i = 0; i < count; ++i)
        out.push_back(candidate(found[i]));
    return out;
}

SearchState PlanSearch::run(const SearchOptions& search, bool orders) {
    const double begin = now();
    double told = begin;
    SearchState state;
    std::vector<Entry> found;
    const std::vector<Shape> all = shapes();
    for (const Shape& shape : all)
        state.total += static_cast<std::int64_t>(replicaChoices(shape).size());
    for (const Shape& shape : all) {
        if (cancel_.cancelled())
            break;
        const std::vector<int> replicas = replicaChoices(shape);
        const auto cut = replicas.empty() ? std::nullopt : this->cut(shape);
        for (const int dp : replicas) {
            if (cancel_.cancelled())
                break;
            ++state.tried;
            if (!cut)
                continue;
            if (auto entry = judge(*cut, {dp, shape.pp, shape.tp, shape.ep}, orders))
                found.push_back(*entry);
        }
        state.seconds = now() - begin;
        if (search.onProgress && now() - told > kProgressSeconds) {
            told = now();
            state.legal = static_cast<std::int64_t>(found.size());
            state.best = best(found, std::min(search.limit, kProgressPlans));
            search.onProgress(state);
        }
    }
    state.legal = static_cast<std::int64_t>(found.size());
    state.best = best(found, search.limit);
    state.seconds = now() - begin;
    state.done = true;
    state.cancelled = cancel_.cancelled();
    if (search.onProgress)
        search.onProgress(state);
    return state;
}

std::vector<Candidate> PlanSearch::nearest(const Mesh& asked, std::size_t limit) {
    std::vector<std::pair<double, Mesh>> meshes;
    for (const Shape& shape : shapes()) {
        for (const int dp : replicaChoices(shape)) {
            const Mesh mesh{dp, shape.pp, shape.tp, shape.ep};
            const double far = apart(mesh.tp, asked.tp) + apart(mesh.pp, asked.pp) +
                               apart(mesh.dp, asked.dp) + apart(mesh.ep, asked.ep) / 2 +
                               apart(mesh.ranks(), asked.ranks()) / 4;
            meshes.emplace_back(far, mesh);
        }
    }
    std::stable_sort(meshes.begin(), meshes.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    std::vector<Candidate> out;
    int tries = 0;
    for (const auto& [far, mesh] : meshes) {
        if (out.size() == limit || ++tries > kNearestTries || cancel_.cancelled())
            break;
        const auto cut = this->cut({mesh.tp, mesh.ep, mesh.pp});
        const auto entry = cut ? judge(*cut, mesh, false) : std::nullopt;
        if (entry)
            out.push_back(candidate(*entry));
    }
    return out;
}

std::vector<Candidate> PlanSearch::orders(const Mesh& mesh) {
    std::vector<Candidate> out;
    const auto cut = this->cut({mesh.tp, mesh.ep, mesh.pp});
    for (const RankOrder& order : cut ? distinctOrders(mesh) : std::vector<RankOrder>{})
        out.push_back(
            {mesh, order, cut->peak, freeBytes(*cut, mesh, order), predict(*cut, mesh, order)});
    std::stable_sort(out.begin(), out.end(), [](const Candidate& a, const Candidate& b) {
        return a.predicted.stepSeconds < b.predicted.stepSeconds;
    });
    return out;
}

}  // namespace fl::plan
