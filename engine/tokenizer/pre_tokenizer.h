// SPDX-License-Identifier: Apache-2.0
// Cuts normalised text into the pieces that are merged on their own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/json.h"
#include "engine/base/result.h"
#include "engine/tokenizer/pattern.h"

namespace fl::tokenizer {

// What becomes of a match, as the tokenizers library names it.
enum class SplitBehavior : std::uint8_t {
    Removed,
    Isolated,
    MergedWithPrevious,
    MergedWithNext,
    Contiguous,
};

// The pattern of GPT-2, which `ByteLevel` brings along.
extern const char* const kGpt2Pattern;

class PreTokenizer {
public:
    using Sink = std::function<Status(std::string_view piece)>;

    // The `pre_tokenizer` of a tokenizer.json. Any type that is not known, and anything after a
    // ByteLevel, is an error that names it.
    static Result<PreTokenizer> fromJson(const Json& description);
    // Splits one after the other, each isolating its matches.
    static Result<PreTokenizer> fromPatterns(const std::vector<std::string>& patterns);

    // Hands out the pieces in order, none empty, and stops at the first error. `text` is valid
    // UTF-8; `isFirst` says that nothing of the input stands before it.
    Status split(std::string_view text, bool isFirst, const Sink& sink) const;

    bool isByteLevel() const { return byteLevel_; }

private:
    enum class Kind : std::uint8_t {
        Split,
        PrefixSpace,  // a space before a piece that has none (ByteLevel's add_prefix_space)
        Metaspace,
    };
    enum class Prepend : std::uint8_t { Never, First, Always };
    struct Stage {
        Kind kind = Kind::Split;
        std::vector<Pattern> pattern = {};  // of Split: one
        SplitBehavior behavior = SplitBehavior::Isolated;
        bool invert = false;
        std::string mark = {};  // of Metaspace, and the other two
        Prepend prepend = Prepend::Never;
        bool cuts = true;
    };
    class Run;

    Status add(const Json& description);
    Status addByteLevel(const Json& description);
    Status addMetaspace(const Json& description);
    Status addSplit(const Json& description);
    Status addPattern(const std::string& regex, SplitBehavior behavior, bool invert = false);

    std::vector<Stage> stages_;
    bool byteLevel_ = false;
};

// The pieces that `behavior` makes of a text of `size` bytes with these matches.
std::vector<Span> splitSpans(const std::vector<Span>& matches,
                             std::size_t size,
                             SplitBehavior behavior,
                             bool invert);

}  // namespace fl::tokenizer
