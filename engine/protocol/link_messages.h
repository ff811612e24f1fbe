// SPDX-License-Identifier: Apache-2.0
// What a rank and the control process say to each other over the rank link, in the same framing as
// clients use: {"method": …, "params": …} without ids.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/json.h"
#include "engine/protocol/messages.h"

namespace fl::protocol {

// What a rank must know to find its control process: in the environment variable kTicketVariable,
// which MPI's launcher hands on to every node. An environment is readable by its user alone, a
// command line by everybody; and nothing has to lie on a file system that the nodes share.
struct RankTicket {
    std::string host;                    // where the control process runs
    std::string local;                   // "unix:/path", for ranks of that host
    std::vector<std::string> addresses;  // "tcp:host:port", for the others: the first that answers
    std::string key;                     // hex, proved by both ends before anything else
    template <class S, class F>
    static void fields(S& s, F&& f) {
        f("host", s.host);
        f("local", s.local);
        f("addresses", s.addresses);
        f("key", s.key);
    }
};
constexpr const char* kTicketVariable = "FIRSTLIGHT_TICKET";

// A rank that finds no way to the control process says so on standard error, which the launcher
// carries: this mark, then a Finding as JSON on the same line.
constexpr std::string_view kFindingMark = "firstlight-finding ";

// What a rank is to do, in the welcome of its link; it derives graph, plan and slices itself.
struct RankJob {
    JobSettings settings;    // with every number chosen
    Json cluster;            // topology::toJson; all ranks plan with the same one
    std::string checkpoint;  // what the control process found there: checkpointText()
    std::string logFolder;
    std::string logLevel = "info";
    double stageBudget = 120;  // seconds a collective may wait
    template <class S, class F>
    static void fields(S& s, F&& f) {
        f("settings", s.settings);
        f("cluster", s.cluster);
        f("checkpoint", s.checkpoint);
        f("log_folder", s.logFolder);
        f("log_level", s.logLevel);
        f("stage_budget_s", s.stageBudget);
    }
};

// `link.challenge`: the control process speaks first.
struct LinkChallenge {
    std::string nonce;
    template <class S, class F>
    static void fields(S& s, F&& f) {
        f("nonce", s.nonce);
    }
};

// `rank.hello`: the answer. `proof` shows that the rank knows the key of its ticket (see
// service/key_proof.h). A watcher is the parent of a rank; it only reports how the rank ended.
struct RankHello {
    int rank = 0;
    std::int64_t pid = 0;
    std::string host;
    bool watcher = false;
    std::string nonce;
    std::string proof;
    template <class S, class F>
    static void fields(S& s, F&& f) {
        f("rank", s.rank);
        f("pid", s.pid);
        f("host", s.host);
        f("watcher", s.watcher);
        f("nonce", s.nonce);
        f("proof", s.proof);
    }
};

// `link.welcome`: the control process proves the key too, then both talk. A watcher gets no job.
struct LinkWelcome {
    std::string proof;
    RankJob job;
    template <class S, class F>
    static void fields(S& s, F&& f) {
        f("proof", s.proof);
        f("job", s.job);
    }
};

// `rank.exit`, from a watcher: how the rank's process ended.
struct RankExit {
    int rank = 0;
    std::int64_t pid = 0;
    int code = 0;    // of exit(); 0 if a signal ended it
    int signal = 0;  // 0: none
    // Where the kernel killed it for want of memory: what it could have, and of what that is the
    // limit. 0: no such kill.
    std::int64_t memoryLimit = 0;
    std::string limitOf;
    template <class S, class F>
    static void fields(S& s, F&& f) {
        f("rank", s.rank);
        f("pid", s.pid);
        f("code", s.code);
        f("signal", s.signal);
        f("memory_limit", s.memoryLimit);
        f("limit_of", s.limitOf);
    }
};

// `rank.phase`: starting mpi device groups preflight ready loading loaded serving failed. On failed
// `finding` says why and the rank waits for `shutdown`.
struct RankPhase {
    int rank = 0;
    std::string phase;
    double seconds = 0;
    std::vector<fl::Finding> findings;
    template <class S, class F>
    static void fields(S& s, F&& f) {
        f("rank", s.rank);
        f("phase", s.phase);
        f("seconds", s.seconds);
        f("findings", s.findings);
    }
};

// `rank.heartbeat`, every 250 ms from the link thread, whatever the engine thread does.
struct RankHeartbeat {
    int rank = 0;
    double time = 0;
    std::string collective;  // last one entered: "all_reduce #57 of tp0 at layer.3.attn"
    bool inside = false;     // and not left
    double insideSeconds = 0;
    std::int64_t samplesDropped = 0;  // so far
    template <class S, class F>
    static void fields(S& s, F&& f) {
        f("rank", s.rank);
        f("time", s.time);
        f("collective", s.collective);
        f("inside", s.inside);
        f("inside_s", s.insideSeconds);
        f("samples_dropped", s.samplesDropped);
    }
};

// `rank.topology`: from rank 0, merged over all ranks, after preflight: protocol::Topology.
// `rank.load`: protocol::LoadProgress.  `rank.memory`: protocol::MemorySample.
// `rank.step`: protocol::StepSample, from rank 0.  `rank.log`: protocol::LogLine.

// `rank.tokens`, from rank 0: what one request got in this step, or its end.
struct RankTokens {
    std::string request;
    std::vector<TokenInfo> tokens;  // without texts
    std::string finish;             // empty: goes on; stop, length, cancelled, error
    std::string error;
    template <class S, class F>
    static void fields(S& s, F&& f) {
        f("request", s.request);
        f("tokens", s.tokens);
        f("finish", s.finish);
        f("error", s.error);
    }
};

// `rank.captured`: this rank wrote its rungs of the capture, or has none (no files). Each file has
// the rows that follow those of the one before.
struct RankCaptured {
    int rank = 0;
    std::string capture;
    std::vector<std::string> files;
    std::string error;
    template <class S, class F>
    static void fields(S& s, F&& f) {
        f("rank", s.rank);
        f("capture", s.capture);
        f("files", s.files);
        f("error", s.error);
    }
};

// `rank.capturing`, before `rank.captured`: from a rank of another machine than the control
// process's, the next bytes of a file of its capture. The control process writes it.
struct CaptureBytes {
    std::string capture;
    int part = 0;
    std::string bytes;  // base64
    template <class S, class F>
    static void fields(S& s, F&& f) {
        f("capture", s.capture);
        f("part", s.part);
        f("bytes", s.bytes);
    }
};

// `load.start`, `load.cancel`, `shutdown`: no parameters, to every rank.

// `request.submit`, to rank 0.
struct SubmitRequest {
    std::string request;
    std::vector<int> ids;
    std::vector<int> stopIds;
    Sampling sampling;  // its stop strings are the control process's business
    int logprobs = 0;
    int replica = -1;  // −1: the emptiest
    template <class S, class F>
    static void fields(S& s, F&& f) {
        f("request", s.request);
        f("ids", s.ids);
        f("stop_ids", s.stopIds);
        f("sampling", s.sampling);
        f("logprobs", s.logprobs);
        f("replica", s.replica);
    }
};

// `request.cancel`, to rank 0: ChatCancel.

// `capture.run`, to rank 0: one forward pass over `ids` on one replica with every rung kept; each
// rank of that replica writes the rungs it holds to <folder>/rank<N>.<part>.safetensors, chunk by
// chunk, or has the control process write them, and then answers `rank.captured`; the other
// replicas say nothing. `cancel` ends it.
struct CaptureRequest {
    std::string capture;
    std::vector<int> ids;
    int replica = 0;
    std::string folder;
    template <class S, class F>
    static void fields(S& s, F&& f) {
        f("capture", s.capture);
        f("ids", s.ids);
        f("replica", s.replica);
        f("folder", s.folder);
    }
};

// What rank 0 tells the others of one chunk of a capture.
struct CapturePart {
    std::string capture;
    std::string folder;
    int replica = 0;
    int part = 0;
    bool last = false;
    template <class S, class F>
    static void fields(S& s, F&& f) {
        f("capture", s.capture);
        f("folder", s.folder);
        f("replica", s.replica);
        f("part", s.part);
        f("last", s.last);
    }
};

}  // namespace fl::protocol
