// SPDX-License-Identifier: Apache-2.0
#include "engine/service/memory_limit.h"

#include <fstream>
#include <string_view>
#include <vector>

#include <fmt/core.h>

#include "engine/base/text.h"

namespace fl::service {

namespace {

// The number behind `word` in a file of lines "word number"; 0 if there is none.
std::int64_t numberBehind(const std::string& path, std::string_view word) {
    std::ifstream file(path);
    std::string key;
    std::int64_t number = 0;
    for (std::string line; std::getline(file, line);) {
        const std::size_t space = line.find_first_of(" \t");
        if (line.substr(0, space) != word || space == std::string::npos)
            continue;
        const std::size_t begin = line.find_first_not_of(" \t", space);
        const std::string text = line.substr(begin, line.find(' ', begin) - begin);
        number = parseInteger(text).has_value() ? *parseInteger(text) : 0;
    }
    return number;
}

// A file that holds one number; 0 for "max".
std::int64_t numberIn(const std::string& path) {
    std::ifstream file(path);
    std::string text;
    file >> text;
    const auto number = parseInteger(text);
    return number ? *number : 0;
}

// The least limit of the group and those around it.
std::int64_t limitUpwards(const std::string& mount, std::string group, std::string_view file) {
    std::int64_t least = 0;
    for (;;) {
        const std::int64_t limit = numberIn(fmt::format("{}{}/{}", mount, group, file));
        if (limit > 0 && (least == 0 || limit < least))
            least = limit;
        if (group.empty())
            return least;
        group.erase(group.find_last_of('/'));
    }
}

// One line of /proc/PID/cgroup: "4:memory:/a/b" of version 1, "0::/a/b" of version 2.
std::int64_t limitOfLine(const std::string& line, const std::string& root) {
    const std::size_t first = line.find(':');
    const std::size_t second = first == std::string::npos ? first : line.find(':', first + 1);
    if (second == std::string::npos)
        return 0;
    const std::string controller = line.substr(first + 1, second - first - 1);
    std::string group = line.substr(second + 1);
    if (group == "/")
        group.clear();
    if (controller == "memory")
        return limitUpwards(root + "/sys/fs/cgroup/memory", group, "memory.limit_in_bytes");
    if (controller.empty())
        return limitUpwards(root + "/sys/fs/cgroup", group, "memory.max");
    return 0;
}

}  // namespace

MemoryLimit memoryLimitOf(pid_t process, const std::string& root) {
    constexpr std::int64_t kKiB = 1024;
    MemoryLimit out{numberBehind(root + "/proc/meminfo", "MemTotal:") * kKiB, "the machine"};
    std::ifstream file(fmt::format("{}/proc/{}/cgroup", root, process));
    for (std::string line; std::getline(file, line);) {
        const std::int64_t limit = limitOfLine(line, root);
        if (limit > 0 && (out.bytes == 0 || limit < out.bytes))
            out = {limit, "its control group"};
    }
    return out;
}

std::int64_t memoryKills(const std::string& root) {
    return numberBehind(root + "/proc/vmstat", "oom_kill");
}

}  // namespace fl::service
