// SPDX-License-Identifier: Apache-2.0
// Any bytes as a tokenizer file of any format: what loads encodes and decodes within bounds, and
// what does not says why.
#include <filesystem>
#include <string>
#include <string_view>

#include <unistd.h>

#include "engine/base/text.h"
#include "engine/tokenizer/tokenizer.h"
#include "tests/fuzz/json_mutator.h"
#include "tests/fuzz/memory_file.h"

namespace {

using namespace fl;

// One folder for the run, in memory where the machine has that.
class Folder {
public:
    Folder() {
        std::error_code problem;
        const bool inMemory = std::filesystem::is_directory("/dev/shm", problem);
        path_ = std::string(inMemory ? "/dev/shm" : "/tmp") + "/fl-fuzz-tokenizer-" +
                std::to_string(::getpid());
        std::filesystem::create_directories(path_, problem);
    }
    ~Folder() {
        std::error_code problem;
        std::filesystem::remove_all(path_, problem);
    }
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;
    const std::string& path() const { return path_; }

private:
    std::string path_;
};

void check(const tokenizer::Tokenizer& tokenizer) {
    using tokenizer::Special;
    const std::string text = "the <s> caf\xC3\xA9 \xE6\xA8\xA1 12 \xF0\x9F\x8F\x81\n  x";
    for (const Special special : {Special::Parse, Special::KeepAdded, Special::Text}) {
        const auto ids = tokenizer.encode(text, {special, true});
        if (!ids) {
            fuzz::require(!ids.error().message.empty());
            continue;
        }
        fuzz::require(ids->size() <= 8 * text.size() + 64);
        (void)tokenizer.decode(*ids, false);
        tokenizer::StreamDecoder stream = tokenizer.stream(true);
        for (const tokenizer::TokenId id : *ids)
            fuzz::require(utf8Fault(stream.push(id)) == std::string_view::npos);
        stream.flush();
    }
    (void)tokenizer.encodeBytes("a\xFF\xE6");
    for (const tokenizer::TokenId id : {-1, 0, 1, 300, 1 << 30})
        (void)(tokenizer.piece(id) + tokenizer.bytes(id));
}

std::string nameFor(const std::string& bytes) {
    if (bytes.starts_with('{'))
        return bytes.find("\"default_num_special_tokens\"") != std::string::npos ? "tekken.json"
                                                                                 : "tokenizer.json";
    return "tokenizer.model";
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string bytes(reinterpret_cast<const char*>(data), size);
    tokenizer::LoadOptions options;
    options.file = nameFor(bytes);
    options.split = "kimi-k2";
    static const Folder folder;
    fuzz::require(writeFile(folder.path() + "/" + options.file, bytes).has_value());
    const auto loaded = tokenizer::Tokenizer::fromFolder(folder.path(), options);
    if (loaded)
        check(*loaded);
    else
        fuzz::require(!loaded.error().message.empty());
    return 0;
}
