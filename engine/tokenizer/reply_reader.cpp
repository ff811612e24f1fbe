// SPDX-License-Identifier: Apache-2.0
#include "engine/tokenizer/reply_reader.h"

#include <algorithm>

#include <fmt/core.h>

#include "engine/tokenizer/reply_formats.h"

namespace fl::tokenizer {

namespace {

constexpr std::string_view kSpaces = " \n\r\t";

// Length of the longest end of `text` that begins `mark`.
std::size_t begunMark(std::string_view text, std::string_view mark) {
    for (std::size_t length = std::min(mark.size() - (mark.empty() ? 0 : 1), text.size());
         length > 0; --length) {
        if (text.ends_with(mark.substr(0, length)))
            return length;
    }
    return 0;
}

std::size_t trailingSpace(std::string_view text) {
    const std::size_t last = text.find_last_not_of(kSpaces);
    return last == std::string_view::npos ? text.size() : text.size() - last - 1;
}

}  // namespace

struct ReplyReader::State {
    enum class Place { Start, Reasoning, Content, Calls, Header, Body };

    const ReplyFormat* format = nullptr;
    Place place = Place::Start;
    std::string held;  // not yet told apart
    Reply reply;
    // White space is dropped at the beginning of a part, and held back at its end.
    bool begins = true;
    std::string header;  // of a harmony message
    std::string body;    // of a harmony call

    bool isHarmony() const { return format->name == "harmony"; }

    void add(std::string_view text, std::string& whole, std::string& part) {
        if (format->trims && begins) {
            const std::size_t first = text.find_first_not_of(kSpaces);
            text = first == std::string_view::npos ? "" : text.substr(first);
            begins = text.empty();
        }
        whole += text;
        part += text;
    }

    // Moves `held` up to a mark, or as much as cannot be part of one, into a part of the reply.
    // True if the mark was found; it stays in `held`.
    bool moveUntil(std::string_view mark, std::string& whole, std::string& part) {
        const std::size_t at = mark.empty() ? std::string::npos : held.find(mark);
        const bool found = at != std::string::npos;
        std::size_t end = found ? at : held.size() - begunMark(held, mark);
        // Space before a mark belongs to neither side.
        if (format->trims)
            end -= trailingSpace(std::string_view(held).substr(0, end));
        add(std::string_view(held).substr(0, end), whole, part);
        held.erase(0, found ? at : end);
        return found;
    }

    bool start() {
        if (format->reasoningOpen.empty()) {
            place = Place::Content;
            return true;
        }
        const std::size_t first = std::min(held.find_first_not_of(kSpaces), held.size());
        const std::string_view rest = std::string_view(held).substr(first);
        if (rest.starts_with(format->reasoningOpen)) {
            held.erase(0, first + format->reasoningOpen.size());
            place = Place::Reasoning;
            return true;
        }
        if (rest.empty() || format->reasoningOpen.starts_with(rest))
            return false;
        place = Place::Content;
        return true;
    }

    // One step; false where more text is needed.
    bool step(Part& out) {
        switch (place) {
            case Place::Start:
                return start();
            case Place::Reasoning:
                if (!moveUntil(format->reasoningClose, reply.reasoning, out.reasoning))
                    return false;
                held.erase(0, format->reasoningClose.size());
                place = Place::Content;
                begins = true;
                return true;
            case Place::Content:
                if (!contentStep(out))
                    return false;
                place = Place::Calls;
                return true;
            default:
                return false;
        }
    }

    // DeepSeek's end of sentence ends the content as calls do.
    bool contentStep(Part& out) {
        const bool isDsml = format->name.starts_with("deepseek") && format->keepsStops;
        constexpr std::string_view kEnd = "<｜end▁of▁sentence｜>";
        if (!isDsml)
            return moveUntil(format->calls, reply.content, out.content);
        const std::size_t calls = held.find(format->calls);
        const std::size_t end = held.find(kEnd);
        if (std::min(calls, end) != std::string::npos)
            return moveUntil(calls < end ? format->calls : kEnd, reply.content, out.content);
        const std::size_t kept = std::max(begunMark(held, format->calls), begunMark(held, kEnd));
        add(std::string_view(held).substr(0, held.size() - kept), reply.content, out.content);
        held.erase(0, held.size() - kept);
        return false;
    }

    // <|channel|>analysis<|message|>…<|end|><|start|>assistant<|channel|>final<|message|>…
    bool harmonyStep(Part& out) {
        if (place != Place::Body) {
            place = Place::Header;
            const std::size_t at = held.find("<|message|>");
            if (at == std::string::npos)
                return false;
            header = held.substr(0, at);
            held.erase(0, at + 11);
            body.clear();
            place = Place::Body;
            return true;
        }
        constexpr std::string_view kEnds[] = {"<|end|>", "<|return|>", "<|call|>", "<|start|>"};
        std::size_t at = std::string::npos;
        std::size_t kept = 0;
        std::size_t size = 0;
        for (const std::string_view mark : kEnds) {
            const std::size_t found = held.find(mark);
            if (found < at) {
                at = found;
                size = mark == "<|start|>" ? 0 : mark.size();
            }
            kept = std::max(kept, begunMark(held, mark));
        }
        const bool ended = at != std::string::npos;
        harmonyBody(std::string_view(held).substr(0, ended ? at : held.size() - kept), out);
        held.erase(0, ended ? at + size : held.size() - kept);
        if (!ended)
            return false;
        endHarmonyMessage();
        return true;
    }

    void harmonyBody(std::string_view text, Part& out) {
        if (header.find(" to=") != std::string::npos) {
            body += text;
        } else if (header.find("<|channel|>analysis") != std::string::npos) {
            reply.reasoning += text;
            out.reasoning += text;
        } else {
            reply.content += text;
            out.content += text;
        }
    }

    void endHarmonyMessage() {
        place = Place::Header;
        const std::size_t to = header.find(" to=");
        if (to == std::string::npos)
            return;
        std::string name = header.substr(to + 4);
        name = name.substr(0, name.find_first_of(" <"));
        if (name.starts_with("functions."))
            name.erase(0, 10);
        reply.calls.push_back({"", name, body});
    }
};

ReplyReader::ReplyReader(std::string_view format, bool reasons)
    : state_(std::make_unique<State>()) {
    state_->format = &replyFormatNamed(format);
    if (reasons && !state_->format->reasoningClose.empty())
        state_->place = State::Place::Reasoning;
    // A strict format says in the prompt whether there is reasoning.
    else if (state_->format->keepsStops)
        state_->place = State::Place::Content;
}
ReplyReader::ReplyReader(ReplyReader&&) noexcept = default;
ReplyReader& ReplyReader::operator=(ReplyReader&&) noexcept = default;
ReplyReader::~ReplyReader() = default;

ReplyReader::Part ReplyReader::push(std::string_view text) {
    Part out;
    state_->held += text;
    while (state_->isHarmony() ? state_->harmonyStep(out) : state_->step(out)) {
    }
    return out;
}

Reply ReplyReader::finish() {
    State& state = *state_;
    Reply& reply = state.reply;
    if (state.isHarmony()) {
        if (state.place == State::Place::Body) {
            Part rest;
            state.harmonyBody(state.held, rest);
            if (state.header.find(" to=") != std::string::npos)
                reply.malformed = "the answer was cut off in a call";
        } else if (!state.held.empty()) {
            reply.content += state.held;
        }
        return std::move(reply);
    }
    const bool strict = state.format->keepsStops;
    if (state.place == State::Place::Reasoning && strict)
        reply.malformed = fmt::format("'{}' is missing", state.format->reasoningClose);
    const bool inCalls = state.place == State::Place::Calls;
    if (state.format->readCalls != nullptr && reply.malformed.empty() && (inCalls || strict)) {
        Reply read = reply;
        const Status fine = state.format->readCalls(state.held, read);
        if (fine) {
            reply = std::move(read);
            state.held.clear();
        } else {
            reply.malformed = fine.error().message;
        }
    }
    // What is left is space, the beginning of a mark, or calls that cannot be read.
    const std::size_t kept = state.format->trims && !inCalls ? trailingSpace(state.held) : 0;
    std::string& part = state.place == State::Place::Reasoning ? reply.reasoning : reply.content;
    part += state.held.substr(0, state.held.size() - kept);
    return std::move(reply);
}

bool ReplyReader::keepsStops() const {
    return state_->format->keepsStops;
}

bool opensReasoning(std::string_view format, std::string_view prompt) {
    const std::string_view open = replyFormatNamed(format).reasoningOpen;
    const std::size_t last = prompt.find_last_not_of(kSpaces);
    return !open.empty() && last != std::string_view::npos &&
           prompt.substr(0, last + 1).ends_with(open);
}

}  // namespace fl::tokenizer
