// SPDX-License-Identifier: Apache-2.0
// How fast tokenizers load and encode. FIRSTLIGHT_TOKENIZER names a folder,
// FIRSTLIGHT_TOKENIZER_FILE one file in it, FIRSTLIGHT_TEXT a text; otherwise a small tokenizer of
// the tests reads a made-up text. compare_tokenizers.py runs this against the tokenizers library.
#include <cstdlib>
#include <string>

#include <benchmark/benchmark.h>

#include "engine/base/text.h"
#include "engine/tokenizer/tokenizer.h"

namespace {

using namespace fl;

std::string variable(const char* name, const std::string& fallback) {
    const char* value = std::getenv(name);
    return value != nullptr ? value : fallback;
}

tokenizer::Tokenizer load(benchmark::State& state) {
    tokenizer::LoadOptions options;
    options.file = variable("FIRSTLIGHT_TOKENIZER_FILE", "");
    auto loaded = tokenizer::Tokenizer::fromFolder(
        variable("FIRSTLIGHT_TOKENIZER", "tests/data/tokenizer/plain"), options);
    if (!loaded) {
        state.SkipWithError(loaded.error().message.c_str());
        std::abort();
    }
    return *std::move(loaded);
}

std::string text() {
    const std::string path = variable("FIRSTLIGHT_TEXT", "");
    if (!path.empty()) {
        auto content = readFile(path);
        return content ? *std::move(content) : std::string();
    }
    std::string out;
    for (unsigned i = 0; out.size() < 1'000'000; ++i)
        out += "word" + std::to_string(i * 2654435761u) + " and 模型 the rest;\n";
    return out;
}

void Load(benchmark::State& state) {
    for (auto _ : state)
        benchmark::DoNotOptimize(load(state).size());
}
BENCHMARK(Load)->Unit(benchmark::kMillisecond);

void Encode(benchmark::State& state) {
    const tokenizer::Tokenizer tokenizer = load(state);
    const std::string content = text();
    std::size_t tokens = 0;
    for (auto _ : state) {
        const auto ids = tokenizer.encode(content, {});
        tokens = ids ? ids->size() : 0;
    }
    state.SetBytesProcessed(static_cast<std::int64_t>(content.size()) * state.iterations());
    state.counters["tokens"] = static_cast<double>(tokens);
}
BENCHMARK(Encode)->Unit(benchmark::kMillisecond);

// A million equal characters: one piece, the hardest case for merging.
void EncodeOneCharacter(benchmark::State& state) {
    const tokenizer::Tokenizer tokenizer = load(state);
    const std::string content(1'000'000, static_cast<char>(state.range(0)));
    for (auto _ : state)
        benchmark::DoNotOptimize(tokenizer.encode(content, {}));
}
BENCHMARK(EncodeOneCharacter)->Arg('a')->Arg(' ')->Arg('=')->Unit(benchmark::kMillisecond);

void Decode(benchmark::State& state) {
    const tokenizer::Tokenizer tokenizer = load(state);
    const auto ids = tokenizer.encode(text(), {});
    std::size_t bytes = 0;
    for (auto _ : state)
        bytes = ids ? tokenizer.decode(*ids, false).size() : 0;
    state.SetBytesProcessed(static_cast<std::int64_t>(bytes) * state.iterations());
}
BENCHMARK(Decode)->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
