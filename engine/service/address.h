// SPDX-License-Identifier: Apache-2.0
// Where a process listens: "unix:/path" on one machine, "tcp:host:port" between machines.
#pragma once

#include <string>

#include "engine/base/result.h"
#include "engine/base/unique_fd.h"

namespace fl::service {

// A listening, non-blocking socket. A Unix socket is made with mode 0600; what lies at its path is
// replaced. "tcp:host:0" takes any free port.
Result<UniqueFd> listenOn(const std::string& address);

// `address` with the port that the system chose.
Result<std::string> boundAddress(const UniqueFd& socket, const std::string& address);

// A connected, blocking socket; Timeout after `seconds`, where something swallows the call.
Result<UniqueFd> connectTo(const std::string& address, double seconds = 10);

// For a TCP connection that carries tokens and heartbeats: small parts leave at once, and a peer
// whose machine has gone is an error after 10 s. Does nothing to other sockets.
void prepareForHeartbeats(const UniqueFd& socket);

}  // namespace fl::service
