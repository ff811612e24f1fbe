// SPDX-License-Identifier: Apache-2.0
#include "engine/scheduler/scheduler.h"

#include <algorithm>
#include <utility>

#include <fmt/core.h>

#include "engine/base/checked.h"
#include "engine/base/text.h"

namespace fl::scheduler {

using runtime::ReplicaStep;
using runtime::Sampled;

namespace {

// A capture keeps every value with a tap of every row: with a layer's three rungs and the logits
// that is some hundred times what a step needs, so its chunks are smaller.
constexpr std::int64_t kCaptureTokens = 128;

}  // namespace

Scheduler::Scheduler(const Limits& limits) : limits_(limits) {
    for (int i = 0; i < limits.replicas; ++i)
        replicas_.emplace_back(limits.pages);
}

std::int64_t Scheduler::pagesFor(const Request& request) const {
    const auto prompt = static_cast<std::int64_t>(request.ids.size());
    // The last token is never fed back, but one page more or less is not worth a special case.
    const std::int64_t most = std::min(prompt + request.maxTokens, limits_.maxContext);
    return ceilDivide(most, limits_.pageTokens);
}

bool Scheduler::known(const std::string& name) const {
    return std::ranges::any_of(replicas_, [&](const Replica& replica) {
        return std::ranges::any_of(replica.waiting,
                                   [&](const Request& one) { return one.name == name; }) ||
               std::ranges::any_of(replica.running,
                                   [&](const Sequence& one) { return one.request.name == name; });
    });
}

std::optional<std::string> Scheduler::refuse(const Request& request) const {
    const auto tokens = static_cast<std::int64_t>(request.ids.size());
    if (known(request.name))
        return fmt::format("request {} is running already", request.name);
    if (request.ids.empty())
        return "the prompt is empty";
    if (tokens >= limits_.maxContext) {
        return fmt::format("the prompt has {} tokens, the context holds {}", formatCount(tokens),
                           formatCount(limits_.maxContext));
    }
    if (request.maxTokens <= 0)
        return fmt::format("at most {} tokens were asked for", request.maxTokens);
    if (request.replica >= limits_.replicas)
        return fmt::format("replica {} of {}", request.replica, limits_.replicas);
    if (pagesFor(request) > limits_.pages) {
        return fmt::format("prompt and answer need {} cache pages, a replica has {}",
                           pagesFor(request), limits_.pages);
    }
    return refuseIds(request.ids);
}

std::optional<std::string> Scheduler::refuseIds(const std::vector<std::int32_t>& ids) const {
    for (const std::int32_t id : ids) {
        if (id < 0 || id >= limits_.vocabulary) {
            return fmt::format("token id {} is outside the vocabulary of {}", id,
                               formatCount(limits_.vocabulary));
        }
    }
    return std::nullopt;
}

std::size_t Scheduler::emptiest() const {
    const auto load = [](const Replica& replica) {
        return replica.waiting.size() + replica.running.size();
    };
    const auto found = std::ranges::min_element(replicas_, {}, load);
    return static_cast<std::size_t>(found - replicas_.begin());
}

void Scheduler::submit(Request request) {
    if (auto reason = refuse(request))
        return finish(request.name, "error", *std::move(reason));
    const std::size_t replica =
        request.replica >= 0 ? static_cast<std::size_t>(request.replica) : emptiest();
    replicas_[replica].waiting.push_back(std::move(request));
}

void Scheduler::finish(const std::string& name, std::string reason, std::string error) {
    outputs_.push_back({name, {}, std::move(reason), std::move(error), false});
}

void Scheduler::removeFinished(Replica& replica) {
    for (const Sequence& sequence : replica.running) {
        if (std::ranges::find(finished_, sequence.request.name) != finished_.end())
            replica.reserved -= sequence.reservedPages;
    }
    // Sequences cannot be assigned to each other (their pages have one owner), so the rest moves
    // into a new list.
    std::vector<Sequence> rest;
    for (Sequence& sequence : replica.running) {
        if (std::ranges::find(finished_, sequence.request.name) == finished_.end())
            rest.push_back(std::move(sequence));
    }
    replica.running.swap(rest);
}

void Scheduler::cancel(const std::string& name) {
    if (!known(name))
        return;
    finished_ = {name};
    for (Replica& replica : replicas_) {
        std::erase_if(replica.waiting, [&](const Request& one) { return one.name == name; });
        removeFinished(replica);
    }
    finish(name, "cancelled", "");
}

void Scheduler::failAll(const std::string& error) {
    for (Replica& replica : replicas_) {
        for (const Request& request : replica.waiting)
            finish(request.name, "error", error);
        for (const Sequence& sequence : replica.running)
            finish(sequence.request.name, "error", error);
        replica.waiting.clear();
        replica.running.clear();
        replica.reserved = 0;
    }
    capture_.reset();
}

bool Scheduler::hasWork() const {
    return std::ranges::any_of(replicas_, [](const Replica& replica) {
        return !replica.waiting.empty() || !replica.running.empty();
    });
}

void Scheduler::admit(Replica& replica) {
    while (!replica.waiting.empty() &&
           static_cast<int>(replica.running.size()) < limits_.maxSequences) {
        const std::int64_t pages = pagesFor(replica.waiting.front());
        if (replica.reserved + pages > limits_.pages)
            return;
        replica.reserved += pages;
        Request request = std::move(replica.waiting.front());
        replica.waiting.pop_front();
        std::vector<std::int32_t> tokens = request.ids;
        replica.running.push_back({std::move(request), std::move(tokens), 0, pages,
                                   runtime::PageTable(replica.pool, limits_.pageTokens)});
    }
}

void Scheduler::addRows(Replica& replica,
                        std::size_t index,
                        std::int64_t count,
                        ReplicaStep& step) {
    Sequence& sequence = replica.running[index];
    const auto row = static_cast<std::int32_t>(step.pageTables.size()) / step.pageTableStride;
    sequence.pages.cover(sequence.computed + count);
    step.pageTables.insert(step.pageTables.end(), sequence.pages.pages().begin(),
                           sequence.pages.pages().end());
    step.pageTables.resize(static_cast<std::size_t>((row + 1) * step.pageTableStride), 0);
    for (std::int64_t i = 0; i < count; ++i) {
        const std::int64_t position = sequence.computed + i;
        step.ids.push_back(sequence.tokens[static_cast<std::size_t>(position)]);
        step.positions.push_back(static_cast<std::int32_t>(position));
        step.rowSequences.push_back(row);
    }
    const bool decodes = sequence.answered() > 0;
    (decodes ? counts_.decodeTokens : counts_.prefillTokens) += static_cast<int>(count);
    ++counts_.running;
    sequence.computed += count;
    if (sequence.computed < static_cast<std::int64_t>(sequence.tokens.size()))
        return;
    step.logitRows.push_back(static_cast<std::int32_t>(step.ids.size()) - 1);
    step.samples.push_back(sequence.request.sampling);
    step.samples.back().draw = sequence.answered();
    replica.sampled.push_back(index);
}

ReplicaStep Scheduler::compose(Replica& replica) {
    admit(replica);
    replica.sampled.clear();
    ReplicaStep step;
    // Equal for all sequences: the longest table of this step decides.
    std::int64_t longest = 1;
    for (const Sequence& sequence : replica.running)
        longest = std::max(longest, static_cast<std::int64_t>(sequence.tokens.size()));
    step.pageTableStride = static_cast<std::int32_t>(ceilDivide(longest, limits_.pageTokens));
    std::int64_t left = limits_.maxBatchTokens;
    for (const bool decoding : {true, false}) {
        for (std::size_t i = 0; i < replica.running.size() && left > 0; ++i) {
            const Sequence& sequence = replica.running[i];
            if ((sequence.answered() > 0) != decoding)
                continue;
            const auto open = static_cast<std::int64_t>(sequence.tokens.size()) - sequence.computed;
            const std::int64_t count = std::min(open, left);
            left -= count;
            addRows(replica, i, count, step);
        }
    }
    counts_.waiting += static_cast<int>(replica.waiting.size());
    counts_.pagesUsed += replica.pool.usedPages();
    counts_.pages += replica.pool.pages();
    return step;
}

std::optional<runtime::Step> Scheduler::compose() {
    if (!hasWork())
        return std::nullopt;
    counts_ = {};
    runtime::Step step;
    step.number = ++stepNumber_;
    for (Replica& replica : replicas_)
        step.replicas.push_back(compose(replica));
    return step;
}

void Scheduler::accept(Sequence& sequence, const Sampled& sampled) {
    const Request& request = sequence.request;
    Output output;
    output.request = request.name;
    if (!sampled.finite) {
        output.finish = "error";
        output.error = "the logits are not finite numbers";
        output.notFinite = true;
    } else {
        sequence.tokens.push_back(sampled.id);
        output.tokens.push_back(sampled);
        const bool stopped =
            std::ranges::find(request.stopIds, sampled.id) != request.stopIds.end();
        const bool full = sequence.answered() >= request.maxTokens ||
                          static_cast<std::int64_t>(sequence.tokens.size()) >= limits_.maxContext;
        output.finish = stopped ? "stop" : (full ? "length" : "");
    }
    if (!output.finish.empty())
        finished_.push_back(request.name);
    outputs_.push_back(std::move(output));
}

Status Scheduler::complete(const std::vector<std::vector<Sampled>>& samples) {
    finished_.clear();
    for (std::size_t i = 0; i < replicas_.size(); ++i) {
        Replica& replica = replicas_[i];
        const std::size_t got = i < samples.size() ? samples[i].size() : 0;
        if (got != replica.sampled.size()) {
            return Error{ErrorCode::Internal,
                         fmt::format("replica {} answered {} samples, {} were asked", i, got,
                                     replica.sampled.size())};
        }
        for (std::size_t row = 0; row < got; ++row)
            accept(replica.running[replica.sampled[row]], samples[i][row]);
        replica.sampled.clear();
        removeFinished(replica);
    }
    return Done{};
}

Status Scheduler::beginCapture(const std::vector<std::int32_t>& ids, int replica) {
    const auto tokens = static_cast<std::int64_t>(ids.size());
    if (auto reason = refuseIds(ids))
        return Error{ErrorCode::InvalidArgument, *std::move(reason)};
    const std::int64_t pages = ceilDivide(tokens, limits_.pageTokens);
    if (replica < 0 || replica >= limits_.replicas || ids.empty() || tokens > limits_.maxContext ||
        pages > limits_.pages) {
        return Error{ErrorCode::InvalidArgument,
                     fmt::format("a capture of {} tokens on replica {}: there are {} replicas that "
                                 "take 1 to {} tokens",
                                 tokens, replica, limits_.replicas,
                                 std::min(limits_.maxContext, limits_.pages * limits_.pageTokens))};
    }
    Replica& own = replicas_[static_cast<std::size_t>(replica)];
    if (own.reserved + pages > limits_.pages)
        return Error{ErrorCode::OutOfMemory, "the cache has too few free pages for the capture"};
    own.reserved += pages;
    capture_.emplace(Capture{ids, replica, 0, runtime::PageTable(own.pool, limits_.pageTokens)});
    capture_->pages.cover(tokens);
    return Done{};
}

bool Scheduler::captured() const {
    return capture_->computed == static_cast<std::int64_t>(capture_->ids.size());
}

runtime::Step Scheduler::composeCapture() {
    const auto tokens = static_cast<std::int64_t>(capture_->ids.size());
    const std::int64_t first = capture_->computed;
    const std::int64_t most = std::min<std::int64_t>(limits_.maxBatchTokens, kCaptureTokens);
    const std::int64_t count = std::min(tokens - first, most);
    runtime::Step step;
    step.number = ++stepNumber_;
    step.replicas.resize(static_cast<std::size_t>(limits_.replicas));
    ReplicaStep& own = step.replicas[static_cast<std::size_t>(capture_->replica)];
    own.pageTables = capture_->pages.pages();
    own.pageTableStride = static_cast<std::int32_t>(own.pageTables.size());
    own.rowSequences.assign(static_cast<std::size_t>(count), 0);
    for (std::int64_t row = 0; row < count; ++row) {
        own.ids.push_back(capture_->ids[static_cast<std::size_t>(first + row)]);
        own.positions.push_back(static_cast<std::int32_t>(first + row));
        own.logitRows.push_back(static_cast<std::int32_t>(row));
    }
    capture_->computed += count;
    return step;
}

void Scheduler::endCapture() {
    if (!capture_)
        return;
    const auto tokens = static_cast<std::int64_t>(capture_->ids.size());
    replicas_[static_cast<std::size_t>(capture_->replica)].reserved -=
        ceilDivide(tokens, limits_.pageTokens);
    capture_.reset();
}

std::vector<Output> Scheduler::takeOutputs() {
    return std::exchange(outputs_, {});
}

}  // namespace fl::scheduler
