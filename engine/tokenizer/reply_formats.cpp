// SPDX-License-Identifier: Apache-2.0
#include "engine/tokenizer/reply_formats.h"

#include <algorithm>

#include <fmt/core.h>

#include "engine/base/json.h"
#include "engine/tokenizer/python_text.h"

namespace fl::tokenizer {

namespace {

Error departs(std::string message) {
    return {ErrorCode::Corrupt, std::move(message)};
}

// Steps through a text by its marks.
class Marks {
public:
    explicit Marks(std::string_view text) : rest_(text) {}

    bool skip(std::string_view mark) {
        if (!rest_.starts_with(mark))
            return false;
        rest_.remove_prefix(mark.size());
        return true;
    }
    void skipSpace() {
        while (!rest_.empty() &&
               std::string_view(" \n\r\t").find(rest_[0]) != std::string_view::npos)
            rest_.remove_prefix(1);
    }
    Status expect(std::string_view mark) {
        if (skip(mark))
            return Done{};
        return departs(fmt::format("expected '{}', found '{}'", mark, rest_.substr(0, 24)));
    }
    // The text before `mark`, which is stepped over.
    Result<std::string> until(std::string_view mark) {
        const std::size_t at = rest_.find(mark);
        if (at == std::string_view::npos)
            return departs(fmt::format("'{}' is missing: the answer was cut off", mark));
        std::string out(rest_.substr(0, at));
        rest_.remove_prefix(at + mark.size());
        return out;
    }
    // The text before `mark`, where the rest stays, or all of it.
    std::string before(std::string_view mark) {
        const std::size_t at = std::min(rest_.find(mark), rest_.size());
        std::string out(rest_.substr(0, at));
        rest_.remove_prefix(at);
        return out;
    }
    bool atEnd() const { return rest_.empty(); }
    std::string_view rest() const { return rest_; }

private:
    std::string_view rest_;
};

std::string quoted(const std::string& text) {
    const auto json = pythonJson(Json(text), false);
    return json ? *json : "\"\"";
}

// {"key": value, …}: values that are no JSON are texts.
class ArgumentText {
public:
    Status add(const std::string& key, const std::string& value, bool isText) {
        if (std::find(keys_.begin(), keys_.end(), key) != keys_.end())
            return departs(fmt::format("parameter '{}' is given twice", key));
        keys_.push_back(key);
        out_ += (out_.empty() ? "" : ", ") + quoted(key) + ": " + (isText ? quoted(value) : value);
        return Done{};
    }
    std::string take() const { return "{" + out_ + "}"; }

private:
    std::vector<std::string> keys_;
    std::string out_;
};

bool isJson(const std::string& text) {
    return static_cast<bool>(Json::parse(text));
}

// {"name": …, "arguments": …} or parameters in their stead
Status addJsonCall(const std::string& text, Reply& reply) {
    const auto call = Json::parse(text);
    if (!call || !call->isObject() || !(*call)["name"].isString())
        return departs("a call is no JSON object with a name");
    const Json* arguments = call->find("arguments");
    if (arguments == nullptr)
        arguments = call->find("parameters");
    std::string written = "{}";
    if (arguments != nullptr && arguments->isString())
        written = arguments->string();
    else if (arguments != nullptr) {
        FL_TRY(written, pythonJson(*arguments, false));
    }
    reply.calls.push_back({(*call)["id"].string(), (*call)["name"].string(), std::move(written)});
    return Done{};
}

// <tool_call>{…}</tool_call>, any number, text between
Status readHermes(std::string_view tail, Reply& reply) {
    Marks in(tail);
    while (!in.atEnd()) {
        if (!in.skip("<tool_call>")) {
            reply.content += in.before("<tool_call>");
            continue;
        }
        FL_TRY(const std::string body, in.until("</tool_call>"));
        FL_DO(addJsonCall(body, reply));
        in.skipSpace();
    }
    return Done{};
}

std::string withoutLineBreaks(std::string text) {
    if (text.starts_with('\n'))
        text.erase(0, 1);
    if (text.ends_with('\n'))
        text.pop_back();
    return text;
}

// <tool_call><function=NAME><parameter=KEY>\nVALUE\n</parameter></function></tool_call>
Status readQwenXml(std::string_view tail, Reply& reply) {
    Marks in(tail);
    while (!in.atEnd()) {
        if (!in.skip("<tool_call>")) {
            reply.content += in.before("<tool_call>");
            continue;
        }
        in.skipSpace();
        FL_DO(in.expect("<function="));
        ReplyCall call;
        FL_TRY(call.name, in.until(">"));
        ArgumentText arguments;
        for (in.skipSpace(); in.skip("<parameter="); in.skipSpace()) {
            FL_TRY(const std::string key, in.until(">"));
            FL_TRY(const std::string value, in.until("</parameter>"));
            const std::string plain = withoutLineBreaks(value);
            FL_DO(arguments.add(key, plain, !isJson(plain)));
        }
        FL_DO(in.expect("</function>"));
        in.skipSpace();
        FL_DO(in.expect("</tool_call>"));
        in.skipSpace();
        call.arguments = arguments.take();
        reply.calls.push_back(std::move(call));
    }
    return Done{};
}

// <tool_call>NAME<arg_key>KEY</arg_key><arg_value>VALUE</arg_value></tool_call>
Status readGlm(std::string_view tail, Reply& reply) {
    Marks in(tail);
    while (!in.atEnd()) {
        if (!in.skip("<tool_call>")) {
            reply.content += in.before("<tool_call>");
            continue;
        }
        ReplyCall call;
        FL_TRY(const std::string body, in.until("</tool_call>"));
        Marks inside(body);
        call.name = pythonStrip(inside.before("<arg_key>"));
        ArgumentText arguments;
        for (; inside.skip("<arg_key>"); inside.skipSpace()) {
            FL_TRY(const std::string key, inside.until("</arg_key>"));
            inside.skipSpace();
            FL_DO(inside.expect("<arg_value>"));
            FL_TRY(const std::string value, inside.until("</arg_value>"));
            FL_DO(arguments.add(key, value, !isJson(value)));
        }
        inside.skipSpace();
        if (!inside.atEnd() || call.name.empty())
            return departs("a call has other text in it");
        call.arguments = arguments.take();
        reply.calls.push_back(std::move(call));
        in.skipSpace();
    }
    return Done{};
}

// <｜tool▁call▁begin｜>NAME<｜tool▁sep｜>ARGUMENTS<｜tool▁call▁end｜>
Status readDeepSeekV31(std::string_view tail, Reply& reply) {
    Marks in(tail);
    FL_DO(in.expect("<｜tool▁calls▁begin｜>"));
    for (in.skipSpace(); in.skip("<｜tool▁call▁begin｜>"); in.skipSpace()) {
        ReplyCall call;
        FL_TRY(call.name, in.until("<｜tool▁sep｜>"));
        FL_TRY(call.arguments, in.until("<｜tool▁call▁end｜>"));
        reply.calls.push_back(std::move(call));
    }
    FL_DO(in.expect("<｜tool▁calls▁end｜>"));
    reply.content += in.rest();
    return Done{};
}

// The name in "functions.NAME:0"
std::string kimiName(const std::string& id) {
    const std::size_t dot = id.find('.');
    const std::size_t begin = dot == std::string::npos ? 0 : dot + 1;
    const std::size_t end = std::min(id.rfind(':'), id.size());
    return id.substr(begin, end > begin ? end - begin : std::string::npos);
}

Status readKimiK2(std::string_view tail, Reply& reply) {
    Marks in(tail);
    FL_DO(in.expect("<|tool_calls_section_begin|>"));
    for (in.skipSpace(); in.skip("<|tool_call_begin|>"); in.skipSpace()) {
        ReplyCall call;
        FL_TRY(const std::string id, in.until("<|tool_call_argument_begin|>"));
        call.id = pythonStrip(id);
        call.name = kimiName(call.id);
        FL_TRY(const std::string arguments, in.until("<|tool_call_end|>"));
        call.arguments = pythonStrip(arguments);
        reply.calls.push_back(std::move(call));
    }
    FL_DO(in.expect("<|tool_calls_section_end|>"));
    reply.content += in.rest();
    return Done{};
}

// [TOOL_CALLS][{…}, …] up to v3, [TOOL_CALLS]NAME[ARGS]{…} later
Status readMistral(std::string_view tail, Reply& reply) {
    Marks in(tail);
    while (in.skip("[TOOL_CALLS]")) {
        in.skipSpace();
        if (!in.rest().starts_with('[')) {
            ReplyCall call;
            FL_TRY(const std::string name, in.until("[ARGS]"));
            call.name = pythonStrip(name.substr(0, name.find("[CALL_ID]")));
            if (const std::size_t id = name.find("[CALL_ID]"); id != std::string::npos)
                call.id = name.substr(id + 9);
            call.arguments = pythonStrip(in.before("[TOOL_CALLS]"));
            if (!isJson(call.arguments))
                return departs("the arguments of a call are no JSON");
            reply.calls.push_back(std::move(call));
            continue;
        }
        const auto list = Json::parse(pythonStrip(in.before("[TOOL_CALLS]")));
        if (!list || !list->isArray())
            return departs("the calls are no JSON list");
        for (const Json& call : list->items())
            FL_DO(addJsonCall(call.dump(), reply));
    }
    return Done{};
}

// <minimax:tool_call><invoke name="NAME"><parameter name="KEY">VALUE</parameter></invoke></…>
Status readMiniMax(std::string_view tail, Reply& reply) {
    Marks in(tail);
    FL_DO(in.expect("<minimax:tool_call>"));
    for (in.skipSpace(); in.skip("<invoke name=\""); in.skipSpace()) {
        ReplyCall call;
        FL_TRY(call.name, in.until("\">"));
        ArgumentText arguments;
        for (in.skipSpace(); in.skip("<parameter name=\""); in.skipSpace()) {
            FL_TRY(const std::string key, in.until("\">"));
            FL_TRY(const std::string value, in.until("</parameter>"));
            FL_DO(arguments.add(key, value, !isJson(value)));
        }
        FL_DO(in.expect("</invoke>"));
        call.arguments = arguments.take();
        reply.calls.push_back(std::move(call));
    }
    FL_DO(in.expect("</minimax:tool_call>"));
    reply.content += in.rest();
    return Done{};
}

constexpr std::string_view kEos = "<｜end▁of▁sentence｜>";

// As strict as DeepSeek's own parser: a line feed behind each tag, the end of sentence behind all.
Status readDsml(std::string_view tail, const std::string& block, Reply& reply) {
    for (const std::string* text : {&reply.reasoning, &reply.content}) {
        for (const std::string_view token :
             {std::string_view("<｜begin▁of▁sentence｜>"), kEos, std::string_view("<think>"),
              std::string_view("</think>"), std::string_view("｜DSML｜")}) {
            if (text->find(token) != std::string::npos)
                return departs(fmt::format("unexpected special token '{}' in content", token));
        }
    }
    Marks in(tail);
    if (in.skip("\n\n<｜DSML｜" + block)) {
        FL_DO(in.expect(">\n"));
        while (in.skip("<｜DSML｜invoke name=\"")) {
            ReplyCall call;
            FL_TRY(call.name, in.until("\">\n"));
            ArgumentText arguments;
            (void)in.skip("\n");
            while (in.skip("<｜DSML｜parameter name=\"")) {
                FL_TRY(const std::string key, in.until("\" string=\""));
                const bool isText = in.skip("true\">");
                if (!isText)
                    FL_DO(in.expect("false\">"));
                FL_TRY(const std::string value, in.until("</｜DSML｜parameter>\n"));
                FL_DO(arguments.add(key, value, isText));
            }
            FL_DO(in.expect("</｜DSML｜invoke>\n"));
            call.arguments = arguments.take();
            reply.calls.push_back(std::move(call));
        }
        FL_DO(in.expect("</｜DSML｜" + block + ">"));
    }
    FL_DO(in.expect(kEos));
    return in.atEnd() ? Status(Done{}) : departs("unexpected content at the end");
}

Status readDeepSeekV32(std::string_view tail, Reply& reply) {
    return readDsml(tail, "function_calls", reply);
}
Status readDeepSeekV4(std::string_view tail, Reply& reply) {
    return readDsml(tail, "tool_calls", reply);
}

std::string unescapedAttribute(std::string text) {
    for (std::size_t at = 0; (at = text.find('&', at)) != std::string::npos; ++at) {
        if (text.compare(at, 6, "&quot;") == 0)
            text.replace(at, 6, "\"");
        else if (text.compare(at, 5, "&amp;") == 0)
            text.replace(at, 5, "&");
    }
    return text;
}

// <|open|>call tool="NAME" index="1"<|sep|> … in the tools part of a message
Status readKimiK3(std::string_view tail, Reply& reply) {
    Marks in(tail);
    FL_DO(in.expect("<|close|>response<|sep|>"));
    if (in.skip("<|open|>tools<|sep|>")) {
        while (in.skip("<|open|>call tool=\"")) {
            ReplyCall call;
            FL_TRY(const std::string name, in.until("\" index=\""));
            call.name = unescapedAttribute(name);
            FL_TRY(call.id, in.until("\"<|sep|>"));
            ArgumentText arguments;
            while (in.skip("<|open|>argument key=\"")) {
                FL_TRY(const std::string key, in.until("\" type=\""));
                FL_TRY(const std::string type, in.until("\"<|sep|>"));
                FL_TRY(const std::string value, in.until("<|close|>argument<|sep|>"));
                FL_DO(arguments.add(unescapedAttribute(key), value, type == "string"));
            }
            call.arguments = arguments.take();
            if (in.skip("<|open|>json type=\"object\"<|sep|>")) {
                FL_TRY(call.arguments, in.until("<|close|>json<|sep|>"));
            }
            FL_DO(in.expect("<|close|>call<|sep|>"));
            reply.calls.push_back(std::move(call));
        }
        FL_DO(in.expect("<|close|>tools<|sep|>"));
    }
    FL_DO(in.expect("<|close|>message<|sep|>"));
    (void)in.skip("<|end_of_msg|>");
    return in.atEnd() ? Status(Done{}) : departs("unexpected content at the end");
}

constexpr ReplyFormat kFormats[] = {
    {"deepseek-v4",
     {"｜DSML｜tool_calls", ""},
     "<think>",
     "</think>",
     "\n\n<｜DSML｜tool_calls",
     readDeepSeekV4,
     false,
     true},
    {"deepseek-v3.2",
     {"｜DSML｜function_calls", ""},
     "<think>",
     "</think>",
     "\n\n<｜DSML｜function_calls",
     readDeepSeekV32,
     false,
     true},
    {"kimi-k3",
     {"<|end_of_msg|>", "<|sep|>"},
     "<|open|>think<|sep|>",
     "<|close|>think<|sep|><|open|>response<|sep|>",
     "<|close|>response<|sep|>",
     readKimiK3,
     false,
     true},
    {"harmony", {"<|channel|>", "<|message|>"}, "", "", "", nullptr, false, true},
    {"deepseek-v3.1",
     {"<｜tool▁calls▁begin｜>", "<｜tool▁sep｜>"},
     "<think>",
     "</think>",
     "<｜tool▁calls▁begin｜>",
     readDeepSeekV31},
    {"kimi-k2",
     {"<|tool_calls_section_begin|>", ""},
     "<think>",
     "</think>",
     "<|tool_calls_section_begin|>",
     readKimiK2},
    {"minimax",
     {"minimax:tool_call", "<invoke name="},
     "<think>",
     "</think>",
     "<minimax:tool_call>",
     readMiniMax},
    {"qwen-xml", {"<tool_call>", "<function="}, "<think>", "</think>", "<tool_call>", readQwenXml},
    {"glm", {"<tool_call>", "<arg_key>"}, "<think>", "</think>", "<tool_call>", readGlm},
    {"hermes", {"<tool_call>", "arguments"}, "<think>", "</think>", "<tool_call>", readHermes},
    {"mistral", {"[TOOL_CALLS]", ""}, "[THINK]", "[/THINK]", "[TOOL_CALLS]", readMistral},
    {"think", {"<think>", ""}, "<think>", "</think>", "", nullptr},
    {"raw", {"", ""}, "", "", "", nullptr, false},
};

}  // namespace

const ReplyFormat& replyFormatNamed(std::string_view name) {
    for (const ReplyFormat& format : kFormats) {
        if (format.name == name)
            return format;
    }
    return kFormats[std::size(kFormats) - 1];
}

std::string replyFormat(std::string_view chatTemplate) {
    for (const ReplyFormat& format : kFormats) {
        if (chatTemplate.find(format.marks[0]) != std::string_view::npos &&
            chatTemplate.find(format.marks[1]) != std::string_view::npos)
            return std::string(format.name);
    }
    return "raw";
}

}  // namespace fl::tokenizer
