// SPDX-License-Identifier: Apache-2.0
// What headers, indexes, whole checkpoints and values cost. Names are as long as those of a large
// mixture of experts, so bytes per second here are those of a real header.
#include <cstdlib>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>
#include <fmt/core.h>

#include "engine/base/json_scanner.h"
#include "engine/checkpoint/checkpoint.h"
#include "engine/checkpoint/safetensors_header.h"
#include "engine/checkpoint/tensor_stats.h"
#include "engine/recipe/model.h"

namespace {

using namespace fl;

std::string headerOf(int tensors) {
    std::string out = R"({"__metadata__":{"format":"pt"})";
    for (int i = 0; i < tensors; ++i) {
        out += fmt::format(
            R"(,"language_model.model.layers.{}.block_sparse_moe.experts.{}.w1.weight_packed":)"
            R"({{"dtype":"U8","shape":[3072,1792],"data_offsets":[{},{}]}})",
            i / 896, i % 896, std::int64_t{5505024} * i, std::int64_t{5505024} * (i + 1));
    }
    return out + "}";
}

void scanJson(benchmark::State& state) {
    const std::string text = headerOf(5000);
    for (auto _ : state) {
        JsonScanner scanner(text);
        while (scanner.next() != JsonScanner::Token::End)
            benchmark::DoNotOptimize(scanner.text().data());
    }
    state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(text.size()));
}

void readHeader(benchmark::State& state) {
    const std::string text = headerOf(5000);
    checkpoint::Shard shard;
    shard.fileName = "m.safetensors";
    shard.dataOffset = 8 + static_cast<std::int64_t>(text.size());
    shard.fileBytes = shard.dataOffset + std::int64_t{5505024} * 5000;
    for (auto _ : state) {
        checkpoint::Inventory inventory;
        checkpoint::FindingList findings;
        checkpoint::SafetensorsHeader header(text, shard, 0, inventory, findings);
        if (header.read({}) || inventory.size() != 5000 || !findings.empty())
            state.SkipWithError("the header was not read whole");
        inventory.finish();
    }
    state.SetItemsProcessed(state.iterations() * 5000);
    state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(text.size()));
}

const char* giant() {
    return std::getenv("FIRSTLIGHT_GIANT");
}

void openGiant(benchmark::State& state) {
    if (!giant())
        return state.SkipWithError("FIRSTLIGHT_GIANT names no folder");
    std::size_t tensors = 0;
    for (auto _ : state) {
        const auto opened = checkpoint::openCheckpoint(giant());
        if (!opened || hasErrors(opened->findings))
            return state.SkipWithError("it cannot be read");
        tensors = opened->inventory.size();
    }
    state.counters["tensors"] = static_cast<double>(tensors);
}

void inspectGiant(benchmark::State& state) {
    if (!giant())
        return state.SkipWithError("FIRSTLIGHT_GIANT names no folder");
    for (auto _ : state) {
        const auto opened = checkpoint::openCheckpoint(giant());
        if (!opened)
            return state.SkipWithError("it cannot be read");
        benchmark::DoNotOptimize(recipe::buildModel(*opened, ""));
    }
}

void countValues(benchmark::State& state) {
    const auto dtype = static_cast<DType>(state.range(0));
    std::vector<std::byte> bytes(std::size_t{4} << 20);
    std::uint32_t random = 1;
    for (std::byte& byte : bytes) {
        random = random * 1664525 + 1013904223;
        byte = static_cast<std::byte>((random >> 24) & 0x3f);  // no NaN in any type
    }
    checkpoint::StatsCollector collector;
    for (auto _ : state) {
        collector.begin(dtype, checkpoint::Encoding::Plain,
                        static_cast<std::int64_t>(bytes.size()) * 64);
        for (int piece = 0; piece < 64; ++piece)
            collector.add(bytes);
        benchmark::DoNotOptimize(collector.end());
    }
    state.SetLabel(std::string(name(dtype)));
    state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(bytes.size()) * 64);
}

BENCHMARK(scanJson);
BENCHMARK(readHeader);
BENCHMARK(openGiant)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK(inspectGiant)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK(countValues)
    ->Arg(static_cast<int>(DType::BF16))
    ->Arg(static_cast<int>(DType::F8E4M3))
    ->Arg(static_cast<int>(DType::F32));

}  // namespace

BENCHMARK_MAIN();
