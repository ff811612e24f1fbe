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
    using Sink = std::function<void(std::string_view piece)>;

    // The `pre_tokenizer` of a tokenizer.json. Byte-level BPE needs a ByteLevel at its end; any
    // other type, and anything after the ByteLevel, is an error that names it.
    static Result<PreTokenizer> fromJson(const Json& description);
    // Splits one after the other, each isolating its matches (tokenizer.ggml.pre).
    static Result<PreTokenizer> fromPatterns(const std::vector<std::string>& patterns);

    // Hands out the pieces in order, none empty. `text` is valid UTF-8.
    Status split(std::string_view text, const Sink& sink) const;

private:
    struct Stage {
        // Puts a space before a piece that has none (ByteLevel's add_prefix_space).
        bool prefixSpace = false;
        std::vector<Pattern> pattern;  // none or one
        SplitBehavior behavior = SplitBehavior::Isolated;
        bool invert = false;
    };

    Status add(const Json& description);
    Status addSplit(const Json& description);
    Status addPattern(const std::string& regex, SplitBehavior behavior);
    Status run(std::string_view text,
               std::size_t offset,
               std::size_t stageIndex,
               const Sink& sink) const;

    std::vector<Stage> stages_;
    bool byteLevel_ = false;
};

// The pieces that `behavior` makes of a text of `size` bytes with these matches.
std::vector<Span> splitSpans(const std::vector<Span>& matches,
                             std::size_t size,
                             SplitBehavior behavior,
                             bool invert);

}  // namespace fl::tokenizer
