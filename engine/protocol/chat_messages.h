// SPDX-License-Identifier: Apache-2.0
// Requests, what streams back, and how fast it came. Part of messages.h.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

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

}  // namespace fl::protocol
