// SPDX-License-Identifier: Apache-2.0
// What every device plugin must do. Runs on the plugins linked in and built here, and on the one
// that FIRSTLIGHT_PLUGIN names ("path/to/libfirstlight_x.so" or "…so:options").
// Covers: plugins/cpu/plugin.cpp plugins/cpu/export.cpp plugins/cpu/device.cpp
// Covers: plugins/cpu/kernels.cpp plugins/cpu/kernel_table.cpp plugins/cpu/collectives.cpp
// Covers: plugins/cpu/telemetry.cpp plugins/cpu/last_error.cpp plugins/cpu/memory.cpp
// Covers: app/linked_plugins.cpp
#include <cstdlib>
#include <functional>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include <dlfcn.h>
#include <gtest/gtest.h>

#include "app/linked_plugins.h"
#include "kernels/api/attention.h"
#include "kernels/api/linear.h"
#include "plugins/abi/firstlight_device.h"
#include "tests/plugins/fake_transport.h"

extern "C" size_t sizes_in_c(size_t* to);

namespace fl::plugins {
namespace {

struct Candidate {
    std::string name;     // of the test
    std::string path;     // empty: linked in
    std::string options;  // for its open()
    fl_plugin_entry_fn linked = nullptr;
};

void PrintTo(const Candidate& candidate, std::ostream* to) {
    *to << candidate.name;
}

std::vector<Candidate> candidates() {
    std::vector<Candidate> all;
    for (fl_plugin_entry_fn entry : app::linkedPlugins())
        all.push_back({"linked" + std::to_string(all.size()), "", "", entry});
    all.push_back({"cpu_file", FIRSTLIGHT_CPU_PLUGIN, "", nullptr});
    if (const char* given = std::getenv("FIRSTLIGHT_PLUGIN")) {  // NOLINT(concurrency-mt-unsafe)
        const std::string text = given;
        const std::size_t colon = text.find(".so:");
        const std::size_t end = colon == std::string::npos ? text.size() : colon + 3;
        all.push_back(
            {"given", text.substr(0, end), end < text.size() ? text.substr(end + 1) : "", nullptr});
    }
    return all;
}

class Conformance : public testing::TestWithParam<Candidate> {
protected:
    void SetUp() override {
        entry_ = GetParam().linked;
        if (!GetParam().path.empty()) {
            library_ = dlopen(GetParam().path.c_str(), RTLD_NOW | RTLD_LOCAL);
            ASSERT_NE(library_, nullptr) << dlerror();  // NOLINT(concurrency-mt-unsafe)
            entry_ = reinterpret_cast<fl_plugin_entry_fn>(dlsym(library_, FL_PLUGIN_ENTRY_NAME));
        }
        ASSERT_NE(entry_, nullptr);
        plugin_ = entry_(FL_ABI_VERSION);
        ASSERT_NE(plugin_, nullptr);
        ASSERT_EQ(plugin_->open(GetParam().options.c_str(), &backend_), FL_OK) << lastError();
        ASSERT_EQ(plugin_->device->open(backend_, 0, &device_), FL_OK) << lastError();
        ASSERT_EQ(plugin_->device->stream_create(device_, &stream_), FL_OK) << lastError();
    }

    void TearDown() override {
        if (stream_ != nullptr)
            plugin_->device->stream_destroy(stream_);
        if (device_ != nullptr)
            plugin_->device->close(device_);
        if (backend_ != nullptr)
            plugin_->close(backend_);
        if (library_ != nullptr)
            dlclose(library_);
    }

    std::string lastError() const { return plugin_->last_error(); }

    fl_memory_usage usage() const {
        fl_memory_usage usage{};
        usage.size = sizeof usage;
        EXPECT_EQ(plugin_->memory->usage(device_, &usage), FL_OK);
        return usage;
    }

    void* alloc(std::int64_t bytes, fl_memory_category category = FL_MEMORY_STAGING) {
        void* memory = nullptr;
        EXPECT_EQ(plugin_->memory->alloc(device_, bytes, category, &memory), FL_OK) << lastError();
        return memory;
    }

    void* library_ = nullptr;
    fl_plugin_entry_fn entry_ = nullptr;
    const fl_plugin* plugin_ = nullptr;
    fl_backend* backend_ = nullptr;
    fl_device* device_ = nullptr;
    fl_stream* stream_ = nullptr;
};

TEST_P(Conformance, TablesHaveTheSizesOfThisInterface) {
    EXPECT_EQ(plugin_->abi_version, FL_ABI_VERSION);
    EXPECT_GE(plugin_->size, sizeof(fl_plugin));
    EXPECT_GE(plugin_->device->size, sizeof(fl_device_api));
    EXPECT_GE(plugin_->memory->size, sizeof(fl_memory_api));
    EXPECT_GE(plugin_->kernels->size, sizeof(fl_kernel_api));
    if (plugin_->collectives != nullptr) {
        EXPECT_GE(plugin_->collectives->size, sizeof(fl_collective_api));
    }
    if (plugin_->telemetry != nullptr) {
        EXPECT_GE(plugin_->telemetry->size, sizeof(fl_telemetry_api));
    }
}

TEST_P(Conformance, RefusesAnotherInterfaceVersion) {
    EXPECT_EQ(entry_(FL_ABI_VERSION + 1000), nullptr);
}

TEST_P(Conformance, RefusesUnknownOptionsAndListsTheValidOnes) {
    fl_backend* backend = nullptr;
    EXPECT_EQ(plugin_->open("no_such_option=1", &backend), FL_INVALID_ARGUMENT);
    EXPECT_NE(lastError().find("no_such_option"), std::string::npos) << lastError();
    EXPECT_NE(lastError().find("valid"), std::string::npos) << lastError();
}

TEST_P(Conformance, DescribesItsDevicesAndNoOthers) {
    const std::int32_t count = plugin_->device->count(backend_);
    ASSERT_GE(count, 1);
    for (std::int32_t index = 0; index < count; ++index) {
        fl_device_info info{};
        info.size = sizeof info;
        ASSERT_EQ(plugin_->device->info(backend_, index, &info), FL_OK);
        EXPECT_STREQ(info.kind, plugin_->name);
        EXPECT_NE(info.name[0], '\0');
        EXPECT_EQ(info.index, index);
        EXPECT_GT(info.budget_bytes, 0);
        EXPECT_GE(info.memory_bytes, info.budget_bytes);
    }
    fl_device* device = nullptr;
    EXPECT_EQ(plugin_->device->open(backend_, count, &device), FL_NOT_FOUND);
    EXPECT_EQ(plugin_->device->open(backend_, -1, &device), FL_NOT_FOUND);
}

TEST_P(Conformance, FreshMemoryIsZeroAndAligned) {
    for (const std::int64_t bytes : {1, 63, 4096, 1'000'000}) {
        void* memory = alloc(bytes);
        EXPECT_EQ(reinterpret_cast<std::uintptr_t>(memory) % 64, 0U);
        std::vector<char> got(static_cast<std::size_t>(bytes), 'x');
        ASSERT_EQ(plugin_->memory->copy_out(stream_, got.data(), memory, bytes), FL_OK);
        ASSERT_EQ(plugin_->device->stream_synchronize(stream_), FL_OK);
        EXPECT_EQ(got, std::vector<char>(got.size(), '\0'));
        plugin_->memory->free(device_, memory);
    }
}

TEST_P(Conformance, CopiesInAcrossAndOut) {
    std::vector<int> sent(1001);
    std::iota(sent.begin(), sent.end(), 1);
    const auto bytes = static_cast<std::int64_t>(sent.size() * sizeof(int));
    void* first = alloc(bytes);
    void* second = alloc(bytes);
    std::vector<int> got(sent.size());
    ASSERT_EQ(plugin_->memory->copy_in(stream_, first, sent.data(), bytes), FL_OK);
    ASSERT_EQ(plugin_->memory->copy(stream_, second, first, bytes), FL_OK);
    ASSERT_EQ(plugin_->memory->copy_out(stream_, got.data(), second, bytes), FL_OK);
    ASSERT_EQ(plugin_->device->stream_synchronize(stream_), FL_OK);
    EXPECT_EQ(sent, got);
    plugin_->memory->free(device_, first);
    plugin_->memory->free(device_, second);
}

TEST_P(Conformance, CountsMemoryByCategoryAndRemembersThePeak) {
    const fl_memory_usage before = usage();
    void* weights = alloc(1 << 20, FL_MEMORY_WEIGHTS);
    void* cache = alloc(1 << 16, FL_MEMORY_KV);
    const fl_memory_usage during = usage();
    EXPECT_GE(during.by_category[FL_MEMORY_WEIGHTS], 1 << 20);
    EXPECT_GE(during.by_category[FL_MEMORY_KV], 1 << 16);
    EXPECT_GE(during.used_bytes, before.used_bytes + (1 << 20) + (1 << 16));
    plugin_->memory->free(device_, weights);
    plugin_->memory->free(device_, cache);
    EXPECT_EQ(usage().used_bytes, before.used_bytes);
    EXPECT_GE(usage().peak_bytes, during.used_bytes);
}

TEST_P(Conformance, RefusesWhatPassesTheBudgetAndCountsNothingForIt) {
    const fl_memory_usage before = usage();
    void* memory = nullptr;
    EXPECT_EQ(plugin_->memory->alloc(device_, before.budget_bytes + 1, FL_MEMORY_WEIGHTS, &memory),
              FL_OUT_OF_MEMORY);
    EXPECT_NE(lastError().find("asked"), std::string::npos) << lastError();
    EXPECT_EQ(usage().used_bytes, before.used_bytes);
    EXPECT_EQ(plugin_->memory->alloc(device_, -1, FL_MEMORY_WEIGHTS, &memory), FL_INVALID_ARGUMENT);
    EXPECT_EQ(plugin_->memory->alloc(device_, 1, FL_MEMORY_CATEGORIES, &memory),
              FL_INVALID_ARGUMENT);
}

TEST_P(Conformance, AnUnknownKernelIsUnsupported) {
    fl_signature signature{sizeof signature, "no_such_op", FL_F32, FL_F32, FL_COMPUTE_F32};
    fl_kernel* kernel = nullptr;
    EXPECT_EQ(plugin_->kernels->find(device_, &signature, &kernel), FL_UNSUPPORTED);
    signature.op = "linear";
    signature.weight = FL_BOOL;
    EXPECT_EQ(plugin_->kernels->find(device_, &signature, &kernel), FL_UNSUPPORTED);
    signature.weight = static_cast<fl_dtype>(31);
    EXPECT_EQ(plugin_->kernels->find(device_, &signature, &kernel), FL_UNSUPPORTED);
}

TEST_P(Conformance, MultipliesWithAWeightOfItsOwn) {
    const fl_signature signature{sizeof signature, "linear", FL_F32, FL_F32, FL_COMPUTE_F32};
    fl_kernel* kernel = nullptr;
    const fl_status found = plugin_->kernels->find(device_, &signature, &kernel);
    if (found == FL_UNSUPPORTED)
        GTEST_SKIP() << "no such kernel, which is an answer";
    ASSERT_EQ(found, FL_OK);
    const std::vector<float> values = {1, 2, 3, 10, 20, 30};  // x, then one row of weights
    auto* memory = static_cast<float*>(alloc(7 * sizeof(float)));
    ASSERT_EQ(plugin_->memory->copy_in(stream_, memory, values.data(), 24), FL_OK);
    const fl_linear_args args{sizeof args, 1,      3,       1,      memory,
                              memory + 3,  FL_F32, nullptr, FL_F32, FL_COMPUTE_F32,
                              memory + 6};
    ASSERT_EQ(plugin_->kernels->launch(stream_, kernel, &args), FL_OK) << lastError();
    float y = 0;
    ASSERT_EQ(plugin_->memory->copy_out(stream_, &y, memory + 6, sizeof y), FL_OK);
    ASSERT_EQ(plugin_->device->stream_synchronize(stream_), FL_OK);
    EXPECT_EQ(y, 140);
    if (plugin_->kernels->scratch_bytes != nullptr) {
        EXPECT_GE(plugin_->kernels->scratch_bytes(device_, &signature, &args), 0);
    }
    plugin_->memory->free(device_, memory);
}

TEST_P(Conformance, SamplesOnlyWhatItMeasures) {
    if (plugin_->telemetry == nullptr)
        GTEST_SKIP() << "no telemetry";
    for (int time = 0; time < 2; ++time) {
        fl_device_sample sample{};
        sample.size = sizeof sample;
        ASSERT_EQ(plugin_->telemetry->sample(device_, &sample), FL_OK);
        EXPECT_LE(sample.utilisation, 1.0);
        EXPECT_TRUE(sample.resident_bytes == -1 || sample.resident_bytes > 0);
    }
}

// Runs body(rank, group) for three ranks, each with a group of its own on the one device.
void onThreeRanks(const fl_plugin& plugin,
                  fl_device* device,
                  const std::function<void(int rank, fl_group* group)>& body) {
    test::FakeTransport transport(3);
    std::vector<std::thread> threads;
    for (int rank = 0; rank < 3; ++rank) {
        threads.emplace_back([&, rank] {
            fl_group* group = nullptr;
            ASSERT_EQ(plugin.collectives->group_create(device, &transport.rank(rank), &group),
                      FL_OK);
            body(rank, group);
            plugin.collectives->group_destroy(group);
        });
    }
    for (std::thread& thread : threads)
        thread.join();
}

TEST_P(Conformance, CollectivesMoveWhatTheyPromise) {
    if (plugin_->collectives == nullptr || plugin_->memory->host_visible == 0)
        GTEST_SKIP() << "no collectives on host memory";
    const fl_collective_api& api = *plugin_->collectives;
    onThreeRanks(*plugin_, device_, [&](int rank, fl_group* group) {
        const auto own = static_cast<float>(rank);
        std::vector<float> sum = {own, 10 * own};
        EXPECT_EQ(api.all_reduce(group, stream_, sum.data(), 2), FL_OK);
        EXPECT_EQ(sum, (std::vector<float>{3, 30}));

        const std::vector<std::int64_t> gathered = {4, 8, 4};
        const std::vector<float> mine = {own, own};
        std::vector<float> all(4);
        EXPECT_EQ(api.all_gather(group, stream_, mine.data(), all.data(), gathered.data()), FL_OK);
        EXPECT_EQ(all, (std::vector<float>{0, 1, 1, 2}));

        const std::vector<std::int64_t> parts = {1, 2, 0};
        const std::vector<float> whole = {own, own + 1, own + 2};
        std::vector<float> part(static_cast<std::size_t>(parts[static_cast<std::size_t>(rank)]));
        EXPECT_EQ(api.reduce_scatter(group, stream_, whole.data(), part.data(), parts.data()),
                  FL_OK);
        const std::vector<std::vector<float>> scattered = {{3}, {6, 9}, {}};
        EXPECT_EQ(part, scattered[static_cast<std::size_t>(rank)]);

        const std::vector<std::int64_t> four(3, 4);
        const std::vector<float> each = {own * 10, own * 10 + 1, own * 10 + 2};
        std::vector<float> got(3);
        EXPECT_EQ(api.all_to_all(group, stream_, each.data(), four.data(), got.data(), four.data()),
                  FL_OK);
        EXPECT_EQ(got, (std::vector<float>{own, own + 10, own + 20}));
    });
}

TEST_P(Conformance, SendsFromOneRankToAnother) {
    if (plugin_->collectives == nullptr || plugin_->memory->host_visible == 0)
        GTEST_SKIP() << "no collectives on host memory";
    const fl_collective_api& api = *plugin_->collectives;
    onThreeRanks(*plugin_, device_, [&](int rank, fl_group* group) {
        int value = rank == 1 ? 77 : 0;
        if (rank == 1) {
            EXPECT_EQ(api.send(group, stream_, &value, sizeof value, 2), FL_OK);
        } else {
            EXPECT_EQ(api.receive(group, stream_, &value, sizeof value, 1), FL_OK);
        }
        EXPECT_EQ(value, 77);
    });
}

INSTANTIATE_TEST_SUITE_P(Plugins,
                         Conformance,
                         testing::ValuesIn(candidates()),
                         [](const auto& tested) { return tested.param.name; });

TEST(LinkedPlugins, AreFoundBesideTheProgramToo) {
    const std::string file = app::pluginFolders().front() + "/libfirstlight_cpu.so";
    EXPECT_EQ(access(file.c_str(), R_OK), 0) << file;
}

TEST(Abi, HasTheSameSizesInCAndCpp) {
    std::vector<std::size_t> inC(32);
    inC.resize(sizes_in_c(inC.data()));
    const std::vector<std::size_t> inCpp = {
        sizeof(fl_device_info),   sizeof(fl_device_api),    sizeof(fl_memory_usage),
        sizeof(fl_memory_api),    sizeof(fl_signature),     sizeof(fl_kernel_api),
        sizeof(fl_weight_api),    sizeof(fl_transport),     sizeof(fl_collective_api),
        sizeof(fl_device_sample), sizeof(fl_telemetry_api), sizeof(fl_plugin),
        sizeof(fl_linear_args),   sizeof(fl_attention_args)};
    EXPECT_EQ(inC, inCpp);
}

}  // namespace
}  // namespace fl::plugins
