// SPDX-License-Identifier: Apache-2.0
// Who holds which slice and runs which operators. Pure data made from a graph, the checkpoint's
// dtypes and a cluster description; a laptop plans for a thousand cards.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/cancel_token.h"
#include "engine/base/dtype.h"
#include "engine/base/finding.h"
#include "engine/base/result.h"
#include "engine/graph/graph.h"
#include "engine/graph/memory_plan.h"
#include "engine/graph/stored_weight.h"
#include "engine/topology/cluster.h"

namespace fl::plan {

// DP × PP × TP ranks, TP fastest: rank = (dp · PP + pp) · TP + tp. EP multiplies nothing: it says
// over how many of a stage's DP × TP ranks one layer's experts are spread.
struct Mesh {
    int dp = 1;
    int pp = 1;
    int tp = 1;
    int ep = 1;
    int ranks() const { return dp * pp * tp; }
    bool operator==(const Mesh&) const = default;
};
std::string text(const Mesh& mesh);  // "tp8·pp4·ep8"

struct Coordinates {
    int dp = 0;
    int pp = 0;
    int tp = 0;
};
Coordinates coordinates(const Mesh& mesh, int rank);
int rankAt(const Mesh& mesh, const Coordinates& where);

// Which ranks are neighbours on the devices, nearest first. {Tp, Pp, Dp} puts rank r on the r-th
// device, counted node by node.
enum class Axis : std::uint8_t { Tp, Pp, Dp };
using RankOrder = std::array<Axis, 3>;
constexpr RankOrder kUsualOrder = {Axis::Tp, Axis::Pp, Axis::Dp};
std::string text(const RankOrder& order);  // "tp,pp,dp"
// "" is the usual one; an error names the legal texts.
Result<RankOrder> orderFromText(const std::string& text);
int placeOf(const Mesh& mesh, const RankOrder& order, const Coordinates& where);
// Those that put some rank on another device than each other do; the usual one first.
std::vector<RankOrder> distinctOrders(const Mesh& mesh);

// Ranks of one communication group, in group order; `name` is "tp0", "pp3", "ep1", "edp0".
//   tp: one stage of one replica.  pp: the same tp index along the stages of one replica.
//   ep: the ranks over which one layer's experts are spread.
//   edp: the ranks of an ep group with the same tp index (tokens travel here); only if EP > TP.
//   dp: the same place in every replica.
struct Group {
    std::string kind;
    std::string name;
    std::vector<int> ranks;
};
std::vector<Group> groups(const Mesh& mesh);  // every group with more than one member

// Where a rank stands among those that share one layer's experts: `index` of mesh.ep sets of whole
// experts, and which of `parts` parts of each of them (EP below TP).
struct ExpertPlace {
    int index = 0;
    int part = 0;
    int parts = 1;
};
ExpertPlace expertPlace(const Mesh& mesh, const Coordinates& where);
// Replicas whose tokens meet in one expert group: EP / TP where EP is larger, else 1.
int expertReplicas(const Mesh& mesh);

enum class Compute : std::uint8_t { F32, BF16, Int8 };

// 0 or unset: chosen by the planner.
struct PlanOptions {
    std::optional<int> dp;
    std::optional<int> pp;
    std::optional<int> tp;
    std::optional<int> ep;
    std::vector<int> stageLayers;  // layers per stage; empty: balanced by bytes
    RankOrder order = kUsualOrder;
    std::int64_t maxContext = 0;  // tokens per sequence; 0: the model's, at most 4096
    int maxSequences = 0;         // at once, per replica; 0: 8
    int maxBatchTokens = 512;     // rows of one step
    Compute compute = Compute::F32;
    DType kv = DType::F32;  // F32 or BF16
    int pageTokens = 16;
};

// The same wishes with the mesh left open.
PlanOptions freed(PlanOptions options);

// Order and names equal fl_memory_category; the ledger is drawn in this order everywhere.
enum class Category : std::uint8_t {
    Weights,
    Scales,
    Kv,
    State,
    Activations,
    Communication,
    Context,
    Staging,
};
constexpr std::size_t kCategoryCount = 8;
std::string_view name(Category category);  // "weights"

// A named part of a category: replicated weights, keys of an indexer, recurrent state.
struct LedgerPart {
    Category category = Category::Weights;
    std::string name;
    std::int64_t bytes = 0;
    bool operator==(const LedgerPart&) const = default;
};

struct Ledger {
    std::array<std::int64_t, kCategoryCount> bytes{};
    std::int64_t replicatedWeights = 0;  // part of Weights that other ranks of the stage hold too
    std::int64_t capacity = 0;           // the device's budget
    // What categories are made of, where there is more to say; need not make up all of them.
    std::vector<LedgerPart> parts;
    void add(Category category, const std::string& part, std::int64_t size);
    std::int64_t total() const;
    std::int64_t free() const { return capacity - total(); }
    std::int64_t& operator[](Category c) { return bytes[static_cast<std::size_t>(c)]; }
    std::int64_t operator[](Category c) const { return bytes[static_cast<std::size_t>(c)]; }
};

// What one rank holds of one weight: [begin, end) along `axis` of each tensor (axis −1: all of it),
// and which experts of a family. Of a weight with segments it is the same share of each: of a
// segment of n rows in a weight of s rows, [begin · n / s, end · n / s).
struct Slice {
    graph::WeightId weight = 0;
    int axis = -1;
    std::int64_t begin = 0;
    std::int64_t end = 0;
    std::int32_t firstExpert = 0;
    std::int32_t expertCount = 0;  // 0: no family
    std::int64_t bytes = 0;        // of this slice, as the checkpoint stores it
    std::int64_t scaleBytes = 0;   // of the scales beside it
};

struct Stage {
    int firstLayer = 0;
    int endLayer = 0;
    bool embeds = false;   // holds the token embedding
    bool answers = false;  // holds final norm and head
};

struct RankPlan {
    int rank = 0;
    Coordinates where;
    int node = 0;    // index into Cluster::nodes
    int device = 0;  // index into that node's devices
    Ledger ledger;
};

// One decode step of maxSequences sequences; predict.h says what each term is.
struct Predicted {
    double stepSeconds = 0;
    std::string bound;  // "weights", "kv", "flops", "overhead", "communication"
    double weightSeconds = 0;
    double kvSeconds = 0;
    double flopSeconds = 0;
    double overheadSeconds = 0;
    double communicationSeconds = 0;
    double bubbleSeconds = 0;
    double prefillSeconds = 0;   // of the largest chunk, through all stages
    double tokensPerSecond = 0;  // of all replicas
};

// How far the budgets reach. 0: not even one page, or one sequence.
struct Fit {
    std::int64_t context = 0;  // tokens per sequence, with the sequences asked for
    int sequences = 0;         // per replica, with the context asked for
    int rank = -1;             // whose device is full first
};

// Memory of one node.
struct HostLedger {
    int node = 0;  // index into Cluster::nodes
    int ranks = 0;
    std::int64_t bytes = 0;
    std::int64_t capacity = 0;  // 0: not known
};

// What the collectives of one kind of group take in a decode step.
struct GroupSeconds {
    std::string kind;
    double seconds = 0;
};

// A legal plan in one line; makePlan() with its numbers and order gives all of it.
struct Candidate {
    Mesh mesh;
    RankOrder order = kUsualOrder;
    std::int64_t peakBytes = 0;  // largest rank
    std::int64_t freeBytes = 0;  // smallest head room
    Predicted predicted;
};

struct Plan {
    Mesh mesh;
    PlanOptions options;  // with everything chosen
    std::vector<Stage> stages;
    std::vector<RankPlan> ranks;
    std::vector<HostLedger> hosts;
    Fit fit;
    Predicted predicted;
    std::vector<GroupSeconds> groupSeconds;
    std::int64_t kvPagesPerReplica = 0;
    std::vector<Candidate> nearest;  // legal plans nearest to this one, where it is not
    std::vector<Finding> findings;   // violated rules (errors), notes
};

using graph::StoredWeight;

// One legal or illegal answer for exactly these numbers; all violated rules are in `findings`, each
// with the legal values. Unset numbers are chosen: the best legal plan by predicted step time (one
// replica unless asked for more); if there is none, the rules are shown for the smallest numbers.
// Where nothing fits because of a cache that nobody asked for, fewer sequences and then a shorter
// context are chosen, and a note (plan-cache-shrunk) says so.
// Without ranks in the answer, a shape rule is violated. Fails only if the graph is not one that
// can be planned (unknown operator), or once cancelled.
Result<Plan> makePlan(const graph::Graph& graph,
                      const std::vector<StoredWeight>& stored,
                      const topology::Cluster& cluster,
                      const PlanOptions& options,
                      const CancelToken& cancel = {});

struct SearchState {
    std::int64_t tried = 0;
    std::int64_t total = 0;  // meshes to try
    std::int64_t legal = 0;  // of those tried
    double seconds = 0;
    bool done = false;
    bool cancelled = false;
    std::vector<Candidate> best;  // so far, best first
};

struct SearchOptions {
    std::size_t limit = 50;  // plans in `best`
    CancelToken cancel;
    // What was found so far, a few times a second, from the caller's thread.
    std::function<void(const SearchState&)> onProgress;
};

// Every legal mesh on the cluster that agrees with the numbers that are set, best first: by
// predicted step time, then fewer ranks, then head room. After a cancel: what was found until then.
SearchState searchPlans(const graph::Graph& graph,
                        const std::vector<StoredWeight>& stored,
                        const topology::Cluster& cluster,
                        const PlanOptions& options,
                        const SearchOptions& search);

// The plan's own mesh with its ranks in every order that differs, fastest first. Empty for a plan
// that breaks a rule of shape.
std::vector<Candidate> rankOrders(const graph::Graph& graph,
                                  const std::vector<StoredWeight>& stored,
                                  const topology::Cluster& cluster,
                                  const Plan& plan);

// For each number, the values that the model's shape and the cluster allow while the others are as
// set (unset: 1). Memory is not looked at.
struct LegalValues {
    std::vector<int> dp;
    std::vector<int> pp;
    std::vector<int> tp;
    std::vector<int> ep;
};
LegalValues legalValues(const graph::Graph& graph,
                        const std::vector<StoredWeight>& stored,
                        const topology::Cluster& cluster,
                        const PlanOptions& options);
// For each number, the values of all meshes that shape and cluster allow.
LegalValues possibleValues(const graph::Graph& graph,
                           const std::vector<StoredWeight>& stored,
                           const topology::Cluster& cluster);

// The most rows that a step of this plan has: what activations are sized for.
graph::RowCounts mostRows(const Plan& plan);

// Mesh, stages, one line per rank with its ledger, findings.
std::string dump(const Plan& plan);

// All slices that one rank holds, in the order of its graph's use.
std::vector<Slice> slicesOf(const graph::Graph& graph,
                            const std::vector<StoredWeight>& stored,
                            const Plan& plan,
                            int rank);

// The graph that one rank runs: its stage's layers with local widths, collectives placed, send and
// receive at the stage's edges. Weights keep their checkpoint names and full shapes, in the order
// of slicesOf(): weight i of this graph is slice i. Collective nodes:
//   all_reduce {group}            one input, one output, sum
//   all_gather {group, columns}   parts of each row joined to whole rows (logits); `columns` is a
//                                 list of numbers: the width of each rank's part, in group order
//   gather_tokens {group}         rows of all replicas one after the other (Tokens → GroupTokens)
//   scatter_tokens {group}        sum over the group, own rows kept (GroupTokens → Tokens)
//   send {group, to} / receive {group, from}   the residual stream between stages; `to`/`from` is
//                                 the peer's index in the group "pp"
// `group` is the kind ("tp", "edp", "pp"); the rank is member of one group of a kind. An all_reduce
// may work in place: the memory plan gives its output the place of its input where it can.
// A value carries its tap on the one stage that makes it, and there behind its last collective.
Result<graph::Graph> rankGraph(const graph::Graph& graph,
                               const std::vector<StoredWeight>& stored,
                               const Plan& plan,
                               int rank);

}  // namespace fl::plan
