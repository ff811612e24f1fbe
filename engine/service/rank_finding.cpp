// SPDX-License-Identifier: Apache-2.0
#include "engine/service/rank_finding.h"

#include <string_view>

#include <fmt/core.h>
#include <sys/resource.h>
#include <unistd.h>

#include "engine/base/text.h"
#include "engine/service/memory_limit.h"
#include "engine/service/rank_reporter.h"

namespace fl::service {

// What cannot be read is named in front: "tensor NAME: …" (load/part_reader.cpp).
static std::string tensorOf(const std::string& message) {
    constexpr std::string_view kWord = "tensor ";
    const std::size_t end = message.find(": ");
    return message.starts_with(kWord) && end != std::string::npos
               ? message.substr(kWord.size(), end - kWord.size())
               : "";
}

Error outOfHostMemory() {
    rlimit space{};
    ::getrlimit(RLIMIT_AS, &space);
    const std::string allowed =
        space.rlim_cur == RLIM_INFINITY
            ? "no limit of its address space"
            : formatBytes(static_cast<std::int64_t>(space.rlim_cur)) + " of address space";
    const MemoryLimit limit = memoryLimitOf(::getpid());
    return {ErrorCode::OutOfMemory,
            fmt::format("the machine refused the process memory of its own (not of a card): it has "
                        "{} resident, may have {}, and {} has {}",
                        formatBytes(residentBytes()), allowed, limit.of, formatBytes(limit.bytes))};
}

Finding rankFinding(const Error& error, const std::string& stage) {
    switch (error.code) {
        case ErrorCode::OutOfMemory: {
            Finding finding = fromError(error, "device-out-of-memory", stage);
            finding.remedy =
                "use more ranks, a larger budget, a shorter context or fewer sequences";
            return finding;
        }
        case ErrorCode::Timeout: {
            Finding finding = fromError(error, "collective-timeout", stage);
            finding.remedy = "look at the ranks that are not in this collective";
            return finding;
        }
        case ErrorCode::Corrupt: {
            Finding finding =
                fromError(error, stage == "load" ? "weights-unreadable" : "rank-failed", stage);
            finding.tensor = tensorOf(error.message);
            if (stage == "load")
                finding.remedy = "inspect the checkpoint again: a file has changed since";
            return finding;
        }
        default:
            return fromError(error, "rank-failed", stage);
    }
}

}  // namespace fl::service
