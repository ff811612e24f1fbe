// SPDX-License-Identifier: Apache-2.0
// Filters that lay text out.
#include <algorithm>

#include <fmt/core.h>

#include "engine/tokenizer/template_runtime.h"
#include "engine/tokenizer/template_strings.h"
#include "engine/tokenizer/unicode.h"
#include "engine/tokenizer/utf8.h"

namespace fl::tokenizer::jinja {

namespace {

Result<Value> made(Runtime& runtime, std::string text) {
    FL_DO(runtime.grow(static_cast<std::int64_t>(text.size())));
    return Value(std::move(text));
}

// Unlike str.title(), a word goes on over an apostrophe.
Result<Value> title(Runtime& runtime, const Value& input, const Arguments& /*none*/) {
    std::string out;
    bool inWord = false;
    for (const char32_t code : toCodePoints(toStr(input))) {
        appendUtf8(out, inWord ? lowerOf(code) : titleOf(code));
        inWord =
            !isSpace(code) && std::u32string_view(U"-({[<").find(code) == std::u32string_view::npos;
    }
    return made(runtime, std::move(out));
}

Result<Value> center(Runtime& runtime, const Value& input, const Arguments& arguments) {
    Arguments width;
    width.positional.emplace_back(arguments.integer(0, "width", 80));
    return stringMethod(runtime, Value(toStr(input)), "center", width);
}

Result<Value> indent(Runtime& runtime, const Value& input, const Arguments& arguments) {
    const Value* width = arguments.get(0, "width");
    const std::int64_t count = std::clamp<std::int64_t>(arguments.integer(0, "width", 4), 0, 1000);
    const std::string margin = width != nullptr && width->isString()
                                   ? width->string()
                                   : std::string(static_cast<std::size_t>(count), ' ');
    const bool first = arguments.flag(1, "first", false);
    const bool blank = arguments.flag(2, "blank", false);
    if (!input.isString())
        return typeError(fmt::format("filter 'indent' needs a text, not {}", input.typeName()));
    const std::string text = toStr(input);
    FL_DO(runtime.grow(static_cast<std::int64_t>(text.size()) +
                       (occurrences(text, "\n") + 1) * static_cast<std::int64_t>(margin.size())));
    // As Jinja: a line feed is put behind the text, which keeps the last line's own.
    std::vector<Value> lines = blank ? splitAt(text, "\n", -1) : splitLines(text + "\n", false);
    std::string out;
    for (std::size_t i = 0; i < lines.size(); ++i) {
        const std::string& line = lines[i].string();
        out += i == 0 ? "" : "\n";
        if (i == 0 ? first : blank || !line.empty())
            out += margin;
        out += line;
    }
    return made(runtime, std::move(out));
}

Result<Value> truncate(Runtime& runtime, const Value& input, const Arguments& arguments) {
    const std::int64_t length = arguments.integer(0, "length", 255);
    const std::u32string end = toCodePoints(arguments.text(2, "end", "..."));
    const std::int64_t leeway = arguments.integer(3, "leeway", 5);
    if (length < static_cast<std::int64_t>(end.size()) || leeway < 0)
        return typeError(fmt::format("expected length >= {}, got {}", end.size(), length));
    if (!input.isString()) {
        FL_TRY(const std::int64_t size, lengthOf(input));
        if (size <= length + leeway)
            return input;
        return typeError(fmt::format("filter 'truncate' needs a text, not {}", input.typeName()));
    }
    const std::u32string text = toCodePoints(input.string());
    const auto size = static_cast<std::int64_t>(text.size());
    if (size - leeway <= length)
        return input;
    std::u32string kept = text.substr(0, static_cast<std::size_t>(length) - end.size());
    if (!arguments.flag(1, "killwords", false)) {
        const std::size_t space = kept.rfind(U' ');
        kept = kept.substr(0, space == std::u32string::npos ? kept.size() : space);
    }
    return made(runtime, fromCodePoints(kept + end));
}

Result<Value> wordcount(Runtime& /*runtime*/, const Value& input, const Arguments& /*none*/) {
    std::int64_t count = 0;
    bool inWord = false;
    for (const char32_t code : toCodePoints(toStr(input))) {
        const bool isWord = isWordCharacter(code);
        count += isWord && !inWord ? 1 : 0;
        inWord = isWord;
    }
    return Value(count);
}

// One paragraph broken as textwrap does: words and white space in turn, as many as fit.
class Wrapper {
public:
    Wrapper(std::int64_t width, bool breakLong, bool breakHyphens)
        : width_(static_cast<std::size_t>(width)),
          breakLong_(breakLong),
          breakHyphens_(breakHyphens) {}

    std::vector<std::u32string> wrap(std::u32string_view text) {
        std::vector<std::u32string_view> chunks = chunksOf(text);
        std::reverse(chunks.begin(), chunks.end());
        std::vector<std::u32string> lines;
        while (!chunks.empty()) {
            if (isBlank(chunks.back()) && !lines.empty())
                chunks.pop_back();
            std::vector<std::u32string_view> parts = nextLine(chunks);
            // One piece of white space is dropped, which a cut of no width counts as.
            if (!parts.empty() && isBlank(parts.back()))
                parts.pop_back();
            std::u32string line;
            for (const std::u32string_view part : parts)
                line += part;
            if (!parts.empty())
                lines.push_back(std::move(line));
        }
        return lines;
    }

private:
    static bool isBlank(std::u32string_view chunk) {
        return std::all_of(chunk.begin(), chunk.end(), isSpace);
    }

    std::vector<std::u32string_view> chunksOf(std::u32string_view text) const {
        std::vector<std::u32string_view> chunks;
        for (std::size_t at = 0; at < text.size();) {
            std::size_t end = at + 1;
            const bool space = isSpace(text[at]);
            while (end < text.size() && isSpace(text[end]) == space) {
                const bool hyphen = breakHyphens_ && !space && text[end - 1] == U'-' && end >= 2 &&
                                    end - 1 > at && isLetter(text[end - 2]) && isLetter(text[end]);
                if (hyphen)
                    break;
                ++end;
            }
            chunks.push_back(text.substr(at, end - at));
            at = end;
        }
        return chunks;
    }

    std::vector<std::u32string_view> nextLine(std::vector<std::u32string_view>& chunks) const {
        std::vector<std::u32string_view> line;
        std::size_t used = 0;
        while (!chunks.empty() && used + chunks.back().size() <= width_) {
            used += chunks.back().size();
            line.push_back(chunks.back());
            chunks.pop_back();
        }
        if (chunks.empty() || chunks.back().size() <= width_)
            return line;
        const std::size_t room = width_ - used;
        if (breakLong_) {
            std::u32string_view& word = chunks.back();
            std::size_t end = room;
            // A long word breaks behind a hyphen if one is in reach.
            if (breakHyphens_ && word.size() > room && room > 0) {
                const std::size_t hyphen = word.rfind(U'-', room - 1);
                if (hyphen != std::u32string_view::npos && hyphen > 0 &&
                    word.find_first_not_of(U'-') < hyphen)
                    end = hyphen + 1;
            }
            line.push_back(word.substr(0, end));
            word.remove_prefix(end);
        } else if (line.empty()) {
            line.push_back(chunks.back());
            chunks.pop_back();
        }
        return line;
    }

    std::size_t width_;
    bool breakLong_;
    bool breakHyphens_;
};

Result<Value> wordwrap(Runtime& runtime, const Value& input, const Arguments& arguments) {
    const std::int64_t width = arguments.integer(0, "width", 79);
    if (width < 1)
        return typeError(fmt::format("invalid width {} (must be > 0)", width));
    if (!input.isString())
        return typeError(fmt::format("filter 'wordwrap' needs a text, not {}", input.typeName()));
    const std::string wrap = arguments.text(2, "wrapstring", "\n");
    const std::string text = toStr(input);
    // Every character may stand on a line of its own.
    const std::int64_t breaks =
        static_cast<std::int64_t>(text.size()) / width + occurrences(text, " ") + 1;
    FL_DO(runtime.grow(static_cast<std::int64_t>(text.size()) * 16 +
                       breaks * static_cast<std::int64_t>(wrap.size())));
    Wrapper wrapper(width, arguments.flag(1, "break_long_words", true),
                    arguments.flag(3, "break_on_hyphens", true));
    std::string out;
    bool first = true;
    for (const Value& paragraph : splitLines(text, false)) {
        out += first ? "" : wrap;
        first = false;
        bool begins = true;
        for (const std::u32string& line : wrapper.wrap(toCodePoints(paragraph.string()))) {
            out += begins ? "" : wrap;
            begins = false;
            out += fromCodePoints(line);
        }
    }
    return made(runtime, std::move(out));
}

constexpr NamedFilter kFilters[] = {
    {"center", center, "width"},
    {"indent", indent, "width,first,blank"},
    {"title", title},
    {"truncate", truncate, "length,killwords,end,leeway"},
    {"wordcount", wordcount},
    {"wordwrap", wordwrap, "width,break_long_words,wrapstring,break_on_hyphens"},
};

}  // namespace

std::span<const NamedFilter> textFilters() {
    return kFilters;
}

}  // namespace fl::tokenizer::jinja
