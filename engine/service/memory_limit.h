// SPDX-License-Identifier: Apache-2.0
// How much memory a process may have, and whether the kernel has been killing for want of it.
#pragma once

#include <cstdint>
#include <string>

#include <sys/types.h>

namespace fl::service {

struct MemoryLimit {
    std::int64_t bytes = 0;  // 0: not known
    std::string of;          // "its control group", "the machine"
};

// The smallest limit of the control groups around the process (cgroups(7), version 1 and 2), or the
// machine's memory. `root` is put before every path.
MemoryLimit memoryLimitOf(pid_t process, const std::string& root = "");

// Processes that the kernel killed for want of memory since the machine started: oom_kill of
// proc_vmstat(5). 0 where it does not count them.
std::int64_t memoryKills(const std::string& root = "");

}  // namespace fl::service
