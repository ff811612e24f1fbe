// SPDX-License-Identifier: Apache-2.0
#include "engine/service/rank_watcher.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>

#include <poll.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "engine/base/text.h"
#include "engine/base/unique_fd.h"
#include "engine/service/memory_limit.h"
#include "engine/service/rank_link.h"

namespace fl::service {

namespace {

void tell(const protocol::RankTicket& ticket, const protocol::RankExit& exit) {
    // A control process that has gone already needs no news.
    if (auto link = RankLinkClient::connectWatcher(ticket, exit.rank))
        (*link)->send(protocol::link::kExit, exit);
}

constexpr int kLookMilliseconds = 10'000;

// Waits for the end of the child, which is still to be reaped. Returns what memoryKills() was some
// ten to twenty seconds before: a kill is counted when it is decided, and a large process takes
// long to go.
std::int64_t awaitEnd(pid_t child) {
    std::int64_t before = memoryKills();
    std::int64_t last = before;
    // pidfd_open(2); without it the look at the start has to do.
    const UniqueFd handle(static_cast<int>(::syscall(SYS_pidfd_open, child, 0)));
    pollfd ended{handle.get(), POLLIN, 0};
    while (handle && ::poll(&ended, 1, kLookMilliseconds) <= 0) {
        before = last;
        last = memoryKills();
    }
    return before;
}

}  // namespace

int rankFromEnvironment() {
    for (const char* name : {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "SLURM_PROCID"}) {
        const char* value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): no threads yet
        const auto rank = value != nullptr ? parseInteger(value) : Result<std::int64_t>(Error{});
        if (rank)
            return static_cast<int>(*rank);
    }
    return -1;
}

int runWatched(const protocol::RankTicket& ticket, int rank, const std::function<int()>& body) {
    const pid_t parent = ::getpid();
    const pid_t child = ::fork();
    if (child < 0)
        return 1;
    if (child == 0) {
        // Whoever kills the watcher means the rank.
        ::prctl(PR_SET_PDEATHSIG, SIGKILL);
        return ::getppid() == parent ? body() : 1;
    }
    // The launcher signals the whole process group: the rank decides, the watcher stays to tell.
    ::signal(SIGTERM, SIG_IGN);
    ::signal(SIGINT, SIG_IGN);
    const std::int64_t kills = awaitEnd(child);
    int status = 0;
    while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    protocol::RankExit exit;
    exit.rank = rank;
    exit.pid = child;
    if (WIFSIGNALED(status))
        exit.signal = WTERMSIG(status);
    else
        exit.code = WEXITSTATUS(status);
    if (exit.signal == SIGKILL && memoryKills() > kills) {
        // Both are in the same groups, and one that has ended is in none.
        const MemoryLimit limit = memoryLimitOf(parent);
        exit.memoryLimit = limit.bytes;
        exit.limitOf = limit.of;
    }
    if (exit.signal != 0 || (exit.code != 0 && exit.code != kNoLink))
        tell(ticket, exit);
    return exit.signal != 0 ? 128 + exit.signal : exit.code;
}

}  // namespace fl::service
