// SPDX-License-Identifier: Apache-2.0
#include "engine/base/json_lines.h"

#include <algorithm>

#include "engine/base/json.h"

namespace fl {

namespace {

// Walks through a text that is known to be JSON; depth is bounded by what the parser took.
class Walk {
public:
    Walk(std::string_view text, std::map<std::string, int, std::less<>>& lines)
        : text_(text),
          lines_(lines) {}

    void value(const std::string& path) {
        skipSpace();
        lines_.try_emplace(path, line_);
        if (at('{'))
            object(path);
        else if (at('['))
            array(path);
        else if (at('"'))
            string();
        else
            place_ = std::min(text_.find_first_of(" \t\r\n,]}", place_), text_.size());
    }

private:
    bool at(char c) const { return place_ < text_.size() && text_[place_] == c; }

    void skipSpace() {
        for (; place_ < text_.size(); ++place_) {
            const char c = text_[place_];
            if (c == '\n')
                ++line_;
            else if (c != ' ' && c != '\t' && c != '\r')
                return;
        }
    }

    // The text between the quotes as a key has it; escapes are undone by the parser.
    std::string string() {
        const std::size_t begin = place_++;
        while (place_ < text_.size() && text_[place_] != '"')
            place_ += text_[place_] == '\\' ? 2 : 1;
        place_ = std::min(place_ + 1, text_.size());
        const auto parsed = Json::parse(text_.substr(begin, place_ - begin));
        return parsed ? parsed->string() : "";
    }

    // Behind each member or item: a comma, or the closing bracket.
    bool more(char close) {
        skipSpace();
        const bool goesOn = at(',');
        if (goesOn || at(close))
            ++place_;
        return goesOn;
    }

    bool empty(char close) {
        ++place_;
        skipSpace();
        if (!at(close))
            return false;
        ++place_;
        return true;
    }

    void object(const std::string& path) {
        if (empty('}'))
            return;
        do {
            skipSpace();
            const int line = line_;
            const std::string key = path.empty() ? string() : path + "." + string();
            lines_.try_emplace(key, line);
            skipSpace();
            ++place_;  // the colon
            value(key);
        } while (more('}'));
    }

    void array(const std::string& path) {
        if (empty(']'))
            return;
        std::size_t index = 0;
        do {
            value(path + "[" + std::to_string(index++) + "]");
        } while (more(']'));
    }

    std::string_view text_;
    std::map<std::string, int, std::less<>>& lines_;
    std::size_t place_ = 0;
    int line_ = 1;
};

}  // namespace

JsonLines::JsonLines(std::string_view text) {
    Walk(text, lines_).value("");
}

int JsonLines::line(std::string_view path) const {
    for (;;) {
        if (const auto found = lines_.find(path); found != lines_.end())
            return found->second;
        const std::size_t end = path.find_last_of(".[");
        if (end == std::string_view::npos)
            return 1;
        path = path.substr(0, end);
    }
}

}  // namespace fl
