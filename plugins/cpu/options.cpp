// SPDX-License-Identifier: Apache-2.0
#include "plugins/cpu/options.h"

#include <algorithm>

#include <sched.h>
#include <unistd.h>

#include "plugins/cpu/text.h"

namespace fl::plugins::cpu {

constexpr int kMostCards = 4096;
constexpr int kMostThreads = 1024;
constexpr std::string_view kValid =
    "valid are cards=1…4096, memory=SIZE such as 512MiB or 2GiB, threads=1…1024";

Machine thisMachine() {
    Machine machine;
    machine.memoryBytes = std::int64_t{sysconf(_SC_PHYS_PAGES)} * sysconf(_SC_PAGESIZE);
    // The cores this process may run on, which a batch system or a container may have cut.
    cpu_set_t allowed;
    CPU_ZERO(&allowed);
    if (sched_getaffinity(0, sizeof allowed, &allowed) == 0)
        machine.cores = std::max(1, CPU_COUNT(&allowed));
    return machine;
}

static bool setCount(std::string_view value, int most, int& to) {
    const auto count = parseInteger(value);
    if (!count || *count < 1 || *count > most)
        return false;
    to = static_cast<int>(*count);
    return true;
}

// An empty string, or what is wrong with one key=value.
static std::string apply(std::string_view item, Options& options) {
    const std::size_t equals = item.find('=');
    const std::string_view key = item.substr(0, equals);
    const std::string_view value =
        equals == std::string_view::npos ? std::string_view() : item.substr(equals + 1);
    bool good = false;
    if (key == "cards") {
        good = setCount(value, kMostCards, options.cards);
    } else if (key == "threads") {
        good = setCount(value, kMostThreads, options.threads);
    } else if (key == "memory") {
        options.memoryBytes = parseBytes(value).value_or(0);
        good = options.memoryBytes > 0;
    } else {
        return "unknown option \"" + std::string(key) + "\"; " + std::string(kValid);
    }
    return good ? std::string()
                : "bad value in \"" + std::string(item) + "\"; " + std::string(kValid);
}

std::variant<Options, std::string> parseOptions(std::string_view text, const Machine& machine) {
    Options options;
    options.threads = 0;
    while (!text.empty()) {
        const std::size_t comma = text.find(',');
        if (std::string wrong = apply(text.substr(0, comma), options); !wrong.empty())
            return wrong;
        text.remove_prefix(comma == std::string_view::npos ? text.size() : comma + 1);
    }
    if (options.memoryBytes == 0)
        options.memoryBytes = machine.memoryBytes / options.cards;
    if (options.threads == 0)
        options.threads = std::max(1, machine.cores / options.cards);
    return options;
}

}  // namespace fl::plugins::cpu
