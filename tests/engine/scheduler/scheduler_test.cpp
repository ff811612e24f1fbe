// SPDX-License-Identifier: Apache-2.0
#include "engine/scheduler/scheduler.h"

#include <algorithm>
#include <map>
#include <set>

#include <gtest/gtest.h>

namespace fl::scheduler {

namespace {

using runtime::ReplicaStep;
using runtime::Sampled;

Limits smallLimits() {
    Limits limits;
    limits.pages = 8;
    limits.pageTokens = 4;
    limits.maxSequences = 3;
    limits.maxBatchTokens = 8;
    limits.maxContext = 24;
    limits.vocabulary = 100;
    return limits;
}

Request request(const std::string& name, std::int64_t promptTokens, std::int64_t maxTokens) {
    Request made;
    made.name = name;
    for (std::int64_t i = 0; i < promptTokens; ++i)
        made.ids.push_back(static_cast<std::int32_t>(i % 50));
    made.maxTokens = maxTokens;
    return made;
}

// Stands in for the model: the next token is a function of the cached tokens. It keeps a cache of
// its own per page and slot, so a wrong table, position or chunk gives another answer.
class FakeModel {
public:
    FakeModel(const Limits& limits)
        : limits_(limits),
          caches_(static_cast<std::size_t>(limits.replicas)) {}

    std::vector<std::vector<Sampled>> run(const runtime::Step& step) {
        std::vector<std::vector<Sampled>> all;
        for (std::size_t i = 0; i < step.replicas.size(); ++i)
            all.push_back(run(step.replicas[i], caches_[i]));
        return all;
    }

    // What the model answers to a prompt, without any batching.
    static std::vector<std::int32_t> answer(std::vector<std::int32_t> tokens, std::int64_t count) {
        std::vector<std::int32_t> out;
        for (std::int64_t i = 0; i < count; ++i) {
            tokens.push_back(next(tokens));
            out.push_back(tokens.back());
        }
        return out;
    }

private:
    using Cache = std::map<std::int64_t, std::int32_t>;  // slot of the pool → token

    static std::int32_t next(const std::vector<std::int32_t>& tokens) {
        std::uint32_t hash = 17;
        for (const std::int32_t token : tokens)
            hash = hash * 31 + static_cast<std::uint32_t>(token);
        return static_cast<std::int32_t>(hash % 90);
    }

    std::int64_t slot(const ReplicaStep& step, std::int32_t sequence, std::int64_t position) {
        const auto entry = static_cast<std::size_t>(sequence * step.pageTableStride +
                                                    position / limits_.pageTokens);
        return std::int64_t{step.pageTables.at(entry)} * limits_.pageTokens +
               position % limits_.pageTokens;
    }

    std::vector<Sampled> run(const ReplicaStep& step, Cache& cache) {
        EXPECT_LE(step.tokens(), limits_.maxBatchTokens);
        std::set<std::int64_t> written;
        for (std::size_t row = 0; row < step.ids.size(); ++row) {
            const std::int64_t at = slot(step, step.rowSequences[row], step.positions[row]);
            EXPECT_TRUE(written.insert(at).second) << "two tokens in one slot";
            cache[at] = step.ids[row];
        }
        std::vector<Sampled> samples;
        for (const std::int32_t row : step.logitRows) {
            const auto r = static_cast<std::size_t>(row);
            std::vector<std::int32_t> tokens;
            for (std::int32_t p = 0; p <= step.positions[r]; ++p)
                tokens.push_back(cache.at(slot(step, step.rowSequences[r], p)));
            Sampled sampled;
            sampled.id = next(tokens);
            samples.push_back(sampled);
        }
        return samples;
    }

    Limits limits_;
    std::vector<Cache> caches_;
};

struct Answer {
    std::vector<std::int32_t> ids;
    std::string finish;
    std::string error;
};

void collect(Scheduler& scheduler, std::map<std::string, Answer>& answers) {
    for (const Output& output : scheduler.takeOutputs()) {
        Answer& answer = answers[output.request];
        EXPECT_EQ(answer.finish, "") << "output after the end";
        for (const Sampled& token : output.tokens)
            answer.ids.push_back(token.id);
        answer.finish = output.finish;
        answer.error = output.error;
    }
}

std::map<std::string, Answer> runAll(Scheduler& scheduler, const Limits& limits) {
    FakeModel model(limits);
    std::map<std::string, Answer> answers;
    collect(scheduler, answers);
    int steps = 0;
    while (auto step = scheduler.compose()) {
        EXPECT_TRUE(scheduler.complete(model.run(*step)));
        collect(scheduler, answers);
        if (++steps > 1000) {
            ADD_FAILURE() << "no end";
            break;
        }
    }
    return answers;
}

}  // namespace

TEST(Scheduler, EveryRequestGetsTheAnswerItWouldGetAlone) {
    for (const int replicas : {1, 2}) {
        Limits limits = smallLimits();
        limits.replicas = replicas;
        Scheduler scheduler(limits);
        std::map<std::string, Request> requests;
        for (int i = 0; i < 12; ++i) {
            Request one = request("r" + std::to_string(i), 1 + 5 * i % 17, 1 + i % 7);
            one.ids.front() = i;
            requests[one.name] = one;
            scheduler.submit(one);
        }
        const auto answers = runAll(scheduler, limits);
        ASSERT_EQ(answers.size(), 12U);
        for (const auto& [name, asked] : requests) {
            EXPECT_EQ(answers.at(name).ids, FakeModel::answer(asked.ids, asked.maxTokens)) << name;
            EXPECT_EQ(answers.at(name).finish, "length");
        }
    }
}

TEST(Scheduler, LongPromptGoesInChunksBesideDecoding) {
    const Limits limits = smallLimits();
    Scheduler scheduler(limits);
    FakeModel model(limits);
    scheduler.submit(request("short", 2, 4));
    auto step = scheduler.compose();
    ASSERT_TRUE(scheduler.complete(model.run(*step)));
    scheduler.submit(request("long", 20, 2));
    step = scheduler.compose();
    EXPECT_EQ(scheduler.counts().decodeTokens, 1);
    EXPECT_EQ(scheduler.counts().prefillTokens, 7);
    EXPECT_EQ(scheduler.counts().running, 2);
    ASSERT_EQ(step->replicas[0].logitRows.size(), 1U) << "the chunk has no logits yet";
    ASSERT_TRUE(scheduler.complete(model.run(*step)));
}

TEST(Scheduler, StopsAtAStopIdAndKeepsIt) {
    const Limits limits = smallLimits();
    Scheduler scheduler(limits);
    Request one = request("a", 3, 10);
    const auto alone = FakeModel::answer(one.ids, 10);
    one.stopIds = {alone[2]};
    scheduler.submit(one);
    const auto answers = runAll(scheduler, limits);
    EXPECT_EQ(answers.at("a").finish, "stop");
    EXPECT_EQ(answers.at("a").ids, FakeModel::answer(one.ids, 3));
}

TEST(Scheduler, EndsWithLengthAtTheContextLimit) {
    const Limits limits = smallLimits();
    Scheduler scheduler(limits);
    scheduler.submit(request("a", 20, 100));
    const auto answers = runAll(scheduler, limits);
    EXPECT_EQ(answers.at("a").finish, "length");
    EXPECT_EQ(answers.at("a").ids.size(), 4U);
}

TEST(Scheduler, CancellationFreesPagesAtOnce) {
    const Limits limits = smallLimits();
    Scheduler scheduler(limits);
    FakeModel model(limits);
    scheduler.submit(request("large", 16, 8));
    scheduler.submit(request("waits", 16, 8));
    auto step = scheduler.compose();
    EXPECT_EQ(scheduler.counts().waiting, 1);
    EXPECT_GT(scheduler.counts().pagesUsed, 0);
    ASSERT_TRUE(scheduler.complete(model.run(*step)));
    scheduler.cancel("large");
    EXPECT_EQ(scheduler.takeOutputs().back().finish, "cancelled");
    step = scheduler.compose();
    EXPECT_EQ(scheduler.counts().waiting, 0);
    EXPECT_EQ(scheduler.counts().running, 1);
    EXPECT_EQ(scheduler.counts().pagesUsed, 2);
    scheduler.cancel("waits");
    scheduler.cancel("never heard of");
    EXPECT_FALSE(scheduler.hasWork());
}

TEST(Scheduler, AdmitsInOrderOfArrival) {
    const Limits limits = smallLimits();
    Scheduler scheduler(limits);
    scheduler.submit(request("first", 12, 8));   // 5 of 8 pages
    scheduler.submit(request("second", 12, 8));  // does not fit beside it
    scheduler.submit(request("third", 2, 2));    // would fit, but came later
    scheduler.compose();
    EXPECT_EQ(scheduler.counts().running, 1);
    EXPECT_EQ(scheduler.counts().waiting, 2);
}

TEST(Scheduler, SpreadsOverReplicasUnlessTold) {
    Limits limits = smallLimits();
    limits.replicas = 2;
    Scheduler scheduler(limits);
    scheduler.submit(request("a", 2, 2));
    scheduler.submit(request("b", 3, 2));
    Request pinned = request("c", 4, 2);
    pinned.replica = 1;
    scheduler.submit(pinned);
    const auto step = scheduler.compose();
    EXPECT_EQ(step->replicas[0].tokens(), 2);
    EXPECT_EQ(step->replicas[1].tokens(), 7);
}

TEST(Scheduler, RefusesWhatCanNeverRun) {
    const Limits limits = smallLimits();
    Scheduler scheduler(limits);
    scheduler.submit(request("empty", 0, 4));
    scheduler.submit(request("long", 24, 4));
    Request foreign = request("foreign", 2, 4);
    foreign.ids[1] = 100;
    scheduler.submit(foreign);
    scheduler.submit(request("twice", 2, 4));
    scheduler.submit(request("twice", 2, 4));
    std::map<std::string, std::string> errors;
    for (const Output& output : scheduler.takeOutputs()) {
        EXPECT_EQ(output.finish, "error");
        errors[output.request] = output.error;
    }
    EXPECT_EQ(errors["empty"], "the prompt is empty");
    EXPECT_EQ(errors["long"], "the prompt has 24 tokens, the context holds 24");
    EXPECT_EQ(errors["foreign"], "token id 100 is outside the vocabulary of 100");
    EXPECT_EQ(errors["twice"], "request twice is running already");
}

TEST(Scheduler, LogitsThatAreNoNumbersEndTheRequestWithAnError) {
    Scheduler scheduler(smallLimits());
    scheduler.submit(request("a", 2, 4));
    scheduler.compose();
    Sampled bad;
    bad.finite = false;
    ASSERT_TRUE(scheduler.complete({{bad}}));
    const auto outputs = scheduler.takeOutputs();
    ASSERT_EQ(outputs.size(), 1U);
    EXPECT_EQ(outputs[0].finish, "error");
    EXPECT_EQ(outputs[0].error, "the logits are not finite numbers");
    EXPECT_TRUE(outputs[0].tokens.empty());
    EXPECT_FALSE(scheduler.hasWork());
}

TEST(Scheduler, CaptureBorrowsPagesThatNobodyHolds) {
    const Limits limits = smallLimits();
    Scheduler scheduler(limits);
    FakeModel model(limits);
    Request one = request("runs", 6, 6);
    scheduler.submit(one);
    auto step = scheduler.compose();
    ASSERT_TRUE(scheduler.complete(model.run(*step)));
    // 19 tokens are 8, 8 and 3 rows; the request has a step between them.
    const std::vector<std::int32_t> ids(19, 7);
    ASSERT_TRUE(scheduler.beginCapture(ids, 0));
    std::vector<std::size_t> rows;
    std::vector<std::int32_t> answer;
    while (scheduler.capturing()) {
        const runtime::Step part = scheduler.composeCapture();
        rows.push_back(part.replicas[0].logitRows.size());
        EXPECT_EQ(part.replicas[0].positions.front(), 8 * static_cast<int>(rows.size() - 1));
        model.run(part);
        if (scheduler.captured())
            scheduler.endCapture();
        step = scheduler.compose();
        ASSERT_TRUE(scheduler.complete(model.run(*step)));
    }
    EXPECT_EQ(rows, (std::vector<std::size_t>{8, 8, 3}));
    while ((step = scheduler.compose()))
        ASSERT_TRUE(scheduler.complete(model.run(*step)));
    for (const Output& output : scheduler.takeOutputs())
        answer.push_back(output.tokens[0].id);
    EXPECT_EQ(answer, FakeModel::answer(one.ids, 6));
}

TEST(Scheduler, CaptureThatCannotBeSaysWhy) {
    Scheduler scheduler(smallLimits());
    EXPECT_EQ(scheduler.beginCapture({}, 0).error().code, ErrorCode::InvalidArgument);
    EXPECT_EQ(scheduler.beginCapture({1}, 1).error().code, ErrorCode::InvalidArgument);
    EXPECT_EQ(scheduler.beginCapture({500}, 0).error().code, ErrorCode::InvalidArgument);
    EXPECT_EQ(scheduler.beginCapture(std::vector<std::int32_t>(25, 1), 0).error().code,
              ErrorCode::InvalidArgument);
    // Pages that a request may still need are not lent.
    scheduler.submit(request("runs", 8, 12));
    scheduler.compose();
    EXPECT_EQ(scheduler.beginCapture(std::vector<std::int32_t>(13, 1), 0).error().code,
              ErrorCode::OutOfMemory);
    ASSERT_TRUE(scheduler.beginCapture(std::vector<std::int32_t>(12, 1), 0));
    scheduler.endCapture();
    EXPECT_TRUE(scheduler.beginCapture(std::vector<std::int32_t>(12, 1), 0));
}

TEST(Scheduler, AnswerOfAnotherSizeIsAnError) {
    Scheduler scheduler(smallLimits());
    scheduler.submit(request("a", 2, 4));
    scheduler.compose();
    EXPECT_FALSE(scheduler.complete({{}}));
}

}  // namespace fl::scheduler
