// SPDX-License-Identifier: Apache-2.0
// Handshake, what the user asked for, and how the stages stand. Part of messages.h.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace fl::protocol {

// Raised whenever a message changes. Clients and engines of different numbers refuse each other.
constexpr int kProtocolVersion = 2;

struct Hello {
    int protocol = kProtocolVersion;
    std::string version;  // of the program
    std::string client;   // "workbench", "firstlightctl"
    template <class S, class F>
    static void fields(S& s, F&& f) {
        f("protocol", s.protocol);
        f("version", s.version);
        f("client", s.client);
    }
};

// One job: which model on which cluster, cut how. Numbers that are 0 are chosen by the planner.
struct JobSettings {
    std::string job;  // name; the socket's
    std::string checkpoint;
    std::string recipe;  // empty: found by architecture
    std::string cluster = "local";
    int tp = 0;
    int pp = 0;
    int ep = 0;
    int dp = 0;
    std::vector<int> stageLayers;
    // Which ranks are neighbours on the devices, nearest first: "tp,pp,dp" puts the ranks of a
    // tensor-parallel group side by side, then the stages, then the replicas. Empty: that one.
    std::string order;
    std::int64_t maxContext = 0;
    int maxSequences = 8;
    std::string compute = "auto";
    std::string kv = "auto";
    std::string offload = "none";
    template <class S, class F>
    static void fields(S& s, F&& f) {
        f("job", s.job);
        f("checkpoint", s.checkpoint);
        f("recipe", s.recipe);
        f("cluster", s.cluster);
        f("tp", s.tp);
        f("pp", s.pp);
        f("ep", s.ep);
        f("dp", s.dp);
        f("stage_layers", s.stageLayers);
        f("order", s.order);
        f("max_context", s.maxContext);
        f("max_sequences", s.maxSequences);
        f("compute", s.compute);
        f("kv", s.kv);
        f("offload", s.offload);
    }
};

// `job.open`: take these settings and run the stages up to `until` (inspect, plan, launch, load).
// The reply comes at once; progress comes as events. Whatever ran before is stopped first.
struct OpenRequest {
    JobSettings settings;
    std::string until = "load";
    template <class S, class F>
    static void fields(S& s, F&& f) {
        f("settings", s.settings);
        f("until", s.until);
    }
};

// Event `job.changed`: another job was opened. Clients forget everything else they knew.
struct JobChanged {
    JobSettings settings;
    double openedAt = 0;
    template <class S, class F>
    static void fields(S& s, F&& f) {
        f("settings", s.settings);
        f("opened_at", s.openedAt);
    }
};

// `stage.run` {stage}: run one stage again (and what it needs). `stage.cancel` {stage}.
struct StageRequest {
    std::string stage;
    template <class S, class F>
    static void fields(S& s, F&& f) {
        f("stage", s.stage);
    }
};

// Event `stage.changed`. A stage that begins (`running`) takes back its former findings.
struct StageState {
    std::string stage;  // inspect plan launch load validate baseline probe
    // idle running passed warnings failed stale cancelled
    std::string state = "idle";
    std::string summary;       // "208,550 tensors in 64 shards", "Rank 13 died, SIGBUS"
    double startedAt = 0;      // unix seconds; 0: never
    double seconds = 0;        // so far, or in all
    double progress = -1;      // 0 … 1; −1: unknown
    std::string progressText;  // "64 %, 3.43 GiB/s"
    double secondsLeft = -1;
    template <class S, class F>
    static void fields(S& s, F&& f) {
        f("stage", s.stage);
        f("state", s.state);
        f("summary", s.summary);
        f("started_at", s.startedAt);
        f("seconds", s.seconds);
        f("progress", s.progress);
        f("progress_text", s.progressText);
        f("seconds_left", s.secondsLeft);
    }
};

}  // namespace fl::protocol
