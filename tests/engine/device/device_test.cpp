// SPDX-License-Identifier: Apache-2.0
#include "engine/device/device.h"

#include <array>
#include <cstring>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/device/cluster.h"
#include "engine/device/plugin_registry.h"
#include "kernels/api/add.h"
#include "plugins/cpu/plugin.h"

namespace fl::device {
namespace {

using testing::HasSubstr;

class DeviceTest : public testing::Test {
protected:
    Device open(const std::string& spec) {
        const auto cluster = describeCluster(registry_, spec);
        auto device = openDevice(registry_, cluster->nodes[0].devices[0]);
        EXPECT_TRUE(device) << device.error().message;
        return *std::move(device);
    }

    PluginRegistry registry_{{plugins::cpu::pluginEntry}};
};

TEST_F(DeviceTest, CopiesThereAndBack) {
    Device device = open("cpu:memory=1MiB,threads=1");
    auto stream = device.createStream();
    ASSERT_TRUE(stream);
    auto buffer = device.allocate(16, FL_MEMORY_STAGING);
    ASSERT_TRUE(buffer);
    const std::array<char, 16> sent = {"fifteen letters"};
    std::array<char, 16> got{};
    ASSERT_TRUE(stream->copyIn(buffer->data(), sent.data(), 16));
    ASSERT_TRUE(stream->copyOut(got.data(), buffer->data(), 16));
    ASSERT_TRUE(stream->synchronize());
    EXPECT_EQ(sent, got);
}

TEST_F(DeviceTest, GivesMemoryBackWhenTheBufferGoes) {
    Device device = open("cpu:memory=1MiB,threads=1");
    {
        auto first = device.allocate(700'000, FL_MEMORY_KV);
        ASSERT_TRUE(first);
        Buffer moved = *std::move(first);
        EXPECT_EQ(device.usage()->by_category[FL_MEMORY_KV], 700'000);
        moved = Buffer();
        EXPECT_EQ(device.usage()->used_bytes, 0);
    }
    EXPECT_EQ(device.usage()->used_bytes, 0);
    EXPECT_EQ(device.usage()->peak_bytes, 700'000);
}

TEST_F(DeviceTest, BecomesAnErrorThatNamesAskedUsedAndBudget) {
    Device device = open("cpu:memory=2GiB,threads=1");
    const auto held = device.allocate(std::int64_t{1843} << 20, FL_MEMORY_WEIGHTS);
    ASSERT_TRUE(held);
    const auto refused = device.allocate(std::int64_t{512} << 20, FL_MEMORY_KV);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, ErrorCode::OutOfMemory);
    EXPECT_EQ(refused.error().message, "CPU card 0: 512 MiB asked, 1.8 of 2.0 GiB used");
}

TEST_F(DeviceTest, LaunchesAKernel) {
    Device device = open("cpu:memory=1MiB,threads=2");
    auto stream = device.createStream();
    const auto kernel = device.findKernel("add", {});
    ASSERT_TRUE(kernel);
    const std::vector<float> a = {1, 2, 3};
    const std::vector<float> b = {10, 20, 30};
    std::vector<float> y(3);
    const fl_add_args args{sizeof args, 1, 3, a.data(), b.data(), y.data()};
    ASSERT_TRUE(stream->launch(*kernel, &args));
    EXPECT_EQ(y, (std::vector<float>{11, 22, 33}));
}

TEST_F(DeviceTest, ShortArgumentsAreRefused) {
    Device device = open("cpu:memory=1MiB,threads=1");
    auto stream = device.createStream();
    const auto kernel = device.findKernel("add", {});
    fl_add_args args{};
    args.size = sizeof args - 1;
    const auto refused = stream->launch(*kernel, &args);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, ErrorCode::InvalidArgument);
    EXPECT_THAT(refused.error().message, HasSubstr("CPU card 0: add was given"));
}

TEST_F(DeviceTest, AMissingKernelIsAnAnswerAndIsRemembered) {
    Device device = open("cpu:memory=1MiB,threads=1");
    const KernelTypes int8{FL_BF16, FL_F32, FL_COMPUTE_INT8};
    for (int time = 0; time < 2; ++time) {
        const auto kernel = device.findKernel("linear", int8);
        ASSERT_FALSE(kernel);
        EXPECT_EQ(kernel.error().code, ErrorCode::Unsupported);
        EXPECT_THAT(kernel.error().message, HasSubstr("no kernel linear"));
    }
    const auto first = device.findKernel("linear", {FL_BF16, FL_F32, FL_COMPUTE_F32});
    const auto second = device.findKernel("linear", {FL_BF16, FL_F32, FL_COMPUTE_F32});
    ASSERT_TRUE(first);
    EXPECT_EQ(first->handle(), second->handle());
}

TEST_F(DeviceTest, AnIncompleteTransportIsRefused) {
    Device device = open("cpu:memory=1MiB,threads=1");
    fl_transport transport{};
    transport.size = sizeof transport - 1;
    const auto group = device.createGroup(transport);
    ASSERT_FALSE(group);
    EXPECT_EQ(group.error().code, ErrorCode::InvalidArgument);
}

}  // namespace
}  // namespace fl::device
