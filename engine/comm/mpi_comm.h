// SPDX-License-Identifier: Apache-2.0
// Messages over MPI. mpi_comm.cpp is the one file of the engine that knows MPI (the program itself
// calls MPI_Init_thread and MPI_Finalize).
#pragma once

#include <memory>

#include "engine/base/result.h"
#include "engine/comm/messenger.h"

namespace fl::comm {

// All ranks of the job; singleRank() where the build has no MPI. MPI must be initialised, at least
// for calls from one thread at a time. Errors of MPI are returned, not fatal, from here on.
Result<std::unique_ptr<Messenger>> mpiWorld();

// Ends all ranks of the job at once; for a rank that can no longer take part.
[[noreturn]] void abortAllRanks(int exitCode);

}  // namespace fl::comm
