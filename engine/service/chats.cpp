// SPDX-License-Identifier: Apache-2.0
#include "engine/service/chats.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "engine/protocol/codec.h"
#include "engine/protocol/names.h"
#include "engine/service/answer_text.h"
#include "engine/service/clock.h"
#include "engine/telemetry/metric_registry.h"

namespace fl::service {

struct Chats::Chat {
    Chat(const protocol::ChatRequest& request,
         const Prompt& prompt,
         std::shared_ptr<const Language> how,
         double received)
        : language(std::move(how)),
          text(language->tokenizer(), request.sampling.stop),
          reply(language->replyReader(prompt)),
          receivedAt(received) {
        done.request = request.request;
        if (language->tokenizer() != nullptr)
            marks = language->tokenizer()->stream(false);
    }

    bool isStop(int id) const {
        const std::vector<int>& stops = language->stopIds();
        return std::find(stops.begin(), stops.end(), id) != stops.end();
    }

    // The parts that become clear with a token; formats are marked by control tokens, which the
    // text that is shown leaves out.
    void readReply(int id, protocol::ChatDelta& delta) {
        if (!marks || (isStop(id) && !reply.keepsStops()))
            return;
        const auto part = reply.push(marks->push(id));
        delta.reasoning += part.reasoning;
        delta.content += part.content;
    }

    void endReply() {
        if (marks)
            reply.push(marks->flush());
        const tokenizer::Reply read = reply.finish();
        done.reasoning = read.reasoning;
        done.content = read.content;
        done.malformed = read.malformed;
        for (const tokenizer::ReplyCall& call : read.calls)
            done.toolCalls.push_back({call.id, call.name, call.arguments});
    }

    std::shared_ptr<const Language> language;
    AnswerText text;
    tokenizer::ReplyReader reply;
    std::optional<tokenizer::StreamDecoder> marks;
    protocol::ChatDone done;
    telemetry::PercentileWindow gaps;
    double receivedAt = 0;
    double firstAt = 0;
    double lastAt = 0;
};

namespace {

std::string textOf(const Language& language, int id) {
    return language.tokenizer() != nullptr ? language.tokenizer()->decode({id}, false) : "";
}

protocol::TokenInfo withTexts(const Language& language, protocol::TokenInfo token) {
    token.text = textOf(language, token.id);
    token.alternativeTexts.clear();
    for (const int id : token.alternatives)
        token.alternativeTexts.push_back(textOf(language, id));
    return token;
}

}  // namespace

Chats::Chats(Board& board, Handlers handlers) : board_(board), handlers_(std::move(handlers)) {}
Chats::~Chats() = default;

Status Chats::check(const protocol::ChatRequest& request) const {
    if (request.request.empty())
        return Error{ErrorCode::InvalidArgument, "a chat needs a name: request is empty"};
    if (knows(request.request))
        return Error{ErrorCode::InvalidArgument, "chat '" + request.request + "' runs already"};
    return Done{};
}

void Chats::start(const protocol::ChatRequest& request,
                  const Prompt& prompt,
                  std::shared_ptr<const Language> language,
                  double receivedAt) {
    protocol::SubmitRequest submit;
    submit.request = request.request;
    submit.ids = prompt.ids;
    submit.stopIds = language->stopIds();
    submit.sampling = request.sampling;
    submit.logprobs = request.logprobs;
    running_[request.request] =
        std::make_unique<Chat>(request, prompt, std::move(language), receivedAt);
    board_.chatStarted(request);
    handlers_.toRank0(protocol::link::kSubmit, protocol::encode(submit));
}

void Chats::take(const protocol::RankTokens& tokens) {
    const auto found = running_.find(tokens.request);
    if (found == running_.end())
        return;  // cancelled, or ended by a stop string, while these were under way
    Chat& chat = *found->second;
    if (!tokens.tokens.empty())
        addTokens(chat, tokens.tokens);
    if (chat.text.stopped()) {
        handlers_.toRank0(protocol::link::kCancel,
                          protocol::encode(protocol::ChatCancel{tokens.request}));
        finish(tokens.request, "stop", "");
    } else if (!tokens.finish.empty()) {
        finish(tokens.request, tokens.finish, tokens.error);
    }
}

void Chats::addTokens(Chat& chat, const std::vector<protocol::TokenInfo>& tokens) {
    const double now = steadyTime();
    if (chat.firstAt == 0)
        chat.firstAt = now;
    else
        chat.gaps.add(now - chat.lastAt);
    chat.lastAt = now;
    protocol::ChatDelta delta;
    delta.request = chat.done.request;
    for (const protocol::TokenInfo& token : tokens) {
        if (chat.text.stopped())
            break;
        delta.text += chat.text.push(token.id);
        if (!chat.text.stopped())
            chat.readReply(token.id, delta);
        delta.tokens.push_back(withTexts(*chat.language, token));
        chat.done.ids.push_back(token.id);
    }
    chat.done.text += delta.text;
    board_.chatDelta(delta);
}

void Chats::cancel(const std::string& request) {
    if (!knows(request))
        return;
    handlers_.toRank0(protocol::link::kCancel, protocol::encode(protocol::ChatCancel{request}));
    finish(request, "cancelled", "");
}

void Chats::failAll(const std::string& error) {
    while (!running_.empty()) {
        const std::string name = running_.begin()->first;
        finish(name, "error", error);
    }
}

void Chats::finish(const std::string& name, const std::string& reason, const std::string& error) {
    const auto chat = std::move(running_.extract(name).mapped());
    if (const std::string rest = chat->text.flush(); !rest.empty()) {
        chat->done.text += rest;
        board_.chatDelta({name, rest, {}, {}, {}});
    }
    chat->endReply();
    protocol::ChatDone& done = chat->done;
    done.finish = reason;
    if (reason == "stop")
        done.stopped = chat->text.stopped() ? "a stop string"
                       : !done.ids.empty()  ? textOf(*chat->language, done.ids.back())
                                            : "";
    done.error = error;
    done.timing.seconds = steadyTime() - chat->receivedAt;
    const auto count = static_cast<double>(done.ids.size());
    if (count > 0)
        done.timing.ttft = chat->firstAt - chat->receivedAt;
    if (count > 1 && chat->lastAt > chat->firstAt)
        done.timing.tokensPerSecond = (count - 1) / (chat->lastAt - chat->firstAt);
    done.timing.itlP50 = chat->gaps.percentile(0.5);
    done.timing.itlP99 = chat->gaps.percentile(0.99);
    board_.chatDone(done);
    if (reason == "stop" || reason == "length")
        handlers_.answered(done);
}

}  // namespace fl::service
