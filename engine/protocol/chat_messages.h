// SPDX-License-Identifier: Apache-2.0
// Requests, what streams back, and how fast it came. Part of messages.h.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/base/json.h"

namespace fl::protocol {

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
// `chat.started`, for the other clients. `chat.render` takes the same and only shows the prompt.
struct ChatRequest {
    std::string request;  // chosen by the client, unique; events carry it
    std::vector<Message> messages;
    // Instead of `messages`: an array of objects with whatever keys templates read (tool_calls,
    // reasoning_content, lists of parts).
    Json conversation;
    Json tools;                         // null, or an array
    Json documents;                     // null, or an array
    Json options;                       // null, or an object: variables of the template by name
    bool continueFinalMessage = false;  // the last message goes on
    std::string raw;
    std::vector<int> ids;
    Sampling sampling;
    int logprobs = 0;  // alternatives per token, at most 5
    template <class S, class F>
    static void fields(S& s, F&& f) {
        f("request", s.request);
        f("messages", s.messages);
        f("conversation", s.conversation);
        f("tools", s.tools);
        f("documents", s.documents);
        f("options", s.options);
        f("continue_final_message", s.continueFinalMessage);
        f("raw", s.raw);
        f("ids", s.ids);
        f("sampling", s.sampling);
        f("logprobs", s.logprobs);
    }
};

// Answer to `chat.send` and `chat.render`.
struct ChatStarted {
    std::string request;
    std::string prompt;  // as rendered
    std::vector<int> inputIds;
    std::string renderer = {};  // as in ChatInfo; "raw" or "ids" where no template was asked
    std::vector<std::string> inputTexts = {};  // of each id; empty without a tokenizer
    std::vector<int> specials = {};            // places among inputIds of control tokens, ascending
    template <class S, class F>
    static void fields(S& s, F&& f) {
        f("request", s.request);
        f("prompt", s.prompt);
        f("renderer", s.renderer);
        f("input_ids", s.inputIds);
        f("input_texts", s.inputTexts);
        f("specials", s.specials);
    }
};

// A variable that the model's template takes from the caller beside messages and tools.
struct TemplateOption {
    std::string name;
    std::string kind;                 // boolean, text, number, list, object, any
    Json fallback;                    // what the template takes without it; null: not to be seen
    std::vector<std::string> values;  // that it compares the variable with
    int line = 0;                     // where it is first read
    template <class S, class F>
    static void fields(S& s, F&& f) {
        f("name", s.name);
        f("kind", s.kind);
        f("default", s.fallback);
        f("values", s.values);
        f("line", s.line);
    }
};

// Something that ends an answer.
struct StopCondition {
    int id = -1;  // −1: a text
    std::string text;
    std::vector<std::string> sources;  // tokenizer, generation_config.json, config.json, template
    template <class S, class F>
    static void fields(S& s, F&& f) {
        f("id", s.id);
        f("text", s.text);
        f("sources", s.sources);
    }
};

// How the open checkpoint chats. Event `chat.changed`.
struct ChatInfo {
    // "template": the checkpoint's own Jinja; "recipe": a script beside the recipe; "none": prompts
    // must be raw.
    std::string renderer = "none";
    std::string source;  // the template's file, or the name of the script; with "none": why
    std::string reply;   // how replies are read: "hermes", "harmony", …; "raw": as they are
    bool takesTools = false;
    bool takesDocuments = false;
    std::vector<TemplateOption> options;
    std::vector<StopCondition> stops;
    Sampling suggested;  // by generation_config.json
    template <class S, class F>
    static void fields(S& s, F&& f) {
        f("renderer", s.renderer);
        f("source", s.source);
        f("reply", s.reply);
        f("takes_tools", s.takesTools);
        f("takes_documents", s.takesDocuments);
        f("options", s.options);
        f("stops", s.stops);
        f("suggested", s.suggested);
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
    std::string reasoning = {};  // the parts of the text that are told apart already
    std::string content = {};
    template <class S, class F>
    static void fields(S& s, F&& f) {
        f("request", s.request);
        f("text", s.text);
        f("reasoning", s.reasoning);
        f("content", s.content);
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

// A function that a reply asks for.
struct ToolCall {
    std::string id;  // where the format has one
    std::string name;
    std::string arguments;  // JSON as the model wrote it, or what it wrote instead
    template <class S, class F>
    static void fields(S& s, F&& f) {
        f("id", s.id);
        f("name", s.name);
        f("arguments", s.arguments);
    }
};

// Event `chat.done`.
struct ChatDone {
    std::string request;
    std::string finish;  // stop, length, cancelled, error
    std::string error;
    std::string stopped;  // with "stop": the token or text that ended it
    std::string text;     // the whole answer
    // The same taken apart; content is all of it where no format is known or the reply is broken.
    std::string reasoning;
    std::string content;
    std::vector<ToolCall> toolCalls;
    std::string malformed;  // how the reply departs from its format
    std::vector<int> ids;
    Timing timing;
    template <class S, class F>
    static void fields(S& s, F&& f) {
        f("request", s.request);
        f("finish", s.finish);
        f("error", s.error);
        f("stopped", s.stopped);
        f("text", s.text);
        f("reasoning", s.reasoning);
        f("content", s.content);
        f("tool_calls", s.toolCalls);
        f("malformed", s.malformed);
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

}  // namespace fl::protocol
