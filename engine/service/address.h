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

// A connected, blocking socket.
Result<UniqueFd> connectTo(const std::string& address);

}  // namespace fl::service
