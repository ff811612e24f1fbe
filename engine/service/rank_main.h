// SPDX-License-Identifier: Apache-2.0
// The life of a rank: link, MPI, team, load on request, serve, leave when told.
//
// A rank never ends on its own account: after a failure it says why and waits for `shutdown`. A
// link that closes counts as one, so no rank outlives its control process.
#pragma once

#include "engine/device/plugin_registry.h"
#include "engine/protocol/link_messages.h"

namespace fl::service {

// Called in the rank's own process before it has threads; `argc` and `argv` are main()'s, for MPI.
// Returns the exit code; without a link to the control process, standard error has a finding.
int runRank(const protocol::RankTicket& ticket,
            int rank,
            device::PluginRegistry& registry,
            int* argc,
            char*** argv);

}  // namespace fl::service
