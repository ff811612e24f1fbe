// SPDX-License-Identifier: Apache-2.0
#include "engine/tokenizer/normalizer.h"

#include <span>
#include <utility>

#include <fmt/core.h>

#include "engine/base/base64.h"
#include "engine/tokenizer/utf8.h"

namespace fl::tokenizer {

namespace {

constexpr std::size_t kMaxSteps = 64;  // published ones have up to six
// No text becomes this many times as long, and some more, by rules that are meant.
constexpr std::size_t kMaxGrowth = 64;
constexpr std::size_t kSmallText = std::size_t{1} << 20;

std::string stripped(std::string_view text, bool left, bool right) {
    std::size_t begin = 0;
    std::size_t end = 0;  // behind the last character that is no space
    bool inside = !left;
    for (std::size_t at = 0; at < text.size();) {
        const Utf8Char next = decodeUtf8(text, at);
        if (!isSpace(next.code)) {
            begin = inside ? begin : at;
            inside = true;
            end = at + next.bytes;
        }
        at += next.bytes;
    }
    if (!inside)
        return {};
    end = right ? std::max(end, begin) : text.size();
    return std::string(text.substr(begin, end - begin));
}

// The rules of machine translation: controls vanish, odd spaces become spaces.
std::string nmt(std::string_view text) {
    std::string out;
    for (std::size_t at = 0; at < text.size();) {
        const Utf8Char next = decodeUtf8(text, at);
        const char32_t c = next.code;
        const bool vanishes = (c >= 0x1 && c <= 0x8) || c == 0xB || (c >= 0xE && c <= 0x1F) ||
                              c == 0x7F || c == 0x8F || c == 0x9F;
        const bool isOddSpace = c == 0x9 || c == 0xA || c == 0xC || c == 0xD || c == 0x1680 ||
                                (c >= 0x200B && c <= 0x200F) || c == 0x2028 || c == 0x2029 ||
                                c == 0x2581 || c == 0xFEFF || c == 0xFFFD;
        if (isOddSpace)
            out += ' ';
        else if (!vanishes)
            out += text.substr(at, next.bytes);
        at += next.bytes;
    }
    return out;
}

Result<std::string> replacedMatches(const Pattern& pattern,
                                    std::string_view text,
                                    std::string_view content) {
    FL_TRY(const std::vector<Span> matches, pattern.matches(text));
    std::string out;
    std::size_t done = 0;
    for (const Span& match : matches) {
        out += text.substr(done, match.begin - done);
        out += content;
        done = match.end;
    }
    out += text.substr(done);
    return out;
}

}  // namespace

std::string replaced(std::string_view text, std::string_view from, std::string_view to) {
    std::string out;
    out.reserve(text.size());
    std::size_t done = 0;
    for (std::size_t at = text.find(from); at != std::string_view::npos;
         at = text.find(from, done)) {
        out += text.substr(done, at - done);
        out += to;
        done = at + from.size();
    }
    out += text.substr(done);
    return out;
}

Result<Normalizer> Normalizer::fromJson(const Json& description) {
    Normalizer made;
    if (!description.isNull())
        FL_DO(made.add(description));
    return made;
}

Normalizer Normalizer::form(NormalForm form) {
    Normalizer made;
    made.steps_.emplace_back().form = form;
    return made;
}

Status Normalizer::add(const Json& description) {
    if (steps_.size() >= kMaxSteps)
        return Error{ErrorCode::Corrupt,
                     fmt::format("the normalizer has more than {} steps", kMaxSteps)};
    static constexpr std::pair<const char*, NormalForm> kForms[] = {{"NFC", NormalForm::NFC},
                                                                    {"NFD", NormalForm::NFD},
                                                                    {"NFKC", NormalForm::NFKC},
                                                                    {"NFKD", NormalForm::NFKD}};
    static constexpr std::pair<const char*, Kind> kPlain[] = {{"Lowercase", Kind::Lowercase},
                                                              {"StripAccents", Kind::StripAccents},
                                                              {"Nmt", Kind::Nmt},
                                                              {"Strip", Kind::Strip},
                                                              {"Prepend", Kind::Prepend}};
    const std::string& type = description["type"].string();
    if (type == "Sequence") {
        for (const Json& part : description["normalizers"].items())
            FL_DO(add(part));
        return Done{};
    }
    if (type == "Replace")
        return addReplace(description);
    if (type == "Precompiled")
        return addCharsmap(description);
    for (const auto& [name, form] : kForms) {
        if (type == name) {
            steps_.emplace_back().form = form;
            return Done{};
        }
    }
    for (const auto& [name, kind] : kPlain) {
        if (type != name)
            continue;
        Step& step = steps_.emplace_back();
        step.kind = kind;
        step.content = description["prepend"].string();
        step.left = description["strip_left"].boolean(true);
        step.right = description["strip_right"].boolean(true);
        return Done{};
    }
    return Error{ErrorCode::Unsupported,
                 fmt::format("normalizer '{}' is not supported (known: Lowercase, NFC, NFD, NFKC, "
                             "NFKD, Nmt, Precompiled, Prepend, Replace, Sequence, Strip, "
                             "StripAccents)",
                             type)};
}

Status Normalizer::addReplace(const Json& description) {
    const Json& pattern = description["pattern"];
    Step step;
    step.kind = Kind::Replace;
    step.content = description["content"].string();
    if (const Json* regex = pattern.find("Regex")) {
        FL_TRY(Pattern compiled, Pattern::regex(regex->string()));
        step.pattern.push_back(std::move(compiled));
    } else {
        step.literal = pattern["String"].string();
        if (step.literal.empty())
            return Error{ErrorCode::Corrupt,
                         "normalizer Replace has neither a Regex nor a String pattern"};
    }
    steps_.push_back(std::move(step));
    return Done{};
}

Status Normalizer::addCharsmap(const Json& description) {
    FL_TRY(const std::string blob, decodeBase64(description["precompiled_charsmap"].string()));
    FL_TRY(Charsmap map, Charsmap::parse(blob));
    Step step;
    step.kind = Kind::Precompiled;
    step.charsmap.push_back(std::move(map));
    steps_.push_back(std::move(step));
    return Done{};
}

Result<std::string> Normalizer::apply(const Step& step, std::string_view text) {
    switch (step.kind) {
        case Kind::Form:
            return normalized(text, step.form);
        case Kind::Lowercase:
            return toLowerFully(text);
        case Kind::Strip:
            return stripped(text, step.left, step.right);
        case Kind::StripAccents:
            return withoutMarks(text);
        case Kind::Replace:
            if (!step.pattern.empty())
                return replacedMatches(step.pattern.front(), text, step.content);
            return replaced(text, step.literal, step.content);
        case Kind::Prepend:
            return text.empty() ? std::string() : step.content + std::string(text);
        case Kind::Precompiled:
            return replacedByGraphemes(step.charsmap.front(), text);
        case Kind::Nmt:
            return nmt(text);
    }
    return std::string(text);
}

Result<std::string> Normalizer::run(std::string_view text) const {
    std::string out(text);
    const std::size_t most = kMaxGrowth * text.size() + kSmallText;
    for (const Step& step : steps_) {
        FL_TRY(out, apply(step, out));
        if (out.size() > most)
            return Error{ErrorCode::InvalidArgument,
                         fmt::format("the normalizer makes more than {} bytes of a text of {}",
                                     most, text.size())};
    }
    return out;
}

}  // namespace fl::tokenizer
