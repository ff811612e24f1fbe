// SPDX-License-Identifier: Apache-2.0
#include "engine/tokenizer/pre_tokenizer.h"

#include <algorithm>
#include <utility>

#include <fmt/core.h>

#include "engine/tokenizer/normalizer.h"

namespace fl::tokenizer {

const char* const kGpt2Pattern =
    R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)";

namespace {

constexpr std::size_t kMaxStages = 64;  // published ones have up to four

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
    return made;
}

Result<PreTokenizer> PreTokenizer::fromPatterns(const std::vector<std::string>& patterns) {
    PreTokenizer made;
    for (const std::string& pattern : patterns)
        FL_DO(made.addPattern(pattern, SplitBehavior::Isolated));
    made.byteLevel_ = true;
    return made;
}

Status PreTokenizer::addPattern(const std::string& regex, SplitBehavior behavior, bool invert) {
    FL_TRY(Pattern pattern, Pattern::regex(regex));
    Stage stage;
    stage.pattern.push_back(std::move(pattern));
    stage.behavior = behavior;
    stage.invert = invert;
    stages_.push_back(std::move(stage));
    return Done{};
}

Status PreTokenizer::add(const Json& description) {
    if (stages_.size() >= kMaxStages)
        return Error{ErrorCode::Corrupt,
                     fmt::format("the pre_tokenizer has more than {} stages", kMaxStages)};
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
    if (type == "Metaspace")
        return addMetaspace(description);
    if (type == "Digits") {
        const bool single = description["individual_digits"].boolean();
        return addPattern("\\p{N}", single ? SplitBehavior::Isolated : SplitBehavior::Contiguous);
    }
    if (type == "Whitespace")
        return addPattern(
            R"([\p{Alphabetic}\p{M}\p{Nd}\p{Pc}]+|[^\p{Alphabetic}\p{M}\p{Nd}\p{Pc}\s]+)",
            SplitBehavior::Removed, true);
    if (type == "WhitespaceSplit")
        return addPattern("\\s", SplitBehavior::Removed);
    if (type == "Punctuation") {
        const Json* name = description.find("behavior");
        FL_TRY(const SplitBehavior behavior,
               behaviorOf(name != nullptr ? name->string() : "Isolated"));
        return addPattern(R"([\p{P}$+<=>^`|~])", behavior);
    }
    if (type != "ByteLevel")
        return Error{ErrorCode::Unsupported,
                     fmt::format("pre_tokenizer '{}' is not supported (known: ByteLevel, Digits, "
                                 "Metaspace, Punctuation, Sequence, Split, Whitespace, "
                                 "WhitespaceSplit)",
                                 type)};
    return addByteLevel(description);
}

Status PreTokenizer::addByteLevel(const Json& description) {
    byteLevel_ = true;
    if (description["add_prefix_space"].boolean(true)) {
        Stage stage;
        stage.kind = Kind::PrefixSpace;
        stage.mark = " ";
        stage.prepend = Prepend::Always;
        stages_.push_back(std::move(stage));
    }
    if (description["use_regex"].boolean(true))
        FL_DO(addPattern(kGpt2Pattern, SplitBehavior::Isolated));
    return Done{};
}

Status PreTokenizer::addMetaspace(const Json& description) {
    Stage stage;
    stage.kind = Kind::Metaspace;
    stage.mark = description["replacement"].string();
    if (stage.mark.empty())
        return Error{ErrorCode::Corrupt, "pre_tokenizer Metaspace has no replacement"};
    const std::string& scheme = description["prepend_scheme"].string();
    if (scheme.empty())
        stage.prepend =
            description["add_prefix_space"].boolean(true) ? Prepend::Always : Prepend::Never;
    else if (scheme == "always" || scheme == "first")
        stage.prepend = scheme == "first" ? Prepend::First : Prepend::Always;
    else if (scheme != "never")
        return Error{
            ErrorCode::Unsupported,
            fmt::format("pre_tokenizer Metaspace has the unknown prepend_scheme '{}'", scheme)};
    stage.cuts = description["split"].boolean(true);
    stages_.push_back(std::move(stage));
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

// One text on its way through the stages.
class PreTokenizer::Run {
public:
    Run(const std::vector<Stage>& stages, const Sink& sink) : stages_(stages), sink_(sink) {
        matchers_.reserve(stages.size());
        for (const Stage& stage : stages) {
            if (stage.kind == Kind::Split)
                matchers_.emplace_back(stage.pattern.front());
            matcherOf_.push_back(matchers_.size() - 1);
        }
    }

    // A stretch of text, the same with only the characters that patterns know, and where it stands.
    struct Stretch {
        std::string_view text;
        std::string_view known;
        std::size_t offset = 0;
        bool isFirst = false;

        Stretch part(Span span) const {
            const std::size_t size = span.end - span.begin;
            return {text.substr(span.begin, size), known.substr(span.begin, size),
                    offset + span.begin, isFirst && span.begin == 0};
        }
    };

    Status stage(const Stretch& stretch, std::size_t index) {
        if (stretch.text.empty())
            return Done{};
        if (index == stages_.size())
            return sink_(stretch.text);
        const Stage& stage = stages_[index];
        if (stage.kind != Kind::Split)
            return marked(stretch, index);
        Pattern::Matcher& matcher = matchers_[matcherOf_[index]];
        if (stage.behavior == SplitBehavior::Isolated || stage.behavior == SplitBehavior::Removed)
            return asTheyCome(stretch, index, matcher);
        std::vector<Span> matches;
        const auto collect = [&](Span span) -> Status {
            matches.push_back(span);
            return Done{};
        };
        FL_DO(matcher.each(stretch.known, stretch.offset, collect));
        for (const Span& span :
             splitSpans(matches, stretch.text.size(), stage.behavior, stage.invert))
            FL_DO(this->stage(stretch.part(span), index + 1));
        return Done{};
    }

private:
    Status asTheyCome(const Stretch& stretch, std::size_t index, Pattern::Matcher& matcher) {
        const Stage& stage = stages_[index];
        const bool keepsMatches = stage.behavior == SplitBehavior::Isolated || stage.invert;
        const bool keepsGaps = stage.behavior == SplitBehavior::Isolated || !stage.invert;
        std::size_t done = 0;
        const auto take = [&](Span match) -> Status {
            if (keepsGaps && match.begin > done)
                FL_DO(this->stage(stretch.part({done, match.begin}), index + 1));
            done = match.end;
            return keepsMatches ? this->stage(stretch.part(match), index + 1) : Status(Done{});
        };
        FL_DO(matcher.each(stretch.known, stretch.offset, take));
        if (keepsGaps && done < stretch.text.size())
            return this->stage(stretch.part({done, stretch.text.size()}), index + 1);
        return Done{};
    }

    // Puts the mark in front and, with Metaspace, for each space, then cuts before each mark.
    Status marked(const Stretch& stretch, std::size_t index) {
        const Stage& stage = stages_[index];
        std::string text(stretch.text);
        std::string known(stretch.known);
        if (stage.kind == Kind::Metaspace) {
            text = replaced(text, " ", stage.mark);
            known = replaced(known, " ", stage.mark);
        }
        if (!text.starts_with(stage.mark) &&
            (stage.prepend == Prepend::Always ||
             (stage.prepend == Prepend::First && stretch.isFirst))) {
            text.insert(0, stage.mark);
            known.insert(0, stage.mark);
        }
        const Stretch whole{text, known, stretch.offset, stretch.isFirst};
        if (stage.kind == Kind::PrefixSpace || !stage.cuts)
            return this->stage(whole, index + 1);
        for (std::size_t at = 0; at < text.size();) {
            const std::size_t next = std::min(text.find(stage.mark, at + 1), text.size());
            FL_DO(this->stage(whole.part({at, next}), index + 1));
            at = next;
        }
        return Done{};
    }

    const std::vector<Stage>& stages_;
    const Sink& sink_;
    std::vector<Pattern::Matcher> matchers_;
    std::vector<std::size_t> matcherOf_;  // by stage
};

Status PreTokenizer::split(std::string_view text, bool isFirst, const Sink& sink) const {
    if (stages_.empty())
        return text.empty() ? Status(Done{}) : sink(text);
    const std::string known = withKnownCharacters(text);
    return Run(stages_, sink)
        .stage({text, known.empty() ? text : std::string_view(known), 0, isFirst}, 0);
}

}  // namespace fl::tokenizer
