// SPDX-License-Identifier: Apache-2.0
// Products of every weight type, as bytes of weights per second beside what the machine can read.
//
// Weights are several matrices that together exceed the caches, used in turn as layers are. Each
// type is compared with the reference before it is timed.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <random>
#include <thread>
#include <vector>

#include <benchmark/benchmark.h>

#include "kernels/cpu/linear.h"
#include "kernels/cpu/machine_probe.h"
#include "kernels/ref/linear.h"

namespace fl::kernels {
namespace {

struct Type {
    fl_dtype type;
    const char* name;
};
constexpr Type kTypes[] = {{FL_F32, "F32"},   {FL_F16, "F16"},   {FL_BF16, "BF16"},
                           {FL_Q4_0, "Q4_0"}, {FL_Q4_1, "Q4_1"}, {FL_Q8_0, "Q8_0"},
                           {FL_Q4_K, "Q4_K"}, {FL_Q6_K, "Q6_K"}};

// Of SmolLM2-135M's and of a 7-billion-parameter model's feed-forward product.
struct Shape {
    std::int64_t in;
    std::int64_t out;
};
constexpr Shape kShapes[] = {{576, 1536}, {1536, 576}, {4096, 4096}};
constexpr std::int64_t kWeightBytes = std::int64_t{256} << 20;
constexpr int kThreads = 2;

// Bytes whose every 16-bit piece is a small finite number in each of the types.
std::vector<std::uint8_t> smallNumbers(std::int64_t bytes) {
    std::mt19937 engine(1);
    std::vector<std::uint8_t> data(static_cast<std::size_t>(bytes));
    for (std::size_t i = 0; i < data.size(); ++i) {
        const auto random = static_cast<std::uint8_t>(engine());
        data[i] = i % 2 == 0 ? random : static_cast<std::uint8_t>(0x20 | (random & 0x87));
    }
    return data;
}

bool matchesReference(fl_linear_args args, cpu::Parallel& parallel) {
    args.out = std::min<std::int64_t>(args.out, 16);
    std::vector<float> expected(static_cast<std::size_t>(args.rows * args.out));
    std::vector<float> actual(expected.size());
    args.y = expected.data();
    ref::linear(args);
    args.y = actual.data();
    if (cpu::linear(args, parallel) != nullptr)
        return false;
    double largest = 0;
    double worst = 0;
    for (std::size_t i = 0; i < expected.size(); ++i) {
        largest = std::max(largest, std::fabs(double{expected[i]}));
        worst = std::max(worst, std::fabs(double{expected[i]} - double{actual[i]}));
    }
    return worst <= 1e-5 * largest;
}

void runLinear(benchmark::State& state, const Type& type, const Shape& shape, std::int64_t rows) {
    if (fl_row_bytes(type.type, shape.in) < 0)
        return state.SkipWithError("not whole blocks");
    const std::int64_t bytes = shape.out * fl_row_bytes(type.type, shape.in);
    const std::int64_t matrices = kWeightBytes / bytes;
    const auto weights = smallNumbers(matrices * bytes);
    const std::vector<float> x(static_cast<std::size_t>(rows * shape.in), 0.5F);
    std::vector<float> y(static_cast<std::size_t>(rows * shape.out));
    fl_linear_args args{};
    args.size = sizeof args;
    args.rows = rows;
    args.in = shape.in;
    args.out = shape.out;
    args.x = x.data();
    args.weight = weights.data();
    args.weight_dtype = type.type;
    args.y = y.data();
    cpu::Parallel parallel(kThreads);
    if (!matchesReference(args, parallel))
        return state.SkipWithError("differs from the reference");
    for (auto _ : state) {
        for (std::int64_t matrix = 0; matrix < matrices; ++matrix) {
            args.weight = weights.data() + matrix * bytes;
            cpu::linear(args, parallel);
        }
    }
    state.SetBytesProcessed(state.iterations() * matrices * bytes);
    state.counters["GFLOPS"] =
        benchmark::Counter(2e-9 * static_cast<double>(state.iterations() * matrices * rows) *
                               static_cast<double>(shape.in * shape.out),
                           benchmark::Counter::kIsRate);
}

void addBenchmarks() {
    for (const Type& type : kTypes) {
        for (const Shape& shape : kShapes) {
            if (fl_row_bytes(type.type, shape.in) < 0)
                continue;
            for (const std::int64_t rows : {1, 4, 128}) {
                const std::string name =
                    std::string("linear/") + type.name + "/" + std::to_string(shape.in) + "x" +
                    std::to_string(shape.out) + "/rows:" + std::to_string(rows);
                benchmark::RegisterBenchmark(name.c_str(),
                                             [type, shape, rows](benchmark::State& state) {
                                                 runLinear(state, type, shape, rows);
                                             })
                    ->UseRealTime()
                    ->Unit(benchmark::kMillisecond);
            }
        }
    }
}

struct DecodeRates {
    double read = 0;      // bytes per second
    double multiply = 0;  // bytes of weights per second
};

// Best of many short passes over the same bytes, read and multiplied in turn, so that both meet
// the machine in the same state.
DecodeRates decodeRates(const Shape& shape, int passes) {
    const std::int64_t bytes = shape.out * fl_row_bytes(FL_BF16, shape.in);
    const std::int64_t matrices = kWeightBytes / bytes;
    const auto weights = smallNumbers(matrices * bytes);
    const std::vector<float> x(static_cast<std::size_t>(shape.in), 0.5F);
    std::vector<float> y(static_cast<std::size_t>(shape.out));
    cpu::Parallel parallel(kThreads);
    fl_linear_args args{};
    args.size = sizeof args;
    args.rows = 1;
    args.in = shape.in;
    args.out = shape.out;
    args.x = x.data();
    args.weight_dtype = FL_BF16;
    args.y = y.data();
    DecodeRates rates;
    for (int pass = 0; pass < passes; ++pass) {
        rates.read = std::max(rates.read,
                              cpu::readBytesPerSecond(weights.data(), matrices * bytes, parallel));
        const auto start = std::chrono::steady_clock::now();
        for (std::int64_t matrix = 0; matrix < matrices; ++matrix) {
            args.weight = weights.data() + matrix * bytes;
            cpu::linear(args, parallel);
        }
        const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - start;
        rates.multiply =
            std::max(rates.multiply, static_cast<double>(matrices * bytes) / passed.count());
    }
    return rates;
}

void printDecode() {
    for (const Shape& shape : kShapes) {
        const DecodeRates rates = decodeRates(shape, 12);
        std::printf("bf16 decode %lld x %lld: %.1f of %.1f GB/s = %.2f\n",
                    static_cast<long long>(shape.in), static_cast<long long>(shape.out),
                    rates.multiply * 1e-9, rates.read * 1e-9, rates.multiply / rates.read);
    }
}

void printMachine() {
    const cpu::MachineFigures figures = cpu::probeMachine({kThreads, kWeightBytes, 5});
    std::printf("%s, %d threads: read %.1f GB/s (one thread %.1f), %.1f GFLOPS (one thread %.1f)\n",
                figures.instructionSet.c_str(), figures.threads, figures.readBytesPerSecond * 1e-9,
                figures.readBytesPerSecondOneThread * 1e-9, figures.flops * 1e-9,
                figures.flopsOneThread * 1e-9);
}

}  // namespace
}  // namespace fl::kernels

int main(int argc, char** argv) {
    benchmark::Initialize(&argc, argv);
    if (benchmark::ReportUnrecognizedArguments(argc, argv))
        return 2;
    fl::kernels::printMachine();
    fl::kernels::printDecode();
    fl::kernels::addBenchmarks();
    benchmark::RunSpecifiedBenchmarks();
    return 0;
}
