// SPDX-License-Identifier: Apache-2.0
// Messages over MPI. mpi_comm.cpp is the one file that knows MPI.
#pragma once

#include <memory>

#include "engine/base/result.h"
#include "engine/comm/messenger.h"

namespace fl::comm {

// MPI from its start to its end: one at most, made in main() before threads are. Without MPI in the
// build it does nothing.
class MpiSession {
public:
    static Result<std::unique_ptr<MpiSession>> begin(int* argc, char*** argv);
    // Ends MPI; waits for the other ranks to do the same.
    ~MpiSession();
    MpiSession(const MpiSession&) = delete;
    MpiSession& operator=(const MpiSession&) = delete;

private:
    MpiSession() = default;
};

// All ranks of the job; singleRank() where the build has no MPI. Needs a
// session. Calls come from one thread at a time. Errors of MPI are returned, not fatal, from here
// on.
Result<std::unique_ptr<Messenger>> mpiWorld();

// Ends all ranks of the job at once; for a rank that can no longer take part.
[[noreturn]] void abortAllRanks(int exitCode);

}  // namespace fl::comm
