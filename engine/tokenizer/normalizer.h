// SPDX-License-Identifier: Apache-2.0
// What happens to a text before it is split: the `normalizer` of a tokenizer.json.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/json.h"
#include "engine/base/result.h"
#include "engine/tokenizer/charsmap.h"
#include "engine/tokenizer/pattern.h"
#include "engine/tokenizer/unicode.h"

namespace fl::tokenizer {

class Normalizer {
public:
    // Null changes nothing. An unknown type is an error that names it.
    static Result<Normalizer> fromJson(const Json& description);
    static Normalizer form(NormalForm form);

    bool empty() const { return steps_.empty(); }
    // `text` is valid UTF-8.
    Result<std::string> run(std::string_view text) const;

private:
    enum class Kind : std::uint8_t {
        Form,
        Lowercase,
        Strip,
        StripAccents,
        Replace,
        Prepend,
        Precompiled,
        Nmt,
    };
    struct Step {
        Kind kind = Kind::Form;
        NormalForm form = NormalForm::NFC;
        std::string content;  // what is put in
        std::string literal;  // what it replaces, or else `pattern`
        std::vector<Pattern> pattern = {};
        bool left = false;
        bool right = false;
        std::vector<Charsmap> charsmap = {};  // none or one
    };

    Status add(const Json& description);
    Status addReplace(const Json& description);
    Status addCharsmap(const Json& description);
    static Result<std::string> apply(const Step& step, std::string_view text);

    std::vector<Step> steps_;
};

// Every `from` in `text` becomes `to`.
std::string replaced(std::string_view text, std::string_view from, std::string_view to);

}  // namespace fl::tokenizer
