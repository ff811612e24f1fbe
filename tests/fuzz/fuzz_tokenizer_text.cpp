// SPDX-License-Identifier: Apache-2.0
// Any bytes as text for one tokenizer of each kind: byte-level ones give every valid text back, and
// all of them show the same at once and in a stream.
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/text.h"
#include "engine/tokenizer/tokenizer.h"
#include "engine/tokenizer/utf8.h"
#include "tests/fuzz/memory_file.h"

namespace {

using namespace fl;

std::vector<tokenizer::Tokenizer> loadAll() {
    std::vector<tokenizer::Tokenizer> all;
    for (const char* name : {"kinds/ranks", "kinds/tekken", "plain", "kinds/llama", "kinds/gemma",
                             "kinds/metaspace-first", "kinds/words", "kinds/unigram-bytes",
                             "kinds/sp-bpe", "kinds/sp-bpe-plain", "kinds/sp-unigram"}) {
        auto loaded =
            tokenizer::Tokenizer::fromFolder(std::string(FIRSTLIGHT_FUZZ_TOKENIZERS) + "/" + name);
        fuzz::require(loaded.has_value());
        all.push_back(*std::move(loaded));
    }
    return all;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const std::vector<tokenizer::Tokenizer> all = loadAll();
    const std::string text(reinterpret_cast<const char*>(data), size);
    const std::string valid = tokenizer::validUtf8(text);
    for (std::size_t i = 0; i < all.size(); ++i) {
        const auto special = i % 2 == 0 ? tokenizer::Special::Text : tokenizer::Special::Parse;
        const auto ids = all[i].encode(text, {special, false});
        fuzz::require(ids.has_value());
        const std::string decoded = all[i].decode(*ids, false);
        if (i < 2)
            fuzz::require(decoded == valid);
        tokenizer::StreamDecoder stream = all[i].stream(false);
        std::string shown;
        for (const tokenizer::TokenId id : *ids)
            shown += stream.push(id);
        shown += stream.flush();
        // A typed "<0xE4>" is a byte token to some, which libraries replace differently at once.
        fuzz::require(shown == decoded ||
                      decoded.find(tokenizer::kReplacement) != std::string::npos);
        if (i < 2) {
            const auto raw = all[i].encodeBytes(text);
            fuzz::require(raw.has_value());
            std::string back;
            for (const tokenizer::TokenId id : *raw)
                back += all[i].bytes(id);
            fuzz::require(back == text);
        }
    }
    return 0;
}
