// SPDX-License-Identifier: Apache-2.0
// `firstlightd --rank`: the rank role of the engine program. What it is to do, its environment
// says: protocol::RankTicket.
#pragma once

namespace fl::app {

// Called before the process has threads; `argc` and `argv` are main()'s, for MPI. Returns the exit
// code; 3: there is no ticket.
int runRankProgram(int* argc, char*** argv);

}  // namespace fl::app
