// SPDX-License-Identifier: Apache-2.0
#include "engine/service/memory_limit.h"

#include <filesystem>

#include <gtest/gtest.h>
#include <unistd.h>

#include "engine/base/text.h"
#include "tests/support/temp_dir.h"

namespace fl::service {
namespace {

struct Machine {
    void put(const std::string& path, const std::string& content) const {
        const std::string file = root.path() + path;
        std::filesystem::create_directories(std::filesystem::path(file).parent_path());
        ASSERT_TRUE(writeFile(file, content));
    }
    test::TempDir root;
};

TEST(MemoryLimit, IsTheMachinesWithoutGroups) {
    const Machine machine;
    machine.put("/proc/meminfo", "MemTotal:       2048 kB\nMemFree:         12 kB\n");
    const MemoryLimit limit = memoryLimitOf(7, machine.root.path());
    EXPECT_EQ(limit.bytes, 2048 * 1024);
    EXPECT_EQ(limit.of, "the machine");
}

TEST(MemoryLimit, IsTheSmallestOfTheGroupsAround) {
    const Machine machine;
    machine.put("/proc/meminfo", "MemTotal:       2048 kB\n");
    machine.put("/proc/7/cgroup", "0::/job/rank\n");
    machine.put("/sys/fs/cgroup/job/rank/memory.max", "max\n");
    machine.put("/sys/fs/cgroup/job/memory.max", "1000000\n");
    const MemoryLimit limit = memoryLimitOf(7, machine.root.path());
    EXPECT_EQ(limit.bytes, 1000000);
    EXPECT_EQ(limit.of, "its control group");
    machine.put("/proc/8/cgroup", "9:name=systemd:/\n4:memory:/rank\n0::/\n");
    machine.put("/sys/fs/cgroup/memory/rank/memory.limit_in_bytes", "500000\n");
    machine.put("/sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
    EXPECT_EQ(memoryLimitOf(8, machine.root.path()).bytes, 500000);
}

TEST(MemoryLimit, CountsWhomTheKernelKilled) {
    const Machine machine;
    EXPECT_EQ(memoryKills(machine.root.path()), 0);
    machine.put("/proc/vmstat", "oom_kill_other 3\noom_kill 5\n");
    EXPECT_EQ(memoryKills(machine.root.path()), 5);
    EXPECT_GT(memoryLimitOf(::getpid()).bytes, 0);
}

}  // namespace
}  // namespace fl::service
