// SPDX-License-Identifier: Apache-2.0
#include "engine/tokenizer/pre_tokenizer.h"

#include <algorithm>
#include <utility>

#include <fmt/core.h>

namespace fl::tokenizer {

const char* const kGpt2Pattern =
    R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)";

namespace {

struct Part {
    Span span;
    bool isMatch = false;
};

std::vector<Part> cover(const std::vector<Span>& matches, std::size_t size, bool invert) {
    std::vector<Part> parts;
    std::size_t at = 0;
    for (const Span& match : matches) {
        if (match.begin > at)
            parts.push_back({{at, match.begin}, invert});
        parts.push_back({match, !invert});
        at = match.end;
    }
    if (at < size)
        parts.push_back({{at, size}, invert});
    return parts;
}

std::vector<Span> mergedWithPrevious(const std::vector<Part>& parts) {
    std::vector<Span> out;
    bool previousMatch = false;
    for (const Part& part : parts) {
        if (part.isMatch && !previousMatch && !out.empty())
            out.back().end = part.span.end;
        else
            out.push_back(part.span);
        previousMatch = part.isMatch;
    }
    return out;
}

std::vector<Span> mergedWithNext(const std::vector<Part>& parts) {
    std::vector<Span> out;
    bool previousMatch = false;
    for (auto part = parts.rbegin(); part != parts.rend(); ++part) {
        if (part->isMatch && !previousMatch && !out.empty())
            out.back().begin = part->span.begin;
        else
            out.push_back(part->span);
        previousMatch = part->isMatch;
    }
    std::reverse(out.begin(), out.end());
    return out;
}

Result<SplitBehavior> behaviorOf(const std::string& name) {
    static constexpr std::pair<const char*, SplitBehavior> kNames[] = {
        {"Removed", SplitBehavior::Removed},
        {"Isolated", SplitBehavior::Isolated},
        {"MergedWithPrevious", SplitBehavior::MergedWithPrevious},
        {"MergedWithNext", SplitBehavior::MergedWithNext},
        {"Contiguous", SplitBehavior::Contiguous},
    };
    for (const auto& [known, behavior] : kNames) {
        if (name == known)
            return behavior;
    }
    return Error{ErrorCode::Unsupported,
                 fmt::format("pre_tokenizer Split has the unknown behavior '{}'", name)};
}

}  // namespace

std::vector<Span> splitSpans(const std::vector<Span>& matches,
                             std::size_t size,
                             SplitBehavior behavior,
                             bool invert) {
    const std::vector<Part> parts = cover(matches, size, invert);
    if (behavior == SplitBehavior::MergedWithPrevious)
        return mergedWithPrevious(parts);
    if (behavior == SplitBehavior::MergedWithNext)
        return mergedWithNext(parts);
    std::vector<Span> out;
    for (std::size_t i = 0; i < parts.size(); ++i) {
        const Part& part = parts[i];
        if (behavior == SplitBehavior::Removed && part.isMatch)
            continue;
        if (behavior == SplitBehavior::Contiguous && i > 0 && parts[i - 1].isMatch == part.isMatch)
            out.back().end = part.span.end;
        else
            out.push_back(part.span);
    }
    return out;
}

Result<PreTokenizer> PreTokenizer::fromJson(const Json& description) {
    PreTokenizer made;
    if (!description.isNull())
        FL_DO(made.add(description));
    if (!made.byteLevel_)
        return Error{ErrorCode::Unsupported,
                     "pre_tokenizer has no ByteLevel: this is not a byte-level BPE, the only kind "
                     "that is supported"};
    return made;
}

Result<PreTokenizer> PreTokenizer::fromPatterns(const std::vector<std::string>& patterns) {
    PreTokenizer made;
    for (const std::string& pattern : patterns)
        FL_DO(made.addPattern(pattern, SplitBehavior::Isolated));
    made.byteLevel_ = true;
    return made;
}

Status PreTokenizer::addPattern(const std::string& regex, SplitBehavior behavior) {
    FL_TRY(Pattern pattern, Pattern::regex(regex));
    Stage stage;
    stage.pattern.push_back(std::move(pattern));
    stage.behavior = behavior;
    stages_.push_back(std::move(stage));
    return Done{};
}

Status PreTokenizer::add(const Json& description) {
    const std::string& type = description["type"].string();
    if (type == "Sequence") {
        for (const Json& part : description["pretokenizers"].items())
            FL_DO(add(part));
        return Done{};
    }
    // ByteLevel turns text into the byte alphabet; a split behind it would see those characters.
    if (byteLevel_)
        return Error{ErrorCode::Unsupported,
                     fmt::format("pre_tokenizer '{}' after ByteLevel is not supported", type)};
    if (type == "Split")
        return addSplit(description);
    if (type == "Digits") {
        const bool single = description["individual_digits"].boolean();
        return addPattern("\\p{N}", single ? SplitBehavior::Isolated : SplitBehavior::Contiguous);
    }
    if (type != "ByteLevel")
        return Error{ErrorCode::Unsupported,
                     fmt::format("pre_tokenizer '{}' is not supported (known: ByteLevel, Digits, "
                                 "Sequence, Split)",
                                 type)};
    byteLevel_ = true;
    if (description["add_prefix_space"].boolean(true)) {
        stages_.emplace_back();
        stages_.back().prefixSpace = true;
    }
    if (description["use_regex"].boolean(true))
        FL_DO(addPattern(kGpt2Pattern, SplitBehavior::Isolated));
    return Done{};
}

Status PreTokenizer::addSplit(const Json& description) {
    const Json& pattern = description["pattern"];
    const Json* regex = pattern.find("Regex");
    const Json* text = pattern.find("String");
    if (regex == nullptr && text == nullptr)
        return Error{ErrorCode::Corrupt,
                     "pre_tokenizer Split has neither a Regex nor a String pattern"};
    FL_TRY(const SplitBehavior behavior, behaviorOf(description["behavior"].string()));
    FL_TRY(Pattern compiled,
           regex != nullptr ? Pattern::regex(regex->string()) : Pattern::literal(text->string()));
    Stage stage;
    stage.pattern.push_back(std::move(compiled));
    stage.behavior = behavior;
    stage.invert = description["invert"].boolean();
    stages_.push_back(std::move(stage));
    return Done{};
}

Status PreTokenizer::split(std::string_view text, const Sink& sink) const {
    return run(text, 0, 0, sink);
}

Status PreTokenizer::run(std::string_view text,
                         std::size_t offset,
                         std::size_t stageIndex,
                         const Sink& sink) const {
    if (text.empty())
        return Done{};
    if (stageIndex == stages_.size()) {
        sink(text);
        return Done{};
    }
    const Stage& stage = stages_[stageIndex];
    if (stage.prefixSpace) {
        if (text.front() == ' ')
            return run(text, offset, stageIndex + 1, sink);
        return run(" " + std::string(text), offset, stageIndex + 1, sink);
    }
    FL_TRY(const std::vector<Span> matches, stage.pattern.front().matches(text, offset));
    for (const Span& span : splitSpans(matches, text.size(), stage.behavior, stage.invert)) {
        FL_DO(run(text.substr(span.begin, span.end - span.begin), offset + span.begin,
                  stageIndex + 1, sink));
    }
    return Done{};
}

}  // namespace fl::tokenizer
