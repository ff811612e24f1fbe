// SPDX-License-Identifier: Apache-2.0
// Continuous batching on rank 0: which tokens of which requests the next step computes.
//
// A request is admitted, first come first served, once the pages it may ever need are free, so
// that nothing that runs has to be thrown out again. Every step takes one token of each sequence
// that decodes and fills the rest of the batch with chunks of prompts.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/runtime/page_pool.h"
#include "engine/scheduler/request.h"

namespace fl::scheduler {

struct Limits {
    int replicas = 1;
    std::int64_t pages = 0;  // of each replica
    int pageTokens = 16;
    int maxSequences = 8;      // of each replica at once
    int maxBatchTokens = 512;  // of each replica in one step
    std::int64_t maxContext = 4096;
    std::int64_t vocabulary = 0;
};

struct StepCounts {
    int prefillTokens = 0;
    int decodeTokens = 0;
    int running = 0;
    int waiting = 0;
    std::int64_t pagesUsed = 0;
    std::int64_t pages = 0;
};

// Called from one thread. compose() and complete() alternate; the others come between steps.
class Scheduler {
public:
    explicit Scheduler(const Limits& limits);

    // A request that can never run (empty, too long, ids outside the vocabulary, name in use) ends
    // at once with an error among the outputs.
    void submit(Request request);
    // Its pages are free when this returns. Unknown names are ignored: the request has just ended.
    void cancel(const std::string& name);
    // Ends everything with that error.
    void failAll(const std::string& error);

    bool hasWork() const;
    // The next step; nothing if there is no work.
    std::optional<runtime::Step> compose();
    // What the step's logit rows got, per replica in the step's order. Fails if the number differs.
    Status complete(const std::vector<std::vector<runtime::Sampled>>& samples);
    // Begins to run a prompt on one replica of which all rows want logits and none a token, one at
    // a time; its pages are reserved until endCapture(). InvalidArgument if it can never be;
    // OutOfMemory while requests hold too many pages.
    Status beginCapture(const std::vector<std::int32_t>& ids, int replica);
    bool capturing() const { return capture_.has_value(); }
    // The next chunk of it, of few enough tokens that all its values can be kept. Comes between
    // steps. Precondition: capturing(), not captured().
    runtime::Step composeCapture();
    // The chunk composed last was the last.
    bool captured() const;
    void endCapture();
    // Everything since the last call, in order.
    std::vector<Output> takeOutputs();
    // Of the step composed last.
    const StepCounts& counts() const { return counts_; }

private:
    struct Sequence {
        Request request;
        std::vector<std::int32_t> tokens;  // prompt and answer
        std::int64_t computed = 0;         // of them in the cache
        std::int64_t reservedPages = 0;
        runtime::PageTable pages;

        std::int64_t answered() const {
            return static_cast<std::int64_t>(tokens.size() - request.ids.size());
        }
    };
    struct Replica {
        explicit Replica(std::int64_t pages) : pool(pages) {}
        runtime::PagePool pool;
        std::int64_t reserved = 0;  // pages that running sequences may need
        std::deque<Request> waiting;
        std::vector<Sequence> running;
        std::vector<std::size_t> sampled;  // running sequences with a logit row in this step
    };

    struct Capture {
        std::vector<std::int32_t> ids;
        int replica = 0;
        std::int64_t computed = 0;
        runtime::PageTable pages;
    };

    std::optional<std::string> refuse(const Request& request) const;
    std::optional<std::string> refuseIds(const std::vector<std::int32_t>& ids) const;
    bool known(const std::string& name) const;
    std::size_t emptiest() const;
    std::int64_t pagesFor(const Request& request) const;
    void admit(Replica& replica);
    runtime::ReplicaStep compose(Replica& replica);
    void addRows(Replica& replica,
                 std::size_t index,
                 std::int64_t count,
                 runtime::ReplicaStep& step);
    void accept(Sequence& sequence, const runtime::Sampled& sampled);
    void finish(const std::string& name, std::string reason, std::string error);
    void removeFinished(Replica& replica);

    Limits limits_;
    std::deque<Replica> replicas_;  // a deque: page tables point to their pool
    std::vector<Output> outputs_;
    std::vector<std::string> finished_;
    StepCounts counts_;
    std::int64_t stepNumber_ = 0;
    std::optional<Capture> capture_;
};

}  // namespace fl::scheduler
