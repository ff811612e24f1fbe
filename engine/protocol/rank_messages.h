// SPDX-License-Identifier: Apache-2.0
// How ranks do: phases, losses, loading, samples, log lines. Part of messages.h.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/protocol/plan_messages.h"

namespace fl::protocol {

// Event `rank.changed`.
struct RankState {
    int rank = 0;
    std::int64_t pid = 0;
    std::string host;
    // starting mpi device groups preflight ready loading loaded serving stopped lost
    std::string phase = "starting";
    double seconds = 0;  // since the rank started
    std::string lastLine;
    std::string collective;  // "all_reduce #57 of tp0 at layer.3.attn", entered and not left
    template <class S, class F>
    static void fields(S& s, F&& f) {
        f("rank", s.rank);
        f("pid", s.pid);
        f("host", s.host);
        f("phase", s.phase);
        f("seconds", s.seconds);
        f("last_line", s.lastLine);
        f("collective", s.collective);
    }
};

// Event `rank.lost`: the first rank of a job that died or fell silent.
struct RankLost {
    int rank = 0;
    std::string host;
    std::string stage;  // during which stage
    std::string cause;  // "signal 9 (SIGKILL)", "exit code 3", "silent for 3.0 s"
    int signal = 0;
    std::string lastLine;          // of its log
    std::string collective;        // where it was
    double seconds = 0;            // after its start
    double noticedSeconds = 0;     // from death (or last heartbeat) to this event
    std::int64_t memoryLimit = 0;  // bytes; 0: it was not the kernel that killed for want of memory
    std::string limitOf;           // "its control group", "the machine"
    template <class S, class F>
    static void fields(S& s, F&& f) {
        f("rank", s.rank);
        f("host", s.host);
        f("stage", s.stage);
        f("cause", s.cause);
        f("signal", s.signal);
        f("last_line", s.lastLine);
        f("collective", s.collective);
        f("seconds", s.seconds);
        f("noticed_s", s.noticedSeconds);
        f("memory_limit", s.memoryLimit);
        f("limit_of", s.limitOf);
    }
};

// Event `load.progress`, one per rank.
struct LoadProgress {
    int rank = 0;
    std::int64_t tensorsDone = 0;
    std::int64_t tensors = 0;
    std::int64_t bytesDone = 0;
    std::int64_t bytes = 0;
    double bytesPerSecond = 0;
    std::string file;
    template <class S, class F>
    static void fields(S& s, F&& f) {
        f("rank", s.rank);
        f("tensors_done", s.tensorsDone);
        f("tensors", s.tensors);
        f("bytes_done", s.bytesDone);
        f("bytes", s.bytes);
        f("bytes_per_s", s.bytesPerSecond);
        f("file", s.file);
    }
};

// Event `memory.sample`, one per rank, about 4 per second.
struct MemorySample {
    double time = 0;  // unix seconds
    int rank = 0;
    LedgerInfo used;
    std::int64_t budget = 0;
    std::int64_t peak = 0;
    std::int64_t resident = 0;   // of the process
    double utilisation = -1;     // 0 … 1, −1: not measured
    double temperature = -1000;  // °C; −1000: not measured
    template <class S, class F>
    static void fields(S& s, F&& f) {
        f("time", s.time);
        f("rank", s.rank);
        f("used", s.used);
        f("budget", s.budget);
        f("peak", s.peak);
        f("resident", s.resident);
        f("utilisation", s.utilisation);
        f("temperature_c", s.temperature);
    }
};

// Event `step.sample`: one step of the engine as rank 0 saw it.
struct StepSample {
    double time = 0;
    double seconds = 0;
    int prefillTokens = 0;
    int decodeTokens = 0;
    int running = 0;  // sequences in this step
    int waiting = 0;  // requests not yet begun
    std::int64_t pagesUsed = 0;
    std::int64_t pages = 0;
    template <class S, class F>
    static void fields(S& s, F&& f) {
        f("time", s.time);
        f("seconds", s.seconds);
        f("prefill_tokens", s.prefillTokens);
        f("decode_tokens", s.decodeTokens);
        f("running", s.running);
        f("waiting", s.waiting);
        f("pages_used", s.pagesUsed);
        f("pages", s.pages);
    }
};

// Event `log.line`. Rank −1: the control process.
struct LogLine {
    double time = 0;
    int rank = -1;
    std::string level;
    std::string category;
    std::string text;
    template <class S, class F>
    static void fields(S& s, F&& f) {
        f("time", s.time);
        f("rank", s.rank);
        f("level", s.level);
        f("category", s.category);
        f("text", s.text);
    }
};

}  // namespace fl::protocol
