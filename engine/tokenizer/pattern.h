// SPDX-License-Identifier: Apache-2.0
// A split pattern as tokenizer files write it (Oniguruma and Rust regex), run by PCRE2.
//
// Differences between the dialects are translated where they matter, refused where they cannot
// be, and the characters that Unicode 15 and 16 added are matched as ones of the same kind, because
// PCRE2 10.42 knows Unicode 14.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"

namespace fl::tokenizer {

struct Span {
    std::size_t begin = 0;
    std::size_t end = 0;
    bool operator==(const Span& other) const = default;
};

// Immutable, safe from every thread.
class Pattern {
public:
    static Result<Pattern> regex(const std::string& source);
    static Result<Pattern> literal(const std::string& text);

    Pattern(Pattern&&) noexcept;
    Pattern& operator=(Pattern&&) noexcept;
    ~Pattern();

    // Hands out matches. Cheap to use for many texts one after the other; one thread at a time.
    class Matcher {
    public:
        explicit Matcher(const Pattern& pattern);
        Matcher(Matcher&&) noexcept;
        ~Matcher();

        // All matches from left to right that are not empty. `subject` is valid UTF-8 and has only
        // known characters. Fails where one match needs more steps or memory than it may, with
        // `offset` added to the byte it names, or where `sink` does.
        Status each(std::string_view subject,
                    std::size_t offset,
                    const std::function<Status(Span)>& sink);

    private:
        struct Parts;
        std::unique_ptr<Parts> parts_;
    };

    // All of them at once, of any valid UTF-8.
    Result<std::vector<Span>> matches(std::string_view text, std::size_t offset = 0) const;

private:
    struct Code;
    explicit Pattern(std::unique_ptr<Code> code);
    static Result<Pattern> compile(const std::string& source, bool isLiteral);
    std::unique_ptr<Code> code_;
};

// The pattern in PCRE2's dialect, or what in it cannot be said there.
Result<std::string> toPcre(std::string_view source);

// Replaces characters newer than Unicode 14 by older ones of the same category and the same number
// of bytes, and U+180E, which only PCRE2 takes for a space. Returns "" if there are none.
std::string withKnownCharacters(std::string_view text);

}  // namespace fl::tokenizer
