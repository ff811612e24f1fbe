// SPDX-License-Identifier: Apache-2.0
// The parent of a rank: MPI's launcher, not the control process, is what starts ranks, so nobody of
// ours would learn how one ended. A rank therefore runs as the child of a process that does nothing
// but wait for it and tell.
#pragma once

#include <functional>

#include "engine/protocol/link_messages.h"

namespace fl::service {

// Exit code of a rank that found no way to the control process: its watcher will not either.
constexpr int kNoLink = 4;

// The number of this process within its MPI job, from the launcher's environment; −1: none.
int rankFromEnvironment();

// Runs `body` in a child process and returns its exit code here and there; a child that a signal
// ended gives 128 + signal, as a shell does. Unless it ended well, the control process is told.
// Must be called before the process has threads.
int runWatched(const protocol::RankTicket& ticket, int rank, const std::function<int()>& body);

}  // namespace fl::service
