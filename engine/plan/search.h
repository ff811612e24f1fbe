// SPDX-License-Identifier: Apache-2.0
// Finds and ranks meshes without looking at every rank of each. Private to the plan; makePlan() and
// searchPlans() are its outside.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "engine/base/cancel_token.h"
#include "engine/plan/layer_costs.h"
#include "engine/plan/links.h"
#include "engine/plan/machines.h"
#include "engine/plan/rules.h"

namespace fl::plan {

class PlanSearch {
public:
    // Everything given outlives the search. Of the options, numbers that are set are kept.
    PlanSearch(const graph::Graph& graph,
               const std::vector<StoredWeight>& stored,
               const Machines& machines,
               const LinkTable& links,
               const PlanOptions& options,
               const CancelToken& cancel);

    // `orders`: also with other orders of the ranks on the devices than that of the options.
    SearchState run(const SearchOptions& search, bool orders);

    // Legal plans that come nearest to `asked` by the ratios of their numbers, nearest first.
    std::vector<Candidate> nearest(const Mesh& asked, std::size_t limit);
    // The mesh in every order of its ranks that differs, fastest first.
    std::vector<Candidate> orders(const Mesh& mesh);

private:
    // One way of cutting layers and experts over so many stages, for any number of replicas.
    struct Cut {
        std::vector<StageLoad> loads;
        std::vector<std::int64_t> bytes;  // of the ledger of each stage
        std::int64_t peak = 0;
    };
    struct Shape {
        int tp = 1;
        int ep = 1;
        int pp = 1;
    };
    struct Entry {
        Mesh mesh;
        RankOrder order = kUsualOrder;
        double seconds = 0;
        std::int64_t peak = 0;
        std::int64_t free = 0;
    };

    std::vector<int> tensorChoices();
    std::vector<int> stageChoices() const;
    std::vector<int> expertChoices(int tp);
    std::vector<int> replicaChoices(const Shape& shape) const;
    std::vector<Shape> shapes();

    bool expertsFit(int tp, int ep);
    const LayerCosts* costs(int tp, int ep);
    const std::vector<Stage>& stages(int pp);
    std::optional<Cut> cut(const Shape& shape);
    std::int64_t freeBytes(const Cut& cut, const Mesh& mesh, const RankOrder& order) const;
    std::vector<DeviceSpeed> speeds(const Mesh& mesh, const RankOrder& order) const;
    const std::vector<GroupReach>& reach(const Mesh& mesh, const RankOrder& order);
    Predicted predict(const Cut& cut, const Mesh& mesh, const RankOrder& order);
    std::optional<Entry> judge(const Cut& cut, const Mesh& mesh, bool orders);
    Candidate candidate(const Entry& entry);
    std::vector<Candidate> best(std::vector<Entry>& found, std::size_t limit);

    const graph::Graph& graph_;
    const std::vector<StoredWeight>& stored_;
    const Machines& machines_;
    const LinkTable& links_;
    PlanOptions options_;
    const CancelToken& cancel_;
    Facts facts_;
    LayerKinds kinds_;
    std::int64_t weightBytes_ = 0;
    std::map<std::pair<int, int>, bool> expertsFit_;
    std::map<std::pair<int, int>, std::optional<LayerCosts>> costs_;
    std::map<int, std::vector<Stage>> stages_;
    // By TP, PP, DP, replicas of an expert group, and order: EP itself does not matter.
    std::map<std::tuple<int, int, int, int, RankOrder>, std::vector<GroupReach>> reach_;
};

}  // namespace fl::plan
