// SPDX-License-Identifier: Apache-2.0
// Mesh, ledgers, slices and violated rules as clients see them. Part of messages.h.
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
    std::string file;
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

struct PredictedInfo {
    double step = 0;
    std::string bound;
    template <class S, class F>
    static void fields(S& s, F&& f) {
        f("step_s", s.step);
        f("bound", s.bound);
    }
};

struct AlternativeInfo {
    MeshInfo mesh;
    std::int64_t peakBytes = 0;  // largest rank
    std::int64_t freeBytes = 0;  // smallest head room
    double step = 0;
    template <class S, class F>
    static void fields(S& s, F&& f) {
        f("mesh", s.mesh);
        f("peak_bytes", s.peakBytes);
        f("free_bytes", s.freeBytes);
        f("step_s", s.step);
    }
};

// Result of `plan.make`, event `plan.changed`.
struct PlanInfo {
    MeshInfo mesh;
    std::string name;  // "tp3·pp2"
    std::vector<RankInfo> ranks;
    PredictedInfo predicted;
    std::vector<AlternativeInfo> alternatives;
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
        f("ranks", s.ranks);
        f("predicted", s.predicted);
        f("alternatives", s.alternatives);
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

// `plan.make`: a what-if; changes nothing.
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

}  // namespace fl::protocol
