// SPDX-License-Identifier: Apache-2.0
// firstlightctl chat: one answer, or a talk on the terminal.
#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <utility>

#include <CLI/CLI.hpp>
#include <fmt/core.h>
#include <poll.h>
#include <unistd.h>

#include "app/ctl/context.h"
#include "app/ctl/engine.h"
#include "engine/base/text.h"
#include "engine/protocol/codec.h"
#include "engine/protocol/names.h"
#include "engine/service/job_place.h"

namespace fl::app {

namespace {

namespace event = protocol::event;
namespace method = protocol::method;

struct ChatVerb {
    JobOptions job;
    std::optional<std::string> message;
    std::string system;
    std::string messagesFile;
    std::vector<std::string> options;  // name=value
    bool showPrompt = false;
    bool raw = false;
    std::vector<int> ids;
    protocol::Sampling sampling;
    int logprobs = 0;
};

struct Answered {
    protocol::ChatStarted started;
    std::vector<protocol::TokenInfo> tokens;
    protocol::ChatDone done;
};

// A list of messages, or an object with messages, tools, documents and options.
Status readMessages(const std::string& path, protocol::ChatRequest& out) {
    FL_TRY(const Json json, Json::parseFile(path));
    if (json.isArray()) {
        out.conversation = json;
        return Done{};
    }
    const std::vector<std::string> known = {"messages", "tools", "documents", "options"};
    for (const auto& [key, value] : json.members()) {
        if (key == "messages")
            out.conversation = value;
        else if (key == "tools")
            out.tools = value;
        else if (key == "documents")
            out.documents = value;
        else if (key == "options")
            out.options = value;
        else
            return Error{ErrorCode::InvalidArgument,
                         fmt::format("{}: unknown key '{}'{}", path, key, nearest(key, known))};
    }
    if (!out.conversation.isArray())
        return Error{ErrorCode::InvalidArgument,
                     fmt::format("{}: messages are {}, expected an array of objects", path,
                                 out.conversation.kindName())};
    return Done{};
}

// "enable_thinking=false": JSON where the value is some, else text.
Status addOption(const std::string& given, protocol::ChatRequest& out) {
    const std::size_t sign = given.find('=');
    if (sign == std::string::npos || sign == 0)
        return Error{ErrorCode::InvalidArgument,
                     fmt::format("option '{}' is not of the form name=value", given)};
    const std::string text = given.substr(sign + 1);
    auto value = Json::parse(text);
    if (out.options.isNull())
        out.options = Json::object();
    if (value)
        out.options.set(given.substr(0, sign), *std::move(value));
    else
        out.options.set(given.substr(0, sign), text);
    return Done{};
}

Result<protocol::ChatRequest> requestFor(const ChatVerb& verb) {
    protocol::ChatRequest out;
    out.sampling = verb.sampling;
    out.logprobs = verb.logprobs;
    out.ids = verb.ids;
    if (!verb.messagesFile.empty())
        FL_DO(readMessages(verb.messagesFile, out));
    for (const std::string& option : verb.options)
        FL_DO(addOption(option, out));
    if (verb.message && verb.message->empty())
        return Error{ErrorCode::InvalidArgument, "the prompt is empty"};
    if (verb.raw)
        out.raw = verb.message.value_or("");
    else if (verb.message && out.conversation.isArray())
        out.conversation.push(Json::object().set("role", "user").set("content", *verb.message));
    else if (verb.message)
        out.messages.push_back({"user", *verb.message});
    if (!verb.system.empty() && out.conversation.isArray())
        return Error{ErrorCode::InvalidArgument,
                     "--system is for a message of your own: the file of --messages has its own"};
    if (!verb.system.empty())
        out.messages.insert(out.messages.begin(), {"system", verb.system});
    return out;
}

// Reads the answer to its end; text is printed as it comes where `show` says so.
Result<Answered> readAnswer(service::Client& client,
                            const protocol::ChatRequest& request,
                            bool show) {
    Answered out;
    FL_TRY(const Json started, client.call(method::kChatSend, request));
    FL_TRY(out.started, protocol::decode<protocol::ChatStarted>(started));
    for (;;) {
        FL_TRY(const auto event, client.nextEvent(3600));
        if (!event || event->data["request"].string() != request.request)
            continue;
        if (event->event == event::kChatDelta) {
            FL_TRY(const auto delta, protocol::decode<protocol::ChatDelta>(event->data));
            out.tokens.insert(out.tokens.end(), delta.tokens.begin(), delta.tokens.end());
            if (show)
                fmt::print("{}", delta.text);
            std::fflush(stdout);
        }
        if (event->event == event::kChatDone) {
            FL_TRY(out.done, protocol::decode<protocol::ChatDone>(event->data));
            return out;
        }
    }
}

// An engine that outlives us must not go on with an answer that nobody reads. Our own client's
// token is cancelled, so this is another.
void takeBack(const std::string& job, const std::string& request) {
    const auto socket = service::jobSocket(job);
    auto client = socket ? service::Client::connect(*socket, "firstlightctl", CancelToken())
                         : Result<std::unique_ptr<service::Client>>(socket.error());
    if (client)
        (void)(*client)->call(method::kChatCancel, protocol::ChatCancel{request});
}

Result<Answered> ask(const Engine& engine, protocol::ChatRequest request, bool show) {
    static int number = 0;
    request.request = fmt::format("ctl-{}-{}", ::getpid(), ++number);
    auto answer = readAnswer(engine.client(), request, show);
    if (!answer && answer.error().code == ErrorCode::Cancelled)
        takeBack(engine.job(), request.request);
    return answer;
}

Json document(const Answered& answer, const protocol::Snapshot& state) {
    Json out = Json::object();
    out.append("prompt", answer.started.prompt);
    out.append("renderer", answer.started.renderer);
    out.append("input_ids", protocol::encode(answer.started.inputIds));
    out.append("images", Json::array());
    out.append("text", answer.done.text);
    out.append("reasoning", answer.done.reasoning);
    out.append("content", answer.done.content);
    out.append("tool_calls", protocol::encode(answer.done.toolCalls));
    out.append("malformed", answer.done.malformed);
    out.append("stopped", answer.done.stopped);
    out.append("ids", protocol::encode(answer.done.ids));
    out.append("finish", answer.done.finish);
    out.append("logprobs", protocol::encode(answer.tokens));
    out.append("timing", protocol::encode(answer.done.timing));
    Json plan = protocol::encode(state.plan.mesh);
    plan.append("name", state.plan.name);
    out.append("plan", std::move(plan));
    return out;
}

std::vector<Finding> findingsOf(const Answered& answer) {
    if (answer.done.finish != "error")
        return {};
    return {fromError({ErrorCode::Io, answer.done.error}, "chat-failed", "probe")};
}

void printTiming(const Context& context, const protocol::Timing& timing) {
    if (!context.quiet && ::isatty(STDERR_FILENO) == 1)
        fmt::print(stderr, "TTFT {} · {:.1f} tok/s\n", formatDuration(timing.ttft),
                   timing.tokensPerSecond);
}

// The prompt as it was sent, a token a line; control tokens are marked.
void printPrompt(const protocol::ChatStarted& started) {
    std::vector<std::vector<std::string>> rows;
    for (std::size_t i = 0; i < started.inputIds.size(); ++i) {
        const bool special = std::find(started.specials.begin(), started.specials.end(),
                                       static_cast<int>(i)) != started.specials.end();
        const std::string text = i < started.inputTexts.size() ? started.inputTexts[i] : "";
        rows.push_back({std::to_string(i), std::to_string(started.inputIds[i]),
                        special ? "control" : "", Json(text).dump()});
    }
    fmt::print(stderr, "prompt by {}, {} tokens\n{}", started.renderer, started.inputIds.size(),
               table({"place", "id", "", "text"}, rows, "rrll"));
}

Result<int> answerOnce(const Context& context, const ChatVerb& verb, const Target& target) {
    FL_TRY(const auto request, requestFor(verb));
    FL_TRY(const Answered answer, ask(target.engine, request, !context.json));
    if (verb.showPrompt)
        printPrompt(answer.started);
    if (context.json)
        return finishJson(document(answer, target.state), findingsOf(answer));
    fmt::print("\n");
    printTiming(context, answer.done.timing);
    return finishText(findingsOf(answer));
}

// Lines of standard input. Ctrl+C must end the wait for one, and reading a stream would go on.
class InputLines {
public:
    // Nothing at the end of input, or when cancelled.
    std::optional<std::string> next(const CancelToken& cancel) {
        for (;;) {
            if (const auto end = pending_.find('\n'); end != std::string::npos) {
                std::string line = pending_.substr(0, end);
                pending_.erase(0, end + 1);
                return line;
            }
            if (cancel.cancelled())
                return std::nullopt;
            pollfd input{STDIN_FILENO, POLLIN, 0};
            if (::poll(&input, 1, kSliceMilliseconds) <= 0)
                continue;
            std::array<char, 4096> bytes{};
            const auto got = ::read(STDIN_FILENO, bytes.data(), bytes.size());
            if (got <= 0)
                return pending_.empty() ? std::nullopt : std::optional(std::exchange(pending_, ""));
            pending_.append(bytes.data(), static_cast<std::size_t>(got));
        }
    }

private:
    // A signal that comes just before the wait is seen after it.
    static constexpr int kSliceMilliseconds = 200;
    std::string pending_;
};

// Until the end of input. Ctrl+C ends the talk as it ends everything else.
Result<int> talk(const Context& context, const ChatVerb& verb, const Target& target) {
    FL_TRY(auto request, requestFor(verb));
    const bool terminal = ::isatty(STDIN_FILENO) == 1;
    InputLines input;
    while (!context.cancel.cancelled()) {
        if (terminal)
            fmt::print(stderr, "> ");
        const auto line = input.next(context.cancel);
        if (!line)
            break;
        if (line->empty())
            continue;
        // A raw prompt stands alone; without a template there is no talk to be continued.
        if (verb.raw)
            request.raw = *line;
        else
            request.messages.push_back({"user", *line});
        FL_TRY(const Answered answer, ask(target.engine, request, true));
        fmt::print("\n");
        printTiming(context, answer.done.timing);
        if (answer.done.finish == "error")
            return finishText(findingsOf(answer));
        if (!verb.raw)
            request.messages.push_back({"assistant", answer.done.text});
    }
    return context.cancel.cancelled() ? kInterrupted : kFine;
}

Result<int> chat(const Context& context, const ChatVerb& verb) {
    FL_TRY(const auto checked, requestFor(verb));  // before minutes of loading
    FL_TRY(const Target target, reachTarget(context, verb.job));
    if (target.failed)
        return finishFailed(context, *target.failed);
    const bool once = verb.message || !verb.ids.empty() || !verb.messagesFile.empty();
    return once || context.json ? answerOnce(context, verb, target) : talk(context, verb, target);
}

void addSampling(CLI::App& verb, ChatVerb& options) {
    protocol::Sampling& sampling = options.sampling;
    verb.add_option("--max-tokens", sampling.maxTokens, "Longest answer");
    verb.add_option("--temperature", sampling.temperature, "0: greedy");
    verb.add_option("--top-k", sampling.topK, "Draw from the k likeliest tokens; 0: all");
    verb.add_option("--top-p", sampling.topP, "Draw from the likeliest that reach p together");
    verb.add_option("--min-p", sampling.minP,
                    "Leave out what is less than p as likely as the best");
    verb.add_option("--seed", sampling.seed, "Of the draws");
    verb.add_option("--stop", sampling.stop, "Text that ends the answer; may be repeated");
    verb.add_option("--logprobs", options.logprobs, "Alternatives per token, up to 5");
}

}  // namespace

void addChat(CLI::App& program, Context& context) {
    CLI::App* verb = addVerb(program, context, "chat", "One answer, or a talk on the terminal");
    const auto options = std::make_shared<ChatVerb>();
    verb->add_option("CHECKPOINT|JOB", options->job.checkpoint, "Model, or a running job");
    verb->add_option("-m,--message", options->message, "What to say; without it: a talk");
    verb->add_option("--system", options->system, "System prompt");
    verb->add_option("--messages", options->messagesFile,
                     "JSON list of messages, or {messages, tools, documents, options}");
    verb->add_option("--option", options->options,
                     "Variable of the chat template, name=value; may be repeated");
    verb->add_flag("--show-prompt", options->showPrompt,
                   "List the prompt's tokens as sent, on standard error");
    verb->add_flag("--raw", options->raw, "The message is the whole prompt, without a template");
    verb->add_option("--ids", options->ids, "Prompt as token ids")->delimiter(',');
    addSampling(*verb, *options);
    addPlanOptions(*verb, options->job);
    verb->footer("Example: firstlightctl chat MODEL -m 'What is the capital of France?' --tp 3");
    verb->callback([&context, options] {
        context.run = [&context, options] { return chat(context, *options); };
    });
}

}  // namespace fl::app
