// SPDX-License-Identifier: Apache-2.0
#include "engine/service/validation.h"

#include <cmath>
#include <filesystem>
#include <optional>
#include <utility>

#include <fmt/core.h>

#include "engine/protocol/codec.h"
#include "engine/protocol/names.h"
#include "engine/service/capture_files.h"

namespace fl::service {

namespace {

namespace link = protocol::link;

protocol::Rung equality(const std::string& name, bool equal) {
    protocol::Rung rung;
    rung.name = name;
    rung.error = equal ? 0 : 1;
    rung.worstToken = rung.error;
    rung.verdict = equal ? "pass" : "fail";
    return rung;
}

int firstDifference(const std::vector<int>& a, const std::vector<int>& b) {
    const auto [left, right] = std::mismatch(a.begin(), a.end(), b.begin(), b.end());
    return static_cast<int>(left - a.begin());
}

// Template and tokenizer, before any rank is asked.
Status addTextRungs(const ReferenceCase& one,
                    const Language& language,
                    protocol::CaseResult& result) {
    if (!one.hasPrompt || language.tokenizer() == nullptr)
        return Done{};
    if (!one.messages.empty()) {
        protocol::ChatRequest request;
        request.messages = one.messages;
        FL_TRY(const Prompt prompt, language.promptFor(request));
        const std::string& rendered = prompt.text;
        addRung(result, equality("prompt", rendered == one.prompt), {});
    }
    FL_TRY(const std::vector<int> ids, language.encode(one.prompt));
    protocol::Divergence where;
    where.token = firstDifference(ids, one.inputIds);
    addRung(result, equality("input_ids", ids == one.inputIds), where);
    return Done{};
}

}  // namespace

Validation::Validation(EventLoop& loop,
                       std::function<void(std::string_view method, const Json& params)> toRank0)
    : loop_(loop),
      toRank0_(std::move(toRank0)) {}

Result<std::vector<protocol::RankCaptured>> Validation::capture(const ReferenceCase& one,
                                                                int replica,
                                                                const ValidationSetup& setup,
                                                                const CancelToken& cancel) {
    protocol::CaptureRequest request;
    request.capture = fmt::format("validate-{}", ++lastName_);
    request.ids = one.inputIds;
    request.replica = replica;
    request.folder = fmt::format("{}/{}", setup.folder, request.capture);
    std::error_code problem;
    std::filesystem::create_directories(request.folder, problem);
    if (problem)
        return Error{ErrorCode::Io,
                     fmt::format("cannot make {}: {}", request.folder, problem.message())};
    Waiting waiting;
    waiting.ranks = setup.ranksPerReplica;
    waiting.folder = request.folder;
    loop_.post([this, request, waiting] {
        captures_[request.capture] = waiting;
        toRank0_(link::kCapture, protocol::encode(request));
    });
    return waiting.captures.wait(cancel);
}

Result<std::vector<int>> Validation::greedy(const ReferenceCase& one,
                                            int replica,
                                            const CancelToken& cancel) {
    protocol::SubmitRequest request;
    request.request = fmt::format("validate-{}", ++lastName_);
    request.ids = one.inputIds;
    request.sampling.maxTokens = static_cast<int>(one.greedy.size());
    request.replica = replica;
    const Waiting waiting;
    loop_.post([this, request, waiting] {
        requests_[request.request] = waiting;
        toRank0_(link::kSubmit, protocol::encode(request));
    });
    return waiting.ids.wait(cancel);
}

Result<protocol::CaseResult> Validation::runCase(const ReferenceCase& one,
                                                 int replica,
                                                 const ValidationSetup& setup,
                                                 const CancelToken& cancel) {
    protocol::CaseResult result;
    result.name = one.name;
    result.replica = replica;
    FL_DO(addTextRungs(one, *setup.language, result));
    FL_TRY(const auto captured, capture(one, replica, setup, cancel));
    CaseJudge judge(one, setup.rules, cancel);
    for (const protocol::RankCaptured& rank : captured)
        FL_DO(judge.open(rank));
    FL_DO(judge.judge(result));
    if (!one.greedy.empty()) {
        FL_TRY(const std::vector<int> ids, greedy(one, replica, cancel));
        const GreedyJudgement judgement =
            judgeGreedy(ids, one.greedy, one.greedyMargin, judge.logitsError());
        addRung(result, equality("greedy", judgement.passed), {"", -1, "", judgement.agreed});
    }
    result.verdict = result.firstDivergence.empty() ? "pass" : "fail";
    return result;
}

Result<protocol::ValidateReply> Validation::run(const protocol::ValidateRequest& request,
                                                const ValidationSetup& setup,
                                                const CancelToken& cancel) {
    FL_TRY(const auto cases, readReference(request.reference, request.cases, cancel));
    protocol::ValidateReply reply;
    reply.verdict = "ok";
    const auto all = static_cast<double>(cases.size()) * setup.replicas;
    Status status = Done{};
    for (const ReferenceCase& one : cases) {
        for (int replica = 0; replica < setup.replicas && status; ++replica) {
            setup.progress(static_cast<double>(reply.cases.size()) / all, "case " + one.name);
            auto result = runCase(one, replica, setup, cancel);
            if (!result) {
                status = Error{result.error().code,
                               fmt::format("case {}: {}", one.name, result.error().message)};
                break;
            }
            if (result->verdict == "fail")
                reply.verdict = "errors";
            reply.cases.push_back(std::move(*result));
            std::error_code ignored;  // captures of long prompts are large
            std::filesystem::remove_all(setup.folder, ignored);
        }
    }
    std::error_code ignored;  // the job's folder goes at the end anyway
    std::filesystem::remove_all(setup.folder, ignored);
    loop_.post([this] { callOff(); });
    FL_DO(std::move(status));
    return reply;
}

void Validation::take(const protocol::RankTokens& tokens) {
    const auto found = requests_.find(tokens.request);
    if (found == requests_.end())
        return;
    Waiting& waiting = found->second;
    for (const protocol::TokenInfo& token : tokens.tokens)
        waiting.soFar.push_back(token.id);
    if (tokens.finish.empty())
        return;
    if (tokens.finish == "error")
        waiting.ids.set(Error{ErrorCode::Internal, tokens.error});
    else
        waiting.ids.set(waiting.soFar);
    requests_.erase(found);
}

void Validation::take(const protocol::RankCaptured& captured) {
    const auto found = captures_.find(captured.capture);
    if (found == captures_.end())
        return;
    Waiting& waiting = found->second;
    waiting.captured.push_back(captured);
    if (static_cast<int>(waiting.captured.size()) < waiting.ranks && captured.error.empty())
        return;
    waiting.captures.set(waiting.captured);
    captures_.erase(found);
}

void Validation::take(int rank, const protocol::CaptureBytes& piece) {
    const auto found = captures_.find(piece.capture);
    if (found == captures_.end())
        return;
    const Status taken = takeCaptureBytes(found->second.folder, rank, piece);
    if (taken)
        return;
    found->second.captures.set(taken.error());
    captures_.erase(found);
}

// What the ranks still work on is of no interest any more.
void Validation::callOff() {
    for (const auto* list : {&requests_, &captures_}) {
        for (const auto& [name, waiting] : *list)
            toRank0_(link::kCancel, protocol::encode(protocol::ChatCancel{name}));
    }
    failAll("the validation ended");
}

void Validation::failAll(const std::string& why) {
    for (auto* list : {&requests_, &captures_}) {
        for (const auto& [name, waiting] : *list) {
            waiting.ids.set(Error{ErrorCode::Cancelled, why});
            waiting.captures.set(Error{ErrorCode::Cancelled, why});
        }
        list->clear();
    }
}

Finding divergenceFinding(const protocol::CaseResult& result) {
    Finding finding;
    finding.code = "reference-differs";
    finding.stage = "validate";
    finding.message = fmt::format("case {} differs from the reference", result.name);
    if (result.firstDivergence.empty())
        return finding;
    const protocol::Divergence& first = result.firstDivergence.front();
    finding.message =
        fmt::format("case {} differs from the reference first at {}", result.name, first.rung);
    finding.rank = first.rank;
    for (const protocol::Rung& rung : result.rungs) {
        if (rung.name != first.rung)
            continue;
        finding.expected = fmt::format("error ≤ {:.1e}", rung.tolerance);
        finding.found = fmt::format("{:.2e} at token {}", rung.error, first.token);
    }
    finding.remedy = first.slice.empty() ? "look at the rungs before it"
                                         : "look at what runs there: " + first.slice;
    return finding;
}

}  // namespace fl::service
