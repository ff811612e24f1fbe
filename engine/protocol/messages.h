// SPDX-License-Identifier: Apache-2.0
// Everything that clients and the control process say to each other. One struct per message or
// part of one; `fields` names each member once, for reading and for writing (codec.h).
//
// Keys are the contract of the command line's `--json` too. Bytes are integers, times seconds.
// The same struct answers a verb, fills a panel and lies in the snapshot a late client gets.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/base/finding.h"
#include "engine/protocol/census_messages.h"
#include "engine/protocol/chat_messages.h"
#include "engine/protocol/job_messages.h"
#include "engine/protocol/plan_messages.h"
#include "engine/protocol/rank_messages.h"
#include "engine/protocol/recipe_messages.h"
#include "engine/protocol/topology_messages.h"
#include "engine/protocol/validate_messages.h"
#include "engine/protocol/value_messages.h"

namespace fl::protocol {

// Answer to `hello` and to `session.snapshot`: what a client that attaches late must know. Parts
// that do not exist yet have their default values; `has…` says which exist.
struct Snapshot {
    int protocol = kProtocolVersion;
    std::string version;
    std::int64_t pid = 0;  // of the control process
    double openedAt = 0;   // unix seconds of job.open; 0: nothing opened
    JobSettings settings;
    std::vector<StageState> stages;
    bool hasCensus = false;
    Census census;
    bool hasTopology = false;
    Topology topology;
    bool hasPlan = false;
    PlanInfo plan;
    std::vector<RankState> ranks;
    std::vector<LoadProgress> load;
    std::vector<MemorySample> memory;  // last of each rank
    std::vector<StepSample> steps;     // last minute
    std::vector<fl::Finding> findings;
    std::vector<LogLine> log;        // last 1,000
    ChatInfo chat;                   // of the open checkpoint
    std::vector<ChatRequest> chats;  // requests of this job, oldest first, at most 100
    std::vector<ChatDone> answers;   // whole or so far (finish empty), same order
    bool hasLost = false;
    RankLost lost;
    template <class S, class F>
    static void fields(S& s, F&& f) {
        f("protocol", s.protocol);
        f("version", s.version);
        f("pid", s.pid);
        f("opened_at", s.openedAt);
        f("settings", s.settings);
        f("stages", s.stages);
        f("has_census", s.hasCensus);
        f("census", s.census);
        f("has_topology", s.hasTopology);
        f("topology", s.topology);
        f("has_plan", s.hasPlan);
        f("plan", s.plan);
        f("ranks", s.ranks);
        f("load", s.load);
        f("memory", s.memory);
        f("steps", s.steps);
        f("findings", s.findings);
        f("log", s.log);
        f("chat", s.chat);
        f("chats", s.chats);
        f("answers", s.answers);
        f("has_lost", s.hasLost);
        f("lost", s.lost);
    }
};

// Event `samples.dropped`: this client was slow and lost so many samples since the last one.
struct SamplesDropped {
    std::int64_t count = 0;
    template <class S, class F>
    static void fields(S& s, F&& f) {
        f("count", s.count);
    }
};

}  // namespace fl::protocol
