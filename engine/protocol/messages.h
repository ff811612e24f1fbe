// SPDX-License-Identifier: Apache-2.0
// Everything that clients and the control process say to each other. One struct per message or
// part of one; `fields` names each member once, for reading and for writing (codec.h).
//
// Keys are the contract of the command line's `--json` too. Bytes are integers, times seconds.
// The same struct answers a verb, fills a panel and lies in the snapshot a late client gets.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/finding.h"

namespace fl::protocol {

// Raised whenever a message changes. Clients and engines of different numbers refuse each other.
constexpr int kProtocolVersion = 1;

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

struct Named {  // one row of a break-down
    std::string name;
    std::int64_t value = 0;
    template <class S, class F>
    static void fields(S& s, F&& f) {
        f("name", s.name);
        f("value", s.value);
    }
};

struct Contract {
    std::int64_t matched = 0;
    std::int64_t missing = 0;
    std::int64_t unexpected = 0;
    std::int64_t ignored = 0;
    template <class S, class F>
    static void fields(S& s, F&& f) {
        f("matched", s.matched);
        f("missing", s.missing);
        f("unexpected", s.unexpected);
        f("ignored", s.ignored);
    }
};

struct ShardInfo {
    std::string file;
    std::int64_t bytes = 0;
    std::int64_t tensors = 0;
    std::string state = "whole";  // whole, warning, broken
    template <class S, class F>
    static void fields(S& s, F&& f) {
        f("file", s.file);
        f("bytes", s.bytes);
        f("tensors", s.tensors);
        f("state", s.state);
    }
};

// Result of `checkpoint.inspect`, event `census.changed`. Break-downs are written as objects
// {name: value} on the command line.
struct Census {
    std::string path;
    std::string name;    // folder or file name, for titles
    std::string format;  // "safetensors", "gguf"
    std::string architecture;
    std::string recipe;
    std::int64_t files = 0;
    std::int64_t tensors = 0;
    std::int64_t fileBytes = 0;
    std::int64_t tensorBytes = 0;
    std::int64_t parameters = 0;
    std::int64_t activeParameters = 0;
    std::vector<Named> bytesByDtype;
    std::vector<Named> bytesByKind;
    std::vector<Named> parametersByKind;
    int layers = 0;
    int distinctLayers = 0;
    std::int64_t contextLength = 0;
    Contract contract;
    std::vector<ShardInfo> shards;
    std::string verdict = "ok";  // ok, warnings, errors
    template <class S, class F>
    static void fields(S& s, F&& f) {
        f("path", s.path);
        f("name", s.name);
        f("format", s.format);
        f("architecture", s.architecture);
        f("recipe", s.recipe);
        f("files", s.files);
        f("tensors", s.tensors);
        f("file_bytes", s.fileBytes);
        f("tensor_bytes", s.tensorBytes);
        f("parameters", s.parameters);
        f("active_parameters", s.activeParameters);
        f("bytes_by_dtype", s.bytesByDtype);
        f("bytes_by_kind", s.bytesByKind);
        f("parameters_by_kind", s.parametersByKind);
        f("layers", s.layers);
        f("distinct_layers", s.distinctLayers);
        f("context_length", s.contextLength);
        f("contract", s.contract);
        f("shards", s.shards);
        f("verdict", s.verdict);
    }
};

// `checkpoint.inspect` of any checkpoint, a what-if; empty: the open one as it lies on disk now.
struct InspectRequest {
    std::string checkpoint;
    std::string recipe;
    template <class S, class F>
    static void fields(S& s, F&& f) {
        f("checkpoint", s.checkpoint);
        f("recipe", s.recipe);
    }
};

// `checkpoint.tensors`: names containing `search`, sorted, from `offset`, at most `limit`.
struct TensorsRequest {
    std::string search;
    std::int64_t offset = 0;
    std::int64_t limit = 10000;
    template <class S, class F>
    static void fields(S& s, F&& f) {
        f("search", s.search);
        f("offset", s.offset);
        f("limit", s.limit);
    }
};

struct TensorRow {
    std::string name;
    std::string dtype;
    std::vector<std::int64_t> shape;
    int shard = 0;
    std::int64_t offset = 0;
    std::int64_t bytes = 0;
    std::string contract = "matched";  // matched, missing, unexpected, ignored
    std::string kind;                  // attention, mlp, expert, …
    template <class S, class F>
    static void fields(S& s, F&& f) {
        f("name", s.name);
        f("dtype", s.dtype);
        f("shape", s.shape);
        f("shard", s.shard);
        f("offset", s.offset);
        f("bytes", s.bytes);
        f("contract", s.contract);
        f("kind", s.kind);
    }
};

struct TensorsReply {
    std::int64_t total = 0;  // that match
    std::vector<TensorRow> tensors;
    template <class S, class F>
    static void fields(S& s, F&& f) {
        f("total", s.total);
        f("tensors", s.tensors);
    }
};

struct DeviceInfo {
    std::string name;
    std::string kind;
    int index = 0;
    std::int64_t memoryBytes = 0;
    std::int64_t budgetBytes = 0;
    std::string pci;
    int numa = -1;
    int rank = -1;  // that runs here; −1: none
    template <class S, class F>
    static void fields(S& s, F&& f) {
        f("name", s.name);
        f("kind", s.kind);
        f("index", s.index);
        f("memory_bytes", s.memoryBytes);
        f("budget_bytes", s.budgetBytes);
        f("pci", s.pci);
        f("numa", s.numa);
        f("rank", s.rank);
    }
};

struct CacheInfo {
    int level = 0;
    std::int64_t bytes = 0;
    int count = 0;
    template <class S, class F>
    static void fields(S& s, F&& f) {
        f("level", s.level);
        f("bytes", s.bytes);
        f("count", s.count);
    }
};

struct NodeInfo {
    std::string name;
    int sockets = 0;
    int cores = 0;
    int numaNodes = 0;
    std::int64_t memoryBytes = 0;
    std::vector<CacheInfo> caches;
    std::vector<DeviceInfo> devices;
    template <class S, class F>
    static void fields(S& s, F&& f) {
        f("name", s.name);
        f("sockets", s.sockets);
        f("cores", s.cores);
        f("numa_nodes", s.numaNodes);
        f("memory_bytes", s.memoryBytes);
        f("caches", s.caches);
        f("devices", s.devices);
    }
};

struct LinkInfo {
    std::string kind;  // memory nvlink pcie network
    int fromNode = 0;
    int fromDevice = -1;
    int toNode = 0;
    int toDevice = -1;
    double nominal = 0;   // bytes per second; 0: not known
    double measured = 0;  // 0: not measured
    template <class S, class F>
    static void fields(S& s, F&& f) {
        f("kind", s.kind);
        f("from_node", s.fromNode);
        f("from_device", s.fromDevice);
        f("to_node", s.toNode);
        f("to_device", s.toDevice);
        f("nominal_bytes_per_s", s.nominal);
        f("measured_bytes_per_s", s.measured);
    }
};

// One communication group and what preflight measured in it.
struct GroupInfo {
    std::string kind;  // tp pp ep edp dp
    std::string name;  // "tp1"
    std::vector<int> ranks;
    std::string state = "planned";  // planned, formed, failed
    double formedSeconds = 0;
    double allReduceSeconds = 0;  // of `allReduceBytes`; 0: not measured
    std::int64_t allReduceBytes = 0;
    double ringBytesPerSecond = 0;
    template <class S, class F>
    static void fields(S& s, F&& f) {
        f("kind", s.kind);
        f("name", s.name);
        f("ranks", s.ranks);
        f("state", s.state);
        f("formed_s", s.formedSeconds);
        f("all_reduce_s", s.allReduceSeconds);
        f("all_reduce_bytes", s.allReduceBytes);
        f("ring_bytes_per_s", s.ringBytesPerSecond);
    }
};

// Event `topology.changed`.
struct Topology {
    std::string name;
    std::vector<NodeInfo> nodes;
    std::vector<LinkInfo> links;
    std::vector<GroupInfo> groups;
    template <class S, class F>
    static void fields(S& s, F&& f) {
        f("name", s.name);
        f("nodes", s.nodes);
        f("links", s.links);
        f("groups", s.groups);
    }
};

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
    std::string lastLine;       // of its log
    std::string collective;     // where it was
    double seconds = 0;         // after its start
    double noticedSeconds = 0;  // from death (or last heartbeat) to this event
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

struct Message {
    std::string role;
    std::string content;
    template <class S, class F>
    static void fields(S& s, F&& f) {
        f("role", s.role);
        f("content", s.content);
    }
};

struct Sampling {
    int maxTokens = 256;
    double temperature = 0;  // 0: greedy
    int topK = 0;            // 0: all
    double topP = 1;
    double minP = 0;
    std::int64_t seed = 0;
    std::vector<std::string> stop;
    template <class S, class F>
    static void fields(S& s, F&& f) {
        f("max_tokens", s.maxTokens);
        f("temperature", s.temperature);
        f("top_k", s.topK);
        f("top_p", s.topP);
        f("min_p", s.minP);
        f("seed", s.seed);
        f("stop", s.stop);
    }
};

// `chat.send`: messages through the template, or `raw` text, or `ids` as they are. Also the event
// `chat.started`, for the other clients.
struct ChatRequest {
    std::string request;  // chosen by the client, unique; events carry it
    std::vector<Message> messages;
    std::string raw;
    std::vector<int> ids;
    Sampling sampling;
    int logprobs = 0;  // alternatives per token, at most 5
    template <class S, class F>
    static void fields(S& s, F&& f) {
        f("request", s.request);
        f("messages", s.messages);
        f("raw", s.raw);
        f("ids", s.ids);
        f("sampling", s.sampling);
        f("logprobs", s.logprobs);
    }
};

// Answer to `chat.send`.
struct ChatStarted {
    std::string request;
    std::string prompt;  // as rendered
    std::vector<int> inputIds;
    template <class S, class F>
    static void fields(S& s, F&& f) {
        f("request", s.request);
        f("prompt", s.prompt);
        f("input_ids", s.inputIds);
    }
};

struct TokenInfo {
    int id = 0;
    std::string text;
    double logprob = 0;
    std::vector<int> alternatives;  // ids, best first
    std::vector<std::string> alternativeTexts;
    std::vector<double> alternativeLogprobs;
    template <class S, class F>
    static void fields(S& s, F&& f) {
        f("id", s.id);
        f("text", s.text);
        f("logprob", s.logprob);
        f("alternatives", s.alternatives);
        f("alternative_texts", s.alternativeTexts);
        f("alternative_logprobs", s.alternativeLogprobs);
    }
};

// Event `chat.delta`: text that became complete; a stop string never appears in it.
struct ChatDelta {
    std::string request;
    std::string text;
    std::vector<TokenInfo> tokens;
    template <class S, class F>
    static void fields(S& s, F&& f) {
        f("request", s.request);
        f("text", s.text);
        f("tokens", s.tokens);
    }
};

struct Timing {
    double ttft = 0;
    double tokensPerSecond = 0;
    double itlP50 = 0;
    double itlP99 = 0;
    double seconds = 0;
    template <class S, class F>
    static void fields(S& s, F&& f) {
        f("ttft_s", s.ttft);
        f("tokens_per_s", s.tokensPerSecond);
        f("itl_p50_s", s.itlP50);
        f("itl_p99_s", s.itlP99);
        f("seconds", s.seconds);
    }
};

// Event `chat.done`.
struct ChatDone {
    std::string request;
    std::string finish;  // stop, length, cancelled, error
    std::string error;
    std::string text;  // the whole answer
    std::vector<int> ids;
    Timing timing;
    template <class S, class F>
    static void fields(S& s, F&& f) {
        f("request", s.request);
        f("finish", s.finish);
        f("error", s.error);
        f("text", s.text);
        f("ids", s.ids);
        f("timing", s.timing);
    }
};

// `chat.cancel`
struct ChatCancel {
    std::string request;
    template <class S, class F>
    static void fields(S& s, F&& f) {
        f("request", s.request);
    }
};

struct ValidateRequest {
    std::string reference;           // folder with cases.json
    std::vector<std::string> cases;  // empty: all
    template <class S, class F>
    static void fields(S& s, F&& f) {
        f("reference", s.reference);
        f("cases", s.cases);
    }
};

struct Rung {
    std::string name;
    double error = 0;
    double worstToken = 0;  // largest per-token error
    double tolerance = 0;
    std::string verdict;  // pass, fail, skipped
    template <class S, class F>
    static void fields(S& s, F&& f) {
        f("name", s.name);
        f("error", s.error);
        f("worst_token", s.worstToken);
        f("tolerance", s.tolerance);
        f("verdict", s.verdict);
    }
};

struct Divergence {
    std::string rung;
    int rank = -1;
    std::string slice;
    int token = -1;
    template <class S, class F>
    static void fields(S& s, F&& f) {
        f("rung", s.rung);
        f("rank", s.rank);
        f("slice", s.slice);
        f("token", s.token);
    }
};

struct CaseResult {
    std::string name;
    int replica = 0;
    std::string verdict;
    std::vector<Rung> rungs;
    std::vector<Divergence> firstDivergence;  // empty or one
    template <class S, class F>
    static void fields(S& s, F&& f) {
        f("name", s.name);
        f("replica", s.replica);
        f("verdict", s.verdict);
        f("rungs", s.rungs);
        f("first_divergence", s.firstDivergence);
    }
};

struct ValidateReply {
    std::vector<CaseResult> cases;
    std::string verdict;
    template <class S, class F>
    static void fields(S& s, F&& f) {
        f("cases", s.cases);
        f("verdict", s.verdict);
    }
};

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
