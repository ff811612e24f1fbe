// SPDX-License-Identifier: Apache-2.0
// Where the control process listens for ranks of other nodes.
#pragma once

#include <string>
#include <vector>

#include "engine/base/result.h"

namespace fl::service {

// Addresses for listenOn(), at least one, in the order in which ranks are to try them. `wanted`
// ("host" or "host:port") is taken as it is. Else they are this machine's own addresses on the way
// to each of `hosts`, as the routing table has it; where a host has no address that we know (only
// the launcher knows its name), every address of the machine's networks.
//
// Io, with the way out, where this machine has no network but itself.
Result<std::vector<std::string>> controlAddresses(const std::vector<std::string>& hosts,
                                                  const std::string& wanted);

}  // namespace fl::service
