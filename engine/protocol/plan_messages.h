// SPDX-License-Identifier: Apache-2.0
// Mesh, ledgers, slices and violated rules as clients see them; what-if, search, saved plans and
// the cells of the placement map. Part of messages.h.
//
// The walk of a client: `plan.propose` as often as a slider moves (no side effect), `plan.cells` to
// draw the map, `plan.cell` for what lies under the pointer, `plan.commit` to put it in force.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/base/finding.h"
#include "engine/protocol/job_messages.h"

namespace fl::protocol {

struct MeshInfo {
    int dp = 1;
    int pp = 1;
    int ep = 1;
    int tp = 1;
    template <class S, class F>
    static void fields(S& s, F&& f) {
        f("dp", s.dp);
        f("pp", s.pp);
        f("ep", s.ep);
        f("tp", s.tp);
    }
};

// One named part of a category: "weights" "replicated", "kv" "latent", "state" "recurrent",
// "activations" "vision". The parts of a category need not make up all of it.
struct LedgerPart {
    std::string category;
    std::string name;
    std::int64_t bytes = 0;
    template <class S, class F>
    static void fields(S& s, F&& f) {
        f("category", s.category);
        f("name", s.name);
        f("bytes", s.bytes);
    }
};

struct LedgerInfo {
    std::int64_t weights = 0;
    std::int64_t scales = 0;
    std::int64_t kv = 0;
    std::int64_t state = 0;
    std::int64_t activations = 0;
    std::int64_t communication = 0;
    std::int64_t context = 0;
    std::int64_t staging = 0;
    std::int64_t replicatedWeights = 0;
    std::int64_t total = 0;
    std::vector<LedgerPart> parts;  // of a plan; empty in samples
    template <class S, class F>
    static void fields(S& s, F&& f) {
        f("weights", s.weights);
        f("scales", s.scales);
        f("kv", s.kv);
        f("state", s.state);
        f("activations", s.activations);
        f("communication", s.communication);
        f("context", s.context);
        f("staging", s.staging);
        f("replicated_weights", s.replicatedWeights);
        f("total", s.total);
        f("parts", s.parts);
    }
};

// What one rank holds of one tensor.
struct SliceInfo {
    std::string tensor;
    int layer = -1;
    std::string kind;
    std::string dtype;
    int axis = -1;
    std::int64_t begin = 0;
    std::int64_t end = 0;
    int firstExpert = 0;
    int expertCount = 0;
    std::int64_t bytes = 0;
    std::string file;                 // of the first part
    std::vector<std::string> files;   // of all parts (a family of experts lies in many), at most 64
    std::vector<std::int64_t> shape;  // of one whole tensor, as the checkpoint has it
    template <class S, class F>
    static void fields(S& s, F&& f) {
        f("tensor", s.tensor);
        f("layer", s.layer);
        f("kind", s.kind);
        f("dtype", s.dtype);
        f("axis", s.axis);
        f("begin", s.begin);
        f("end", s.end);
        f("first_expert", s.firstExpert);
        f("expert_count", s.expertCount);
        f("bytes", s.bytes);
        f("file", s.file);
        f("files", s.files);
        f("shape", s.shape);
    }
};

struct RankInfo {
    int rank = 0;
    std::string node;
    std::string device;
    int stage = 0;
    int firstLayer = 0;
    int endLayer = 0;
    int dp = 0;
    int pp = 0;
    int tp = 0;
    LedgerInfo ledger;
    std::int64_t capacity = 0;
    std::vector<std::int64_t> layerBytes;  // weights per layer first … end − 1
    std::int64_t embedBytes = 0;
    std::int64_t headBytes = 0;
    template <class S, class F>
    static void fields(S& s, F&& f) {
        f("rank", s.rank);
        f("node", s.node);
        f("device", s.device);
        f("stage", s.stage);
        f("first_layer", s.firstLayer);
        f("end_layer", s.endLayer);
        f("dp", s.dp);
        f("pp", s.pp);
        f("tp", s.tp);
        f("ledger", s.ledger);
        f("capacity", s.capacity);
        f("layer_bytes", s.layerBytes);
        f("embed_bytes", s.embedBytes);
        f("head_bytes", s.headBytes);
    }
};

// One decode step of `max_sequences` sequences at half of their context. The terms add up as
// step_s = Σ over stages of max(weights + kv, flops) + overhead + communication.
struct PredictedInfo {
    double step = 0;
    std::string bound;  // the largest term: weights kv flops overhead communication
    double weights = 0;
    double kv = 0;
    double flops = 0;
    double overhead = 0;  // of launching operators
    double communication = 0;
    double bubble = 0;           // of step_s: what a stage waits for the others, on average
    double prefill = 0;          // of the largest chunk, through all stages
    double tokensPerSecond = 0;  // of all replicas together, decoding
    template <class S, class F>
    static void fields(S& s, F&& f) {
        f("step_s", s.step);
        f("bound", s.bound);
        f("weights_s", s.weights);
        f("kv_s", s.kv);
        f("flops_s", s.flops);
        f("overhead_s", s.overhead);
        f("communication_s", s.communication);
        f("bubble_s", s.bubble);
        f("prefill_s", s.prefill);
        f("tokens_per_s", s.tokensPerSecond);
    }
};

// Another plan in one line.
struct AlternativeInfo {
    MeshInfo mesh;
    std::int64_t peakBytes = 0;  // largest rank
    std::int64_t freeBytes = 0;  // smallest head room
    double step = 0;
    std::string name{};              // "tp8·pp4"
    std::string order = "tp,pp,dp";  // as JobSettings::order
    int ranks = 0;
    std::string bound{};
    double tokensPerSecond = 0;
    template <class S, class F>
    static void fields(S& s, F&& f) {
        f("mesh", s.mesh);
        f("peak_bytes", s.peakBytes);
        f("free_bytes", s.freeBytes);
        f("step_s", s.step);
        f("name", s.name);
        f("order", s.order);
        f("ranks", s.ranks);
        f("bound", s.bound);
        f("tokens_per_s", s.tokensPerSecond);
    }
};

// How far the budgets reach: "max context 34,816 at 8 sequences". 0: not even the smallest fits.
struct FitInfo {
    std::int64_t context = 0;  // tokens per sequence that fit with the sequences asked for
    int sequences = 0;         // that fit at the context asked for
    int rank = -1;             // whose device is full first
    template <class S, class F>
    static void fields(S& s, F&& f) {
        f("context", s.context);
        f("sequences", s.sequences);
        f("rank", s.rank);
    }
};

// Memory of one machine: of the processes of its ranks and, where cards are made of the machine's
// own memory, of all their ledgers.
struct HostInfo {
    std::string node;
    int ranks = 0;
    std::int64_t bytes = 0;
    std::int64_t capacity = 0;  // 0: not known
    template <class S, class F>
    static void fields(S& s, F&& f) {
        f("node", s.node);
        f("ranks", s.ranks);
        f("bytes", s.bytes);
        f("capacity", s.capacity);
    }
};

// Result of `plan.make` and `plan.propose`, event `plan.changed`.
struct PlanInfo {
    MeshInfo mesh;
    std::string name;                // "tp3·pp2"
    std::string order = "tp,pp,dp";  // as JobSettings::order
    std::vector<int> stageLayers;    // layers of each stage
    std::vector<RankInfo> ranks;     // none where a rule of shape is violated
    std::vector<HostInfo> hosts;
    FitInfo fit;
    PredictedInfo predicted;
    std::vector<AlternativeInfo> alternatives;  // legal plans, best first (`plan.make` only)
    std::vector<AlternativeInfo> nearest;  // legal plans nearest to what was asked, where it is not
    std::vector<int> legalTp;
    std::vector<int> legalPp;
    std::vector<int> legalEp;
    std::vector<int> legalDp;
    std::int64_t maxContext = 0;
    int maxSequences = 0;
    std::string compute;
    std::string kv;
    int layers = 0;
    std::vector<fl::Finding> violations;
    std::string verdict = "ok";
    template <class S, class F>
    static void fields(S& s, F&& f) {
        f("mesh", s.mesh);
        f("name", s.name);
        f("order", s.order);
        f("stage_layers", s.stageLayers);
        f("ranks", s.ranks);
        f("hosts", s.hosts);
        f("fit", s.fit);
        f("predicted", s.predicted);
        f("alternatives", s.alternatives);
        f("nearest", s.nearest);
        f("legal_tp", s.legalTp);
        f("legal_pp", s.legalPp);
        f("legal_ep", s.legalEp);
        f("legal_dp", s.legalDp);
        f("max_context", s.maxContext);
        f("max_sequences", s.maxSequences);
        f("compute", s.compute);
        f("kv", s.kv);
        f("layers", s.layers);
        f("violations", s.violations);
        f("verdict", s.verdict);
    }
};

// `plan.make`: a plan with its alternatives, which takes a search. Changes nothing.
// `plan.propose`: the same without the search, for sliders: mesh, order, layers per stage, context,
// sequences and KV type of `settings`; numbers that are 0 become those of the plan in force, where
// there is one. Changes nothing. An empty checkpoint is the open job's.
// `plan.commit`: puts these settings in force: the plan stage runs again with them and later stages
// go stale. Refused, with nothing changed, where a rule is violated. All three → PlanInfo.
struct PlanRequest {
    JobSettings settings;
    template <class S, class F>
    static void fields(S& s, F&& f) {
        f("settings", s.settings);
    }
};

// `plan.slices` of the plan in force → SlicesReply.
struct SlicesRequest {
    int rank = 0;
    template <class S, class F>
    static void fields(S& s, F&& f) {
        f("rank", s.rank);
    }
};
struct SlicesReply {
    std::vector<SliceInfo> slices;
    template <class S, class F>
    static void fields(S& s, F&& f) {
        f("slices", s.slices);
    }
};

// `plan.search` → SearchProgress with done: every legal plan on the cluster that agrees with the
// numbers that are set, ranked. While it runs, the event `plan.searching` says what it has.
// `plan.search.cancel` {search}: the reply comes at once, with what was found so far. A new search
// of a client cancels the one before.
struct SearchRequest {
    std::string search;  // a name that the client chooses
    JobSettings settings;
    int limit = 50;  // plans in the reply
    template <class S, class F>
    static void fields(S& s, F&& f) {
        f("search", s.search);
        f("settings", s.settings);
        f("limit", s.limit);
    }
};
struct SearchCancel {
    std::string search;
    template <class S, class F>
    static void fields(S& s, F&& f) {
        f("search", s.search);
    }
};
struct SearchProgress {
    std::string search;
    std::int64_t tried = 0;
    std::int64_t total = 0;  // meshes to try
    std::int64_t legal = 0;  // of those tried
    double seconds = 0;
    bool done = false;
    bool cancelled = false;
    std::vector<AlternativeInfo> best;  // so far, best first
    template <class S, class F>
    static void fields(S& s, F&& f) {
        f("search", s.search);
        f("tried", s.tried);
        f("total", s.total);
        f("legal", s.legal);
        f("seconds", s.seconds);
        f("done", s.done);
        f("cancelled", s.cancelled);
        f("best", s.best);
    }
};

// A plan kept by name, in the user's data folder, as the file that `firstlightctl plan --save`
// writes. `plan.save` {name, settings} → SavedPlan; `plan.saved` → SavedPlans; `plan.forget`
// {name}. Its settings can be proposed or committed.
struct SavedPlan {
    std::string name;
    double savedAt = 0;  // unix seconds
    JobSettings settings;
    AlternativeInfo plan;
    std::string verdict;
    template <class S, class F>
    static void fields(S& s, F&& f) {
        f("name", s.name);
        f("saved_at", s.savedAt);
        f("settings", s.settings);
        f("plan", s.plan);
        f("verdict", s.verdict);
    }
};
struct SavedPlans {
    std::vector<SavedPlan> plans;  // newest first
    template <class S, class F>
    static void fields(S& s, F&& f) {
        f("plans", s.plans);
    }
};
struct SavePlanRequest {
    std::string name;
    JobSettings settings;
    template <class S, class F>
    static void fields(S& s, F&& f) {
        f("name", s.name);
        f("settings", s.settings);
    }
};
struct ForgetPlanRequest {
    std::string name;
    template <class S, class F>
    static void fields(S& s, F&& f) {
        f("name", s.name);
    }
};

// `plan.cells` → PlanCells, of the plan in force, or of `settings` where `proposed` is set.
struct CellsRequest {
    bool proposed = false;
    JobSettings settings;
    std::string by = "layer";  // one cell per rank and row; "kind": one per rank, row and kind
    template <class S, class F>
    static void fields(S& s, F&& f) {
        f("proposed", s.proposed);
        f("settings", s.settings);
        f("by", s.by);
    }
};

// What each rank holds of each layer, as columns of `count` entries, ordered by rank, then row,
// then kind; cells without bytes are left out. A column is base64 of little-endian numbers. Row 0
// is what comes before layer 0 (embedding, vision), row 1 + i is layer i, row 1 + `layers` what
// comes behind (final norm, head). `bytes` counts weights as stored.
struct PlanCells {
    int ranks = 0;
    int layers = 0;
    std::vector<std::string> kinds;   // "attention": what `kind` counts through
    std::vector<std::string> dtypes;  // "BF16": what `dtype` counts through
    std::int64_t count = 0;
    std::string rank;   // uint16 each
    std::string row;    // uint16
    std::string kind;   // uint8: the kind with the most bytes in the cell
    std::string dtype;  // uint8: the type with the most bytes in the cell
    std::string bytes;  // int64
    template <class S, class F>
    static void fields(S& s, F&& f) {
        f("ranks", s.ranks);
        f("layers", s.layers);
        f("kinds", s.kinds);
        f("dtypes", s.dtypes);
        f("count", s.count);
        f("rank", s.rank);
        f("row", s.row);
        f("kind", s.kind);
        f("dtype", s.dtype);
        f("bytes", s.bytes);
    }
};

// `plan.cell` → SlicesReply: tensors, experts, slices and files of one cell, in the order of their
// use. Which plan: as CellsRequest.
struct CellRequest {
    bool proposed = false;
    JobSettings settings;
    int rank = 0;
    int row = 0;       // as in PlanCells
    std::string kind;  // only this kind; empty: all
    template <class S, class F>
    static void fields(S& s, F&& f) {
        f("proposed", s.proposed);
        f("settings", s.settings);
        f("rank", s.rank);
        f("row", s.row);
        f("kind", s.kind);
    }
};

}  // namespace fl::protocol
